// SPDX-License-Identifier: Apache-2.0
/// Statistics of what was stored, where a block of pixels ends within the image.
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/statistics.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

using namespace inlay;

struct copied : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};

TEST(HostStatistics, OfEachChannel) {
    constexpr index_t items = 2, pixels = 70, channels = 5;
    std::vector<fp16> y(items * pixels * channels);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = fp16(std::cos(static_cast<float>(i)) + 3);
    std::vector<float> stats(items * channels * 2, NAN);
    const auto image = tensor(y.data(), items, pixels, channels);
    const auto k = prepare<copied>(image, tensor(stats.data(), items, channels, 2), image);
    on_host::Threads threads(2);
    on_host::Scratch workspace;
    on_host::publish_stats(threads, workspace, k.sink);
    for (index_t b = 0; b < items; ++b)
        for (index_t c = 0; c < channels; ++c) {
            const auto value = [&](index_t p) {
                return from_storage<double>(y[static_cast<std::size_t>((b * pixels + p) * channels + c)]);
            };
            double mean = 0, m2 = 0;
            for (index_t p = 0; p < pixels; ++p) mean += value(p) / pixels;
            for (index_t p = 0; p < pixels; ++p) m2 += std::pow(value(p) - mean, 2);
            const float* const s = &stats[static_cast<std::size_t>(b * channels + c) * 2];
            EXPECT_NEAR(s[0], mean, 1e-6) << b << ' ' << c;
            EXPECT_NEAR(s[1], m2, 1e-5 * m2) << b << ' ' << c;
        }
}

}  // namespace
