// SPDX-License-Identifier: Apache-2.0
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/leaves.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/slice.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

/// The leaves, and their places.
struct Seen {
    std::vector<int> number;
    std::vector<const float*> at;
    int coordinates = 0;

    template <int I, class T>
    void leaf(detail::row_cursor<T>& c) {
        number.push_back(I);
        at.push_back(c.p);
    }
    void coordinate(detail::coord_cursor&) { ++coordinates; }
};

template <class E>
Seen seen(index_t column) {
    static const float x[2][8] = {}, y[2][8] = {};
    const Env<-1, 0, Tensor<const float, 2>, Tensor<const float, 2>> env{
        make_pack(Tensor<const float, 2>(&x[0][0], {{2, 8}}), Tensor<const float, 2>(&y[0][0], {{2, 8}})), {}, {}};
    const auto bound = bind<E>(env);
    CursorsOf<E, std::remove_cvref_t<decltype(bound)>, float> cursors;
    Walk<2> walk{{{1, column}}, 1, 1};
    cursors.place(bound, walk, nullptr);
    Seen s;
    detail::each_leaf<0>(cursors, s);
    return s;
}
template <class E>
constexpr int leaves() {
    using Bind = Bound<E, Env<-1, 0, Tensor<const float, 2>, Tensor<const float, 2>>>;
    return detail::leaves_of<CursorsOf<E, Bind, float>>;
}

TEST(Leaves, AreNumberedInTheOrderOfTheirValues) {
    EXPECT_EQ((seen<Add<Silu<Buf<0>>, Buf<1>>>(0).number), (std::vector<int>{0, 1}));
    static_assert(leaves<Add<Silu<Buf<0>>, Buf<1>>>() == 2);
}
TEST(Leaves, OneThatIsReadTwiceIsOne) {
    EXPECT_EQ((seen<Mul<Buf<0>, Silu<Buf<0>>>>(0).number.size()), 1u);
    // Two places of a tensor are two.
    EXPECT_EQ((seen<Mul<Slice<Buf<0>, -1, 0, 4>, Slice<Buf<0>, -1, 4, 4>>>(0).number), (std::vector<int>{0, 1}));
}
TEST(Leaves, OfAConcatOneIsReadAtOnce) {
    using Joined = Mul<node::Concat<-1, Buf<0>, Buf<1>>, Buf<0>>;
    using Wide = node::Concat<-1, Buf<0>, Buf<1>>;
    static_assert(leaves<Wide>() == 1);
    EXPECT_EQ(seen<Wide>(3).number, (std::vector<int>{0}));
    EXPECT_EQ(seen<Wide>(11).number, (std::vector<int>{0}));
    EXPECT_NE(seen<Wide>(3).at, seen<Wide>(11).at);
    static_assert(leaves<Joined>() == 2);
}
TEST(Leaves, CoordinatesAreNone) {
    const Seen s = seen<Add<Buf<0>, Coord<-1>>>(2);
    EXPECT_EQ(s.number.size(), 1u);
    EXPECT_EQ(s.coordinates, 1);
    static_assert(leaves<Add<Buf<0>, Coord<-1>>>() == 1);
}

}  // namespace
