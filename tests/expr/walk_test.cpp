// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

TEST(Walk, AnOperandSeesItsOwnAxes) {
    const Walk<3> w{{{4, 5, 6}}, 2, 10};
    const auto same = clamped_walk(w, Extents<2>{{8, 16}});
    EXPECT_EQ(same.c, (Extents<2>{{5, 6}}));
    EXPECT_EQ(same.axis, 1);
    EXPECT_EQ(same.run, 10);
    const auto pinned = clamped_walk(w, Extents<2>{{1, 1}});
    EXPECT_EQ(pinned.c, (Extents<2>{{0, 0}}));
    EXPECT_EQ(pinned.axis, -1);
    const auto none = clamped_walk(w, Extents<0>{});
    EXPECT_EQ(none.axis, -1);
    EXPECT_EQ(none.run, 10);
    EXPECT_EQ(clamped_walk(Walk<3>{{{4, 5, 6}}, 0, 10}, Extents<2>{{8, 16}}).axis, -1);
}

/// The number of steps from c on for which the walk of E stays affine.
template <class E, class Environment, int R>
index_t run(const Environment& env, const Extents<R>& c, index_t n) {
    const auto bound = bind<E>(env);
    CursorsOf<E, decltype(bound)> cursors;
    Walk<R> w{c, R - 1, n};
    cursors.place(bound, w, nullptr);
    return w.run;
}

TEST(Walk, RunsAreAsLongAsAViewAllows) {
    const auto x = ramp(0, 1, 4, 12), y = ramp(0, 1, 4, 5);
    const auto env = slots(x, y);
    EXPECT_EQ((run<Silu<Buf<0>>>(env, Extents<2>{{1, 0}}, 12)), 12);
    EXPECT_EQ((run<Slice<Buf<0>, -1, 2, 8>>(env, Extents<2>{{1, 0}}, 8)), 8);
    EXPECT_EQ((run<Permute<Buf<0>, 1, 0>>(env, Extents<2>{{1, 0}}, 4)), 4);
    EXPECT_EQ((run<Concat<-1, Buf<0>, Buf<1>>>(env, Extents<2>{{1, 3}}, 14)), 9);
    EXPECT_EQ((run<Concat<-1, Buf<0>, Buf<1>>>(env, Extents<2>{{1, 12}}, 5)), 5);
    EXPECT_EQ((run<Concat<0, Buf<0>, Buf<0>>>(env, Extents<2>{{1, 3}}, 9)), 9);
    EXPECT_EQ((run<Pad<Buf<0>, -1, 2, 3>>(env, Extents<2>{{1, 0}}, 17)), 2);
    EXPECT_EQ((run<Pad<Buf<0>, -1, 2, 3>>(env, Extents<2>{{1, 2}}, 15)), 12);
    EXPECT_EQ((run<Pad<Buf<0>, -1, 2, 3>>(env, Extents<2>{{1, 14}}, 3)), 3);
    EXPECT_EQ((run<Upsample<Buf<0>, 3, -1>>(env, Extents<2>{{1, 1}}, 30)), 2);
    EXPECT_EQ((run<Upsample<Buf<0>, 3, 0>>(env, Extents<2>{{1, 1}}, 11)), 11);
    EXPECT_EQ((run<Reshape<Buf<0>, 48>>(env, Extents<1>{{5}}, 43)), 7);
    EXPECT_EQ((run<Reshape<Buf<0>, 8, 6>>(env, Extents<2>{{3, 0}}, 6)), 6);
    // One short operand shortens the whole row's run, no more.
    EXPECT_EQ((run<Add<Concat<-1, Buf<0>, Buf<1>>, Const<1.0>>>(env, Extents<2>{{0, 0}}, 17)), 12);
}

}  // namespace
