// SPDX-License-Identifier: Apache-2.0
/// The oracle against loops written out by hand: it is what every other test is compared with.
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

/// True if E is f at every coordinate of the extents e.
template <class E, int R, class Environment, class F>
void is(const Environment& env, const Extents<R>& e, F f) {
    ASSERT_EQ(extents_of<E>(env), e) << name<E>();
    for (index_t i = 0; i < count(e); ++i) {
        const auto c = unravel(i, e);
        EXPECT_EQ(reference<E>(env, c), f(c.v)) << name<E>() << " at " << text(c);
    }
}

const auto x = ramp<double>(0.5, 1, 2, 3, 4);
double X(index_t i, index_t j, index_t k) { return 0.5 + static_cast<double>((i * 3 + j) * 4 + k); }
using C = const index_t*;

TEST(Reference, LeavesInDouble) {
    const auto env = slots_and<1>({{1.0 / 3}}, x);
    EXPECT_EQ((reference<Const<0.1>>(env, Extents<3>{})), 0.1);
    EXPECT_EQ((reference<Param<0>>(env, Extents<3>{})), 1.0 / 3);  // no float between
    EXPECT_EQ((reference<Out>(env, Extents<3>{}, 0.7)), 0.7);
    EXPECT_EQ((reference<Coord<-1>>(env, Extents<3>{{4, 5, 6}})), 6);
    EXPECT_EQ((reference<Coord<1>>(env, Extents<3>{{4, 5, 6}})), 5);
    is<Buf<0>>(env, x.tensor.extents, [](C c) { return X(c[0], c[1], c[2]); });
}
TEST(Reference, ReadsTheStoredValue) {
    const auto h = ramp<fp16>(0.1, 0, 3);
    EXPECT_EQ((reference<Buf<0>>(slots(h), Extents<1>{{1}})), 0.0999755859375);
}
TEST(Reference, BroadcastsAsNumPy) {
    const auto row = ramp<double>(10, 10, 4), one = ramp<double>(7, 0, 1);
    const auto column = ramp<double>(100, 100, 3, 1);
    is<Add<Buf<0>, Buf<1>>>(slots(x, row), x.tensor.extents,
                            [](C c) { return X(c[0], c[1], c[2]) + 10 * (static_cast<double>(c[2]) + 1); });
    is<Mul<Buf<1>, Buf<0>>>(slots(x, column), x.tensor.extents,
                            [](C c) { return X(c[0], c[1], c[2]) * 100 * (static_cast<double>(c[1]) + 1); });
    is<Add<Buf<0>, Buf<1>>>(slots(row, column), Extents<2>{{3, 4}}, [](C c) {
        return 10 * (static_cast<double>(c[1]) + 1) + 100 * (static_cast<double>(c[0]) + 1);
    });
    is<Broadcast<Buf<1>, Buf<0>>>(slots(x, one), x.tensor.extents, [](C) { return 7.0; });
}
TEST(Reference, PointwiseInTheOrderOfItsOperands) {
    is<Sub<Buf<0>, Mul<Buf<0>, Const<2.0>>>>(slots(x), x.tensor.extents, [](C c) { return -X(c[0], c[1], c[2]); });
    EXPECT_EQ((reference<Add<Out, Buf<0>>>(slots(x), Extents<3>{{1, 2, 3}}, 100.0)), 100 + X(1, 2, 3));
}

TEST(Reference, AffineViews) {
    const auto env = slots(x);
    is<Permute<Buf<0>, 2, 0, 1>>(env, Extents<3>{{4, 2, 3}}, [](C c) { return X(c[1], c[2], c[0]); });
    is<Transpose<Buf<0>, 0, -1>>(env, Extents<3>{{4, 3, 2}}, [](C c) { return X(c[2], c[1], c[0]); });
    is<Slice<Buf<0>, -1, 1, 2>>(env, Extents<3>{{2, 3, 2}}, [](C c) { return X(c[0], c[1], c[2] + 1); });
    is<Slice<Buf<0>, 0, 1, 1>>(env, Extents<3>{{1, 3, 4}}, [](C c) { return X(1, c[1], c[2]); });
    is<Reshape<Buf<0>, 6, -1>>(env, Extents<2>{{6, 4}}, [](C c) { return X(c[0] / 3, c[0] % 3, c[1]); });
    is<Reshape<Buf<0>, 2, 2, 6>>(env, Extents<3>{{2, 2, 6}}, [](C c) {
        const index_t i = c[1] * 6 + c[2];
        return X(c[0], i / 4, i % 4);
    });
}
TEST(Reference, PiecesOfAnAxis) {
    const auto y = ramp<double>(-100, 1, 2, 1, 4), none = ramp<double>(0, 0, 2, 0, 4);
    const auto env = slots(x, y, none);
    is<Concat<1, Buf<0>, Buf<2>, Buf<1>>>(env, Extents<3>{{2, 4, 4}}, [&](C c) {
        return c[1] < 3 ? X(c[0], c[1], c[2]) : y.at({{c[0], 0, c[2]}});
    });
    is<Pad<Buf<0>, 1, 2, 1, 9.0>>(slots(x), Extents<3>{{2, 6, 4}},
                                  [](C c) { return c[1] < 2 || c[1] == 5 ? 9.0 : X(c[0], c[1] - 2, c[2]); });
}
TEST(Reference, EnlargedAxes) {
    const auto env = slots(x);
    is<Upsample<Buf<0>, 2, 0, 1>>(env, Extents<3>{{4, 6, 4}}, [](C c) { return X(c[0] / 2, c[1] / 2, c[2]); });
    is<Dilate<Buf<0>, 3, -1>>(env, Extents<3>{{2, 3, 10}},
                              [](C c) { return c[2] % 3 ? 0.0 : X(c[0], c[1], c[2] / 3); });
}
TEST(Reference, WindowsOfAnImage) {
    const auto image = ramp<double>(1, 1, 2, 4, 5, 3);
    const auto at = [](index_t b, index_t r, index_t s, index_t c) {
        return r < 0 || r >= 4 || s < 0 || s >= 5 ? 0.0 : 1 + static_cast<double>(((b * 4 + r) * 5 + s) * 3 + c);
    };
    is<Im2col<Buf<0>, 3, 3, 2, 1, 1>>(slots(image), Extents<4>{{2, 2, 3, 27}}, [&](C c) {
        const index_t tap = c[3] / 3;
        return at(c[0], 2 * c[1] + tap / 3 - 1, 2 * c[2] + tap % 3 - 1, c[3] % 3);
    });
}
TEST(Reference, ReadsPagesByTheirTable) {
    const auto table = Data<std::int32_t, 2>({{2, 2}}, {2, 0, -5, 99});
    const auto pool = ramp<double>(0, 1, 3, 4, 2, 5);
    const index_t page[2][2] = {{2, 0}, {0, 2}};
    is<Paged<Buf<0>, Buf<1>>>(slots(pool, table), Extents<4>{{2, 2, 8, 5}}, [&](C c) {
        return static_cast<double>(((page[c[0]][c[2] / 4] * 4 + c[2] % 4) * 2 + c[1]) * 5 + c[3]);
    });
}
TEST(Reference, GathersRowsAndClampsTheirNumbers) {
    const auto index = Data<std::int32_t, 2>({{2, 2}}, {2, 0, -5, 99});
    const auto table = ramp<double>(0, 1, 3, 4);
    const index_t row[2][2] = {{2, 0}, {0, 2}};
    is<Gather<Buf<0>, Buf<1>, 0>>(slots(table, index), Extents<3>{{2, 2, 4}}, [&](C c) {
        return static_cast<double>(row[c[0]][c[1]] * 4 + c[2]);
    });
    is<Gather<Buf<0>, Buf<1>, 1>>(slots(table, index), Extents<3>{{3, 2, 2}}, [&](C c) {
        const index_t column[2][2] = {{2, 0}, {0, 3}};
        return static_cast<double>(c[0] * 4 + column[c[1]][c[2]]);
    });
}
// Views of expressions of views.
TEST(Reference, Nests) {
    is<Permute<Add<Slice<Buf<0>, 2, 0, 2>, Slice<Buf<0>, 2, 2, 2>>, 0, 2, 1>>(
        slots(x), Extents<3>{{2, 2, 3}}, [](C c) { return X(c[0], c[2], c[1]) + X(c[0], c[2], c[1] + 2); });
}

}  // namespace
