// SPDX-License-Identifier: Apache-2.0
#include <inlay/tile/host/norm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::on_host;

/// Channel c of pixel p of an item, about `mean`.
float value(index_t item, index_t pixel, index_t c, float mean) {
    return mean + std::sin(static_cast<float>(item * 1000 + pixel * 7 + c * 13));
}

// Blocks that are whole, ragged, and less than one; means that dwarf the deviation.
TEST(MomentBlocks, ChannelsAndGroups) {
    Threads threads(3);
    for (const index_t pixels : {1, 63, 64, 65, 300})
        for (const index_t channels : {1, host_lanes - 1, 2 * host_lanes + 3})
            for (const float mean : {0.f, 1000.f}) {
                const MomentBlocks blocks{2, pixels, channels};
                std::vector<float> partial(static_cast<std::size_t>(blocks.floats()), NAN);
                blocks.collect(threads, partial.data(), [&](index_t item, index_t pixel, float* row) {
                    for (index_t c = 0; c < channels; ++c) row[c] = value(item, pixel, c, mean);
                    return row;
                });
                for (const auto& [first, last] : {std::pair<index_t, index_t>{0, 1}, {channels / 2, channels}}) {
                    double sum = 0, m2 = 0;
                    const double n = static_cast<double>(pixels * (last - first));
                    const auto each = [&](auto f) {
                        for (index_t p = 0; p < pixels; ++p)
                            for (index_t c = first; c < last; ++c) f(static_cast<double>(value(1, p, c, mean)));
                    };
                    each([&](double x) { sum += x; });
                    each([&](double x) { m2 += (x - sum / n) * (x - sum / n); });
                    const Moments m = blocks.merged(partial.data(), 1, first, last);
                    EXPECT_EQ(m.count, pixels * (last - first));
                    EXPECT_NEAR(m.mean, sum / n, 1e-6 * (1 + std::abs(mean)));
                    EXPECT_NEAR(m.m2, m2, 2e-4 * n) << pixels << ' ' << channels << ' ' << mean;
                }
            }
}
TEST(MomentBlocks, NothingHasNoMoments) {
    const MomentBlocks blocks{1, 0, 4};
    EXPECT_EQ(blocks.blocks(), 0);
    EXPECT_EQ(blocks.merged(nullptr, 0, 0, 4).count, 0);
    EXPECT_EQ(blocks.merged(nullptr, 0, 0, 4).variance(), 0);
}

TEST(Normalise, EveryLane) {
    for (const index_t n : {1, host_lanes, host_lanes + 1, 3 * host_lanes - 1}) {
        std::vector<float> x, mean, scale, shift;
        for (index_t j = 0; j < n; ++j) {
            const auto f = static_cast<float>(j);
            x.push_back(f), mean.push_back(f / 2), scale.push_back(f + 1), shift.push_back(-f);
        }
        normalise(x.data(), x.data(), n, mean.data(), scale.data(), shift.data());
        for (index_t j = 0; j < n; ++j) {
            const auto f = static_cast<float>(j);
            EXPECT_FLOAT_EQ(x[static_cast<std::size_t>(j)], f / 2 * (f + 1) - f);
        }
    }
}

}  // namespace
