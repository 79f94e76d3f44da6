// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/score_value.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(ScoreLeaves, AreThoseOfTheirCoordinates) {
    const float slopes[4] = {1, 0.5f, 0.25f, 0.125f};       // [4, 1, 1]: of heads
    const Env<4, 1, Tensor<const float, 3>> env{{Tensor<const float, 3>{slopes, {{4, 1, 1}}, {{1, 1, 1}}}},
                                                {Scalar(1.5)},
                                                {{2, 4, 3, 10}}};
    const ScoreLeaves<double, decltype(env)> leaves{env, {1, 2, 0}, 8, 0.75};
    EXPECT_EQ(leaves(Out{}), 0.75);
    EXPECT_EQ(leaves(Coord<0>{}), 1);
    EXPECT_EQ(leaves(Coord<1>{}), 2);
    EXPECT_EQ(leaves(Coord<2>{}), 0);
    EXPECT_EQ(leaves(Coord<3>{}), 8);
    EXPECT_EQ(leaves(Coord<-1>{}), 8);
    EXPECT_EQ(leaves(QueryPosition{}), 7);
    EXPECT_EQ(leaves(Param<0>{}), 1.5);
    EXPECT_EQ(leaves(Buf<0>{}), 0.25);
    // ALiBi at this score, as `evaluate` takes the leaves.
    EXPECT_EQ((online::evaluate<Sub<Out, Mul<Buf<0>, Sub<QueryPosition, Coord<3>>>>, double>(leaves)),
              0.75 - 0.25 * (7 - 8));
}

}  // namespace
