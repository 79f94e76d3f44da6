// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/rows.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

std::vector<float> normal(index_t n, float mean, float deviation) {
    std::mt19937 g(7);
    std::normal_distribution<float> d(mean, deviation);
    std::vector<float> v(static_cast<std::size_t>(n));
    for (float& x : v) x = d(g);
    return v;
}

TEST(Rows, SumAndMaximum) {
    for (const index_t n : {0, 1, 3, 15, 16, 17, 64, 77, 1000, 4096, 40961}) {
        const auto v = normal(n, 0.3f, 1);
        double sum = 0, size = 0;
        float most = -std::numeric_limits<float>::infinity();
        for (const float x : v) sum += double(x), size += std::fabs(double(x)), most = std::max(most, x);
        EXPECT_NEAR(row_sum(v.data(), n), sum, 1e-6 * size);
        EXPECT_EQ(row_max(v.data(), n), most);
    }
}

TEST(Rows, MomentsAreStableForLargeMeans) {
    for (const float mean : {0.f, 10.f, 1e4f, -1e6f})
        for (const index_t n : {1, 2, 17, 320, 5000, 100000}) {
            const auto v = normal(n, mean, 1);
            double m = 0, m2 = 0;
            for (const float x : v) m += double(x);
            m /= double(n);
            for (const float x : v) m2 += (double(x) - m) * (double(x) - m);
            const Moments r = row_moments(v.data(), n);
            EXPECT_EQ(r.count, n);
            EXPECT_NEAR(r.mean, m, 1e-7 * std::fabs(m) + 1e-6);
            EXPECT_NEAR(r.m2, m2, 2e-6 * m2 + 1e-12) << mean << ' ' << n;
        }
}

TEST(Rows, MergeIsThatOfTheWhole) {
    const auto v = normal(3000, 500, 2);
    const Moments all = row_moments(v.data(), 3000);
    const Moments parts = merge(merge(row_moments(v.data(), 100), row_moments(v.data() + 100, 2000)),
                                merge(Moments{}, row_moments(v.data() + 2100, 900)));
    EXPECT_EQ(parts.count, all.count);
    EXPECT_NEAR(parts.mean, all.mean, 1e-9 * all.mean);
    EXPECT_NEAR(parts.variance(), all.variance(), 1e-6 * all.variance());
}

TEST(Rows, ConstantRowsHaveNoVariance) {
    const std::vector<float> v(777, 12345.678f);
    EXPECT_EQ(row_moments(v.data(), 777).m2, 0);
    EXPECT_EQ(row_moments(v.data(), 777).mean, double(v[0]));
}

TEST(Rows, NanAndInfinityPassThrough) {
    for (const std::size_t at : {0u, 5u, 16u, 40u, 76u}) {
        auto v = normal(77, 0, 1);
        v[at] = std::numeric_limits<float>::quiet_NaN();
        EXPECT_TRUE(std::isnan(row_sum(v.data(), 77)));
        EXPECT_TRUE(std::isnan(row_max(v.data(), 77)));
        EXPECT_TRUE(std::isnan(row_moments(v.data(), 77).mean));
        EXPECT_TRUE(std::isnan(row_moments(v.data(), 77).m2));
        v[at] = std::numeric_limits<float>::infinity();
        EXPECT_EQ(row_max(v.data(), 77), v[at]);
        EXPECT_EQ(row_moments(v.data(), 77).mean, v[at]);
        EXPECT_TRUE(std::isnan(row_moments(v.data(), 77).m2));
    }
}

}  // namespace
