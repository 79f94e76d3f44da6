// SPDX-License-Identifier: Apache-2.0
/// Sums of fp32 attention on matrix units, which add with truncation: few keys have most of the weight, so that what a
/// product loses is not averaged away. With small products in the sums of the big ones it is 1.7 times PyTorch's error.
#define INLAY_TEST_SEEDS 1
#include <frame/check.hpp>

#include <inlay/frame/attention.hpp>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;

struct slopes : Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal,
                          score::Of<Sub<score::Scaled::of<64>, Mul<Buf<3>, Sub<QueryPosition, Coord<3>>>>>> {};

TEST(AttentionFragments, SmallProductsHaveSumsOfTheirOwn) {
    expect_torch<float>("attention slopes", [](const TorchCase& t, unsigned seed) {
        const index_t b = t.shape[0], h = t.shape[1], sq = t.shape[2], skv = t.shape[3], d = t.shape[4];
        const auto q = normal<float>(seed, b, h, sq, d), k = normal<float>(seed + 10, b, h, skv, d),
                   v = normal<float>(seed + 20, b, h, skv, d);
        auto heads = unwritten<float>(h, 1, 1);
        for (index_t i = 0; i < h; ++i) heads.v[static_cast<std::size_t>(i)] = std::exp2(-static_cast<float>(i));
        return compare<slopes, float>(q.extents, *q, *k, *v, *heads).error;
    });
}

}  // namespace
