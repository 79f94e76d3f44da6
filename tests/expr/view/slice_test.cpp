// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <array>

namespace {
using namespace inlay_test;

const auto x = ramp(0, 1, 3, 4, 10);

/// Slice of axis a from s, n long, of x.
template <class E, class Environment>
void check(const Environment& env, int axis, int start, int size) {
    Extents<3> e = x.tensor.extents;
    e[axis] = size;
    EXPECT_EQ(extents_of<E>(env), e);
    const auto v = values<E>(env);
    for (index_t i = 0; i < count(e); ++i) {
        auto c = unravel(i, e);
        c[axis] += start;
        EXPECT_EQ(v[static_cast<std::size_t>(i)], x.at(c));
    }
}

TEST(Slice, OfAnyAxis) {
    check<Slice<Buf<0>, 0, 1, 2>>(slots(x), 0, 1, 2);
    check<Slice<Buf<0>, -2, 3, 1>>(slots(x), 1, 3, 1);
    check<Slice<Buf<0>, -1, 4, 6>>(slots(x), 2, 4, 6);
    check<SliceLast<Buf<0>, 0, 10>>(slots(x), 2, 0, 10);
    check<Slice<Buf<0>, 2, 10, 0>>(slots(x), 2, 10, 0);
}
TEST(Slice, BoundsAndAxisFromScalarSlots) {
    using E = Slice<Buf<0>, param<2>, param<0>, param<1>>;
    check<E>(slots_and<3>({Scalar(2.0), Scalar(7.0), Scalar(-1.0)}, x), 2, 2, 7);
    check<E>(slots_and<3>({Scalar(1.0), Scalar(1.0), Scalar(0.0)}, x), 0, 1, 1);
    check<E>(slots_and<3>({Scalar(0.0), Scalar(4.0), Scalar(1.0)}, x), 1, 0, 4);
}
TEST(Slice, AllOperandsOfASliceAreSliced) {
    const auto bias = ramp(100, 100, 10);
    const auto column = ramp(0.5, 0, 4, 1);
    const auto v = values<Slice<Add<Add<Buf<0>, Buf<1>>, Buf<2>>, -1, 8, 2>>(slots(x, bias, column));
    EXPECT_EQ(v[0], 8 + 900 + 0.5);
    EXPECT_EQ(v[1], 9 + 1000 + 0.5);
}
TEST(Slice, OutsideIsOneError) {
    EXPECT_EQ(error_of([&] { extents_of<Slice<Buf<0>, -1, 8, 3>>(slots(x)); }),
              "inlay: Slice<Buf<0>, -1, 8, 3>: [8, 11) is outside axis 2 of [3, 4, 10]");
    EXPECT_EQ(error_of([&] { extents_of<Slice<Buf<0>, 0, param<0>, 1>>(slots_and<1>({Scalar(-1.0)}, x)); }),
              "inlay: Slice<Buf<0>, 0, param<0>, 1>: takes 1 elements from -1, expected numbers that are not negative");
    using E = Slice<Buf<0>, param<0>, 0, 1>;
    EXPECT_EQ(error_of([&] { extents_of<E>(slots_and<1>({Scalar(3.0)}, x)); }),
              "inlay: Slice<Buf<0>, param<0>, 0, 1>: axis 3 does not exist in a tensor of rank 3");
}

}  // namespace
