// SPDX-License-Identifier: Apache-2.0
/// Evaluations of a shared subtree: once for each coordinate, below views too.
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

long evaluations = 0;

template <class E>
struct Counted : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        ++evaluations;
        return x + T(1);
    }
};
template <class P, int N>
struct nested {
    using type = Add<Counted<typename nested<P, N - 1>::type>, typename nested<P, N - 1>::type>;
};
template <class P>
struct nested<P, 0> {
    using type = P;
};
using Shared = Counted<Buf<0>>;

/// Evaluations of Counted at one coordinate of E.
template <class E, class Environment, int R>
long at(const Environment& env, const Extents<R>& c) {
    const auto bound = bind<E>(env);
    evaluations = 0;
    const float x = value_at<float>(bound, c);
    const long n = evaluations;
    EXPECT_FLOAT_EQ(x, static_cast<float>(reference<E>(env, c)));
    return n;
}

const auto x = ramp(0, 1, 4, 6);

TEST(Eval, NestedSharing) {
    EXPECT_EQ((at<nested<Buf<0>, 6>::type>(slots(x), Extents<2>{{1, 2}})), 6);  // not 63
}
TEST(Eval, SharingBelowViews) {
    const Extents<2> c{{1, 2}};
    const auto env = slots(x);
    EXPECT_EQ((at<Mul<Shared, Shared>>(env, c)), 1);
    EXPECT_EQ((at<Slice<nested<Buf<0>, 3>::type, -1, 1, 4>>(env, c)), 3);
    EXPECT_EQ((at<Permute<Mul<Shared, Silu<Shared>>, 1, 0>>(env, Extents<2>{{2, 1}})), 1);
    EXPECT_EQ((at<Add<Slice<Shared, -1, 1, 4>, Neg<Slice<Shared, -1, 1, 4>>>>(env, c)), 1);
    EXPECT_EQ((at<Add<Slice<Shared, -1, 1, 4>, Slice<Shared, -1, 2, 4>>>(env, c)), 2);  // two coordinates
    EXPECT_EQ((at<Mul<Upsample<Shared, 2, -1>, Upsample<Shared, 2, -1>>>(env, c)), 1);
    EXPECT_EQ((at<Mul<Reshape<Shared, 24>, Reshape<Shared, 24>>>(env, Extents<1>{{7}})), 1);
}
TEST(Eval, SharingInPieces) {
    const auto env = slots(x);
    using Joined = Concat<-1, Mul<Shared, Shared>, Neg<Shared>>;
    EXPECT_EQ((at<Joined>(env, Extents<2>{{1, 2}})), 1);
    EXPECT_EQ((at<Joined>(env, Extents<2>{{1, 8}})), 1);
    EXPECT_EQ((at<Mul<Joined, Joined>>(env, Extents<2>{{1, 8}})), 1);
    using Padded = Pad<Shared, -1, 2, 2>;
    EXPECT_EQ((at<Padded>(env, Extents<2>{{1, 0}})), 0);  // the fill costs nothing
    EXPECT_EQ((at<Add<Padded, Padded>>(env, Extents<2>{{1, 3}})), 1);
}
TEST(Eval, OnceForEachVectorOfARow) {
    const auto wide = ramp(0, 0.5, 3 * host_lanes);
    const auto bound = bind<nested<Buf<0>, 6>::type>(slots(wide));
    std::vector<float> to(static_cast<std::size_t>(3 * host_lanes));
    evaluations = 0;
    on_host::evaluate_row(bound, Extents<1>{{0}}, 3 * host_lanes, to.data());
    EXPECT_EQ(evaluations, 6 * 3);
    evaluations = 0;
    on_host::evaluate_row(bound, Extents<1>{{1}}, host_lanes + 1, to.data());
    EXPECT_EQ(evaluations, 6 * 2);
}

}  // namespace
