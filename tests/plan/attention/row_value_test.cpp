// SPDX-License-Identifier: Apache-2.0
#include <inlay/inlay.hpp>
#include <inlay/plan/attention/row_value.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace inlay;
namespace d = inlay::detail;

constexpr int ends[2][3] = {{4, 7, 11}, {5, 9, 2}};     // of 2 batch items, one head, 3 queries
const Env<4, 1, Tensor<const int, 4>> env{{Tensor<const int, 4>{&ends[0][0], {{2, 1, 3, 1}}, {{3, 3, 1, 1}}}},
                                          {Scalar(2.5)},
                                          {{2, 4, 3, 10}}};

template <class E>
double at(const ScoreRow& row) {
    return static_cast<double>(d::row_value<d::Number<E>, E>(env, row)) / static_cast<double>(d::scale_of<E>());
}

TEST(RowValue, IsThatOfTheRow) {
    for (index_t b = 0; b < 2; ++b)
        for (index_t h = 0; h < 4; ++h)
            for (index_t q = 0; q < 3; ++q) {
                const ScoreRow row{b, h, q};
                const auto query = static_cast<double>(q), head = static_cast<double>(h);
                const double slot = ends[b][q];
                EXPECT_EQ(at<Coord<2>>(row), query);
                EXPECT_EQ(at<Coord<-3>>(row), head);
                EXPECT_EQ(at<QueryPosition>(row), query + 7);   // 10 keys, 3 queries
                EXPECT_EQ(at<Buf<0>>(row), slot);
                EXPECT_EQ((at<Add<Buf<0>, Param<0>>>(row)), slot + 2.5);
                EXPECT_EQ((at<Sub<Div<QueryPosition, Const<4.0>>, Mul<Const<0.5>, Coord<1>>>>(row)),
                          (query + 7) / 4 - head / 2);
                EXPECT_EQ((at<Floor<Div<Neg<Coord<2>>, Const<2.0>>>>(row)), q == 0 ? 0 : -1);
                EXPECT_EQ((at<Max<Coord<1>, Min<Buf<0>, Const<5.0>>>>(row)), std::max(head, std::min(slot, 5.0)));
                EXPECT_EQ((at<Mul<Coord<1>, Coord<2>>>(row)), head * query);
            }
}
TEST(RowValue, DirectionsAlongQueriesAndHeads) {
    const auto along = [](auto e, int axis) { return d::direction<decltype(e)>(env, axis); };
    EXPECT_EQ(along(Coord<2>{}, 2), d::rises);
    EXPECT_EQ(along(Coord<2>{}, 1), d::constant_along);
    EXPECT_EQ(along(Sub<Const<3.0>, QueryPosition>{}, 2), d::falls);
    EXPECT_EQ(along(Mul<Const<-0.5>, Coord<1>>{}, 1), d::falls);
    EXPECT_EQ(along(Sub<Coord<2>, QueryPosition>{}, 2), d::any_way);
    EXPECT_EQ(along(Buf<0>{}, 2), d::any_way);
    EXPECT_EQ(along(Buf<0>{}, 1), d::constant_along);   // the slot has one head
    EXPECT_EQ(along(Ascending<Buf<0>>{}, 2), d::rises);
    EXPECT_EQ(along(Mul<Coord<2>, Coord<2>>{}, 2), d::any_way);
}

}  // namespace
