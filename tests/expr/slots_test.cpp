// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

TEST(Slots, AreCountedOverTheWholeKernel) {
    using S = Slots<Add<Buf<0>, Mul<Buf<2>, Param<1>>>, Add<Out, Buf<1>>, Partition<-1, Store<0>, Store<1>>>;
    EXPECT_EQ(S::tensors, 3);
    EXPECT_EQ(S::outputs, 2);
    EXPECT_EQ(S::scalars, 2);
    EXPECT_TRUE(S::counts::dense);
    EXPECT_TRUE(S::counts::uses_out);
    EXPECT_TRUE(S::counts::empty_types);
}
TEST(Slots, AGapIsSeen) {
    EXPECT_FALSE((Slots<Add<Buf<0>, Buf<2>>>::counts::dense));
    EXPECT_FALSE((Slots<Buf<0>, Store<1>>::counts::dense));
    EXPECT_TRUE((Slots<Buf<1>, Buf<0>>::counts::dense));
}
TEST(Slots, ScalarsAsStaticArgumentsCount) {
    EXPECT_EQ((Slots<Slice<Buf<0>, -1, param<0>, param<4>>>::scalars), 5);
    EXPECT_EQ((Slots<Slice<Buf<0>, param<2>, 0, 1>>::scalars), 3);
    EXPECT_EQ((Slots<Reshape<Buf<0>, -1, param<1>>>::scalars), 2);
    EXPECT_EQ((Slots<Concat<param<0>, Buf<0>, Buf<0>>>::scalars), 1);
    EXPECT_EQ((Slots<Pad<Buf<0>, 0, 1, param<3>>>::scalars), 4);
    EXPECT_EQ((Slots<Slice<Buf<0>, -1, 0, 1>>::scalars), 0);
}
TEST(Slots, StatisticsAreAnOutput) {
    EXPECT_EQ((Slots<WithStats<Store<0>, 1>>::outputs), 2);
}

}  // namespace
