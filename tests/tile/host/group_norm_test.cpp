// SPDX-License-Identifier: Apache-2.0
/// The loops, called as the target calls them, about zero and where the mean dwarfs the deviation. The frame is tested
/// in tests/frame.
#include <inlay/exec/prepare.hpp>
#include <inlay/inlay.hpp>
#include <inlay/tile/host/group_norm.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <vector>

namespace {

using namespace inlay;

constexpr index_t items = 2, pixels = 67, channels = 12, groups = 3, width = channels / groups;
constexpr double eps = 1e-5;

struct normed : GroupNorm<groups, Buf<0>, Add<Out, Const<1.0>>> {};

std::size_t index_of(index_t b, index_t p, index_t c) {
    return static_cast<std::size_t>((b * pixels + p) * channels + c);
}
std::vector<double> expected(const std::vector<float>& x, const std::vector<float>& gamma,
                             const std::vector<float>& beta) {
    std::vector<double> y(x.size());
    for (index_t b = 0; b < items; ++b)
        for (index_t g = 0; g < groups; ++g) {
            const auto each = [&](auto f) {
                for (index_t p = 0; p < pixels; ++p)
                    for (index_t c = g * width; c < (g + 1) * width; ++c)
                        f(index_of(b, p, c), static_cast<std::size_t>(c));
            };
            double mean = 0, m2 = 0;
            each([&](std::size_t i, std::size_t) { mean += double(x[i]) / (pixels * width); });
            each([&](std::size_t i, std::size_t) { m2 += std::pow(double(x[i]) - mean, 2); });
            const double rstd = 1 / std::sqrt(m2 / (pixels * width) + eps);
            each([&](std::size_t i, std::size_t c) {
                y[i] = (double(x[i]) - mean) * rstd * double(gamma[c]) + double(beta[c]) + 1;
            });
        }
    return y;
}

TEST(HostGroupNorm, MeansSmallAndLarge) {
    on_host::Threads threads(3);
    on_host::Scratch workspace;
    std::vector<float> gamma, beta;
    for (index_t c = 0; c < channels; ++c) {
        gamma.push_back(1 + static_cast<float>(c) / 8);
        beta.push_back(static_cast<float>(c) - 5);
    }
    for (const float mean : {0.f, 1.f, 1e4f}) {
        std::vector<float> x(index_of(items, 0, 0)), y(x.size(), NAN);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = mean + std::sin(static_cast<float>(i));
        const auto k = prepare<normed>(tensor(y.data(), items, pixels, channels), tensor(gamma.data(), channels),
                                       tensor(beta.data(), channels), tensor(x.data(), items, pixels, channels));
        on_host::group_norm<groups>(threads, workspace, Extents<3>{{items, pixels, channels}}, eps, get<0>(k.weights),
                                    get<1>(k.weights), get<0>(k.in), k.epilogue, k.sink);
        const std::vector<double> want = expected(x, gamma, beta);
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], want[i], 1e-5) << mean << ' ' << i;
    }
}

// Rows that lie as floats are read in place, others are evaluated: the same bits, by any number of threads.
TEST(HostGroupNorm, InPlaceOrEvaluated) {
    struct evaluated : GroupNorm<groups, Neg<Buf<0>>> {};
    struct in_place : GroupNorm<groups> {};
    on_host::Scratch workspace;
    const std::vector<float> gamma(channels, 1.5f), beta(channels, -1);
    for (const float mean : {0.f, 1e4f}) {
        std::vector<float> x(index_of(items, 0, 0)), minus(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) minus[i] = -(x[i] = mean + std::sin(static_cast<float>(i)));
        const auto result = [&]<class Norm>(std::type_identity<Norm>, std::vector<float>& from, int n) {
            on_host::Threads threads(n);
            std::vector<float> y(x.size(), NAN);
            const auto k = prepare<Norm>(tensor(y.data(), items, pixels, channels), tensor(gamma.data(), channels),
                                         tensor(beta.data(), channels), tensor(from.data(), items, pixels, channels));
            on_host::group_norm<groups>(threads, workspace, Extents<3>{{items, pixels, channels}}, eps,
                                        get<0>(k.weights), get<1>(k.weights), get<0>(k.in), k.epilogue, k.sink);
            return y;
        };
        const std::vector<float> kept = x, y = result(std::type_identity<in_place>{}, x, 1);
        EXPECT_EQ(y, result(std::type_identity<evaluated>{}, minus, 1));
        EXPECT_EQ(y, result(std::type_identity<in_place>{}, x, 16));
        EXPECT_EQ(x, kept);
    }
}

/// A group whose mean dwarfs its deviation is read once more; the others keep their bits.
TEST(HostGroupNorm, GroupsDoNotDependOnOthers) {
    on_host::Threads threads(3);
    on_host::Scratch workspace;
    const std::vector<float> gamma(channels, 1), beta(channels, 0);
    const auto result = [&](float mean) {
        std::vector<float> x(index_of(items, 0, 0)), y(x.size(), NAN);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
        for (index_t p = 0; p < pixels; ++p)
            for (index_t c = 0; c < width; ++c) x[index_of(1, p, c)] += mean;
        const auto k = prepare<normed>(tensor(y.data(), items, pixels, channels), tensor(gamma.data(), channels),
                                       tensor(beta.data(), channels), tensor(x.data(), items, pixels, channels));
        on_host::group_norm<groups>(threads, workspace, Extents<3>{{items, pixels, channels}}, eps, get<0>(k.weights),
                                    get<1>(k.weights), get<0>(k.in), k.epilogue, k.sink);
        return y;
    };
    const std::vector<float> without = result(0), with = result(1e4f);
    for (index_t b = 0; b < items; ++b)
        for (index_t p = 0; p < pixels; ++p)
            for (index_t c = b == 0 ? 0 : width; c < channels; ++c)
                ASSERT_EQ(with[index_of(b, p, c)], without[index_of(b, p, c)]) << b << ' ' << p << ' ' << c;
}

}  // namespace
