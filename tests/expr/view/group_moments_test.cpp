// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <cmath>

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

}  // namespace
