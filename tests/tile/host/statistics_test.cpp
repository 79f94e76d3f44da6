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

/// Of an image whose channels follow each other, or lie `step` apart, about a mean: the largest error of a mean, and of
/// squared deviations beside them.
template <class T>
void expect_statistics(index_t step, double about, double mean_error, double m2_error) {
    constexpr index_t items = 2, pixels = 70, channels = 37;
    std::vector<T> y(static_cast<std::size_t>(items * pixels * channels * step));
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = to_storage<T>(std::cos(static_cast<double>(i * 2654435761u % 1021)) + about);
    std::vector<float> stats(items * channels * 2, NAN);
    auto image = tensor(y.data(), items, pixels, channels);
    image.strides = {{pixels * channels * step, channels * step, step}};
    const auto k = prepare<copied>(image, tensor(stats.data(), items, channels, 2), image);
    on_host::Threads threads(2);
    on_host::Scratch workspace;
    on_host::publish_stats(threads, workspace, k.sink);
    for (index_t b = 0; b < items; ++b)
        for (index_t c = 0; c < channels; ++c) {
            const auto value = [&](index_t p) {
                return from_storage<double>(y[static_cast<std::size_t>(((b * pixels + p) * channels + c) * step)]);
            };
            double mean = 0, m2 = 0;
            for (index_t p = 0; p < pixels; ++p) mean += value(p) / pixels;
            for (index_t p = 0; p < pixels; ++p) m2 += std::pow(value(p) - mean, 2);
            const float* const s = &stats[static_cast<std::size_t>(b * channels + c) * 2];
            EXPECT_NEAR(s[0], mean, mean_error) << b << ' ' << c;
            EXPECT_NEAR(s[1], m2, m2_error * m2) << b << ' ' << c;
        }
    // The blocks, and so the bits, are the same on any number of threads.
    std::vector<float> again(stats.size());
    const auto one = prepare<copied>(image, tensor(again.data(), items, channels, 2), image);
    on_host::Threads alone(1);
    on_host::publish_stats(alone, workspace, one.sink);
    EXPECT_EQ(stats, again);
}

TEST(HostStatistics, OfEachChannel) {
    expect_statistics<fp16>(1, 3, 1e-6, 1e-5);
    expect_statistics<float>(1, 0, 1e-7, 1e-6);
    expect_statistics<float>(3, 3, 1e-6, 1e-6);
}
/// Means are rounded once; deviations about a block's first pixel are those of numbers as they are stored.
TEST(HostStatistics, OfLargeMeans) {
    expect_statistics<float>(1, 1e4, 1e-3, 1e-6);
    expect_statistics<float>(1, 1e6, 1e-1, 1e-6);
}
/// A channel's first pixel may be far from the others.
TEST(HostStatistics, OfAFirstPixelThatIsFarOff) {
    constexpr index_t pixels = 64, channels = 16;
    std::vector<float> y(pixels * channels), stats(channels * 2);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = i < channels ? 1e4f : std::cos(static_cast<float>(i));
    const auto image = tensor(y.data(), 1, pixels, channels);
    const auto k = prepare<copied>(image, tensor(stats.data(), 1, channels, 2), image);
    on_host::Threads threads(1);
    on_host::Scratch workspace;
    on_host::publish_stats(threads, workspace, k.sink);
    for (std::size_t c = 0; c < channels; ++c) {
        double mean = 0, m2 = 0;
        for (std::size_t p = 0; p < pixels; ++p) mean += y[p * channels + c] / double(pixels);
        for (std::size_t p = 0; p < pixels; ++p) m2 += std::pow(y[p * channels + c] - mean, 2);
        EXPECT_NEAR(stats[2 * c], mean, 2e-7 * std::sqrt(m2 / pixels));
        EXPECT_NEAR(stats[2 * c + 1], m2, 1e-6 * m2);
    }
}

}  // namespace
