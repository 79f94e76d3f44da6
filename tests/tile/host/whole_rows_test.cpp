// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/tensor.hpp>
#include <inlay/tile/host/whole_rows.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

TEST(WholeRows, VisitEveryRowOnceWithScratchForIt) {
    Threads threads(3);
    for (const auto& e :
         {Extents<3>{{1, 1, 1}}, {{3, 5, 7}}, {{2, 3, 40000}}, {{40, 50, 3}}, {{0, 5, 7}}, {{3, 5, 0}}}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(e[0] * e[1]));
        whole_rows(threads, e, [&](const Extents<3>& c, index_t n, float* x) {
            EXPECT_EQ(n, e[2]);
            EXPECT_EQ(c[2], 0);
            x[0] = x[n - 1] = 1;
            ++seen[static_cast<std::size_t>(c[0] * e[1] + c[1])];
        });
        for (const auto& n : seen) EXPECT_EQ(n, count(e) > 0 ? 1 : 0) << text(e);
    }
}

struct RowOfFloats : testing::Test {
    std::vector<float> x, gamma, beta;
    Row row{nullptr, 0};
    explicit RowOfFloats(index_t n = 3 * host_lanes + 5) {
        for (index_t i = 0; i < n; ++i) {
            x.push_back(std::sin(static_cast<float>(i)) + 2);
            gamma.push_back(0.5f + static_cast<float>(i % 7));
            beta.push_back(static_cast<float>(i % 5) - 2);
        }
        row = {x.data(), n};
    }
    Tensor<const float, 1> channels(const std::vector<float>& v) const { return {v.data(), {{row.n}}}; }
};

TEST_F(RowOfFloats, Moments) {
    double sum = 0, squares = 0, m2 = 0;
    for (const double v : x) sum += v, squares += v * v;
    const double mean = sum / static_cast<double>(row.n);
    for (const double v : x) m2 += (v - mean) * (v - mean);
    EXPECT_NEAR(row.moments().mean, mean, 1e-6);
    EXPECT_NEAR(row.moments().m2, m2, 1e-5 * m2);
    EXPECT_NEAR(row.sum_of_squares(), squares, 1e-6 * squares);
    EXPECT_EQ(row.size(), static_cast<index_t>(x.size()));
}
TEST_F(RowOfFloats, ScaleAndShift) {
    const auto before = x;
    row.scale_shift(2.f, 3.f, channels(gamma), channels(beta));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], (before[i] - 2) * 3 * gamma[i] + beta[i], 1e-4f) << i;
}
TEST_F(RowOfFloats, Scale) {
    const auto before = x;
    row.scale(0.25f, channels(gamma));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], before[i] * 0.25f * gamma[i]) << i;
}
TEST_F(RowOfFloats, EachAndSoftmax) {
    row.each([](const auto& v) { return v * 4.f; });
    double sum = 0;
    const auto before = x;
    for (const double v : before) sum += std::exp(v);
    row.softmax();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], std::exp(double(before[i])) / sum, 1e-6) << i;
}

}  // namespace
