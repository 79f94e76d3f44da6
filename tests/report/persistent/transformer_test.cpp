// SPDX-License-Identifier: Apache-2.0
/// The report of a spatial transformer: its bytes are those of its weights, of three reads of the image, and of the
/// text.
#include <inlay/report/persistent/transformer.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::persistent;

constexpr TransformerShape smallest{.batch = 2, .pixels = 64, .channels = 1280, .heads = 8, .text = 77};

TEST(TransformerReport, ReadsEachWeightOnce) {
    const Report r = transformer_report(smallest, 132);
    // 20 C² weights of products without those of the text's keys and values, 7 biases of C or 4 C, 8 vectors of norms.
    const double c = 1280, weights = 20 * c * c + (5 + 8) * c + 8 * c;
    double all = 0;
    for (int p = 0; p < r.facts.phase_count; ++p) all += r.memory[p];
    EXPECT_DOUBLE_EQ(all, 2 * weights + 3 * 128 * c * 2 + 2 * 2 * 77 * c * 2);
}
TEST(TransformerReport, EveryPhaseIsOnTheCriticalPath) {
    const Report r = transformer_report(smallest, 132);
    EXPECT_EQ(critical_path(r).instances.size(), static_cast<std::size_t>(transformer_phases));
    const std::string text = explain(r, sm90a_target);
    EXPECT_NE(text.find("spatial transformer: one persistent launch of 15 phases, 15 instances a pass, on 132"),
              std::string::npos);
    EXPECT_NE(text.find("qkv                 1      240        1 to 2"), std::string::npos) << text;
    EXPECT_NE(text.find("attend              1       16        0 to 1        0 B     328 kB  qkv\n"), std::string::npos)
        << text;
}

}  // namespace
