// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/exec/host.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace {
using namespace inlay_test;

// Two items of 2×3 pixels and four channels in two groups: the statistics of a channel are a mean and squares.
const auto stats = ramp(1, 1, 2, 4, 2);
const auto like = ramp(0, 0, 2, 2, 3, 4);
using Mean = GroupMean<Buf<0>, Buf<1>, 2>;
using Rstd = GroupRstd<Buf<0>, Buf<1>, 2, 0.5>;

TEST(GroupMoments, AreThoseOfEachChannelsGroup) {
    EXPECT_EQ(extents_of<Mean>(slots(stats, like)), (Extents<4>{{2, 1, 1, 4}}));
    const auto state = Mean::bind(slots(stats, like), stats.tensor.extents, like.tensor.extents);
    for (index_t c = 0; c < 8; ++c) {
        // Means are 1, 3, 5, …, squares 2, 4, 6, … of 6 pixels.
        const double a = static_cast<double>(c / 2 * 4 + 1), b = a + 2;
        const auto number = [&]<class N>(N) {
            return detail::group_number_at<double, N>(stats.tensor, state, c / 4, c % 4);
        };
        EXPECT_EQ(number(Mean()), (a + b) / 2);
        EXPECT_NEAR(number(Rstd()), 1 / std::sqrt(((a + 1) / 6 + (b + 1) / 6 + 1 + 1) / 2 + 0.5), 1e-14);
    }
}
TEST(GroupMoments, OfTheTensorThatTheyAreOf) {
    const auto other = ramp(0, 0, 2, 2, 3, 6), items = ramp(0, 0, 3, 2, 3, 4);
    const auto odd = ramp(0, 0, 2, 7);
    const auto of_odd = ramp(0, 0, 2, 7, 2);
    EXPECT_EQ(error_of([&] { extents_of<Mean>(slots(stats, other)); }),
              "inlay: the statistics of channels of [2, 2, 3, 6] have extents [2, 4, 2]: expected [2, 6, 2]");
    EXPECT_EQ(error_of([&] { extents_of<Mean>(slots(stats, items)); }),
              "inlay: the statistics of channels of [3, 2, 3, 4] have extents [2, 4, 2]: expected [3, 4, 2]");
    EXPECT_EQ(error_of([&] { extents_of<Mean>(slots(of_odd, odd)); }),
              "inlay: the 7 channels of [2, 7] are no multiple of 2 groups");
}

struct WithChannels : Elementwise<Buf<0>, WithStats<Store<0>, 1>> {};
struct Means : Elementwise<GroupMean<Buf<0>, Buf<1>, 4>> {};
struct Rstds : Elementwise<GroupRstd<Buf<0>, Buf<1>, 4, 1e-5>> {};
struct Normalised : Elementwise<Mul<Sub<Buf<0>, Buf<1>>, Buf<2>>> {};

/// In fp32 a mean of many deviations costs at most 1.25 times what x · a + b costs with exact moments.
TEST(GroupMoments, LargeMeansInFp32) {
    const index_t pixels = 70, channels = 20, width = 5;
    std::mt19937 random(7);
    std::normal_distribution<float> number;
    Host host(1);
    for (const double about : {16.0, 300.0, 1e4, 1e6}) {
        std::vector<float> x(static_cast<std::size_t>(pixels * channels)), copy(x.size()), y(x.size()), s(2 * channels),
            mean(channels), rstd(channels);
        for (float& v : x) v = static_cast<float>(about + number(random));
        const auto in = tensor(std::as_const(x).data(), 1, pixels, channels);
        prepare<WithChannels>(tensor(copy.data(), 1, pixels, channels), tensor(s.data(), 1, channels, 2), in).run(host);
        const auto of = tensor(std::as_const(s).data(), 1, channels, 2);
        prepare<Means>(tensor(mean.data(), 1, 1, channels), of, in).run(host);
        prepare<Rstds>(tensor(rstd.data(), 1, 1, channels), of, in).run(host);
        prepare<Normalised>(tensor(y.data(), 1, pixels, channels), in,
                            tensor(std::as_const(mean).data(), 1, 1, channels),
                            tensor(std::as_const(rstd).data(), 1, 1, channels))
            .run(host);
        double ours = 0, theirs = 0;
        for (index_t first = 0; first < channels; first += width) {
            const auto each = [&](auto f) {
                for (index_t i = 0; i < pixels; ++i)
                    for (index_t c = first; c < first + width; ++c) f(static_cast<std::size_t>(i * channels + c));
            };
            const double n = static_cast<double>(pixels * width);
            double m = 0, v = 0;
            each([&](std::size_t i) { m += x[i] / n; });
            each([&](std::size_t i) { v += (x[i] - m) * (x[i] - m) / n; });
            const double r = 1 / std::sqrt(v + 1e-5);
            const float a = static_cast<float>(r), b = static_cast<float>(-m * r);
            each([&](std::size_t i) {
                const double want = (x[i] - m) * r, plain = x[i] * a + b;
                ours += (y[i] - want) * (y[i] - want), theirs += (plain - want) * (plain - want);
            });
        }
        EXPECT_LE(std::sqrt(ours), 1.25 * std::sqrt(theirs)) << about;
    }
}

}  // namespace
