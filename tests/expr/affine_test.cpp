// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/expr/affine.hpp>

namespace {
using namespace inlay_test;

/// The affine view of E holds what the oracle reads, everywhere.
template <class E, class Environment>
void expect_view(const Environment& env) {
    static_assert(is_affine<E>);
    const auto bound = bind<E>(env);
    const auto view = affine_view(bound);
    ASSERT_NE(view.data, nullptr) << name<E>();
    const auto e = extents_of<E>(env);
    for (index_t i = 0; i < count(e); ++i) {
        const auto c = unravel(i, e);
        index_t at = 0;
        for (int d = 0; d < e.rank; ++d) at += c[d] * view.strides[d];
        ASSERT_EQ(static_cast<double>(view.data[at]), (reference<E>(env, c))) << name<E>() << " at " << text(c);
    }
}
template <class E, class Environment>
void expect_none(const Environment& env) {
    EXPECT_EQ(affine_view(bind<E>(env)).data, nullptr) << name<E>();
}

TEST(Affine, ViewsOfABuffer) {
    const auto x = ramp(0, 1, 2, 5, 3, 4);
    const auto y = ramp(0, 1, 5, 1);
    const auto env = slots(x, y);
    expect_view<Buf<0>>(env);
    expect_view<Slice<Buf<0>, 1, 2, 3>>(env);
    expect_view<Permute<Buf<0>, 0, 2, 1, 3>>(env);
    expect_view<Transpose<Slice<Buf<0>, -1, 1, 2>, 0, -1>>(env);
    expect_view<Broadcast<Slice<Buf<0>, 1, 4, 1>, Buf<0>>>(env);
    expect_view<Broadcast<Slice<Buf<1>, 0, 1, 1>, Buf<0>>>(env);
    const auto run_time = slots_and<2>({Scalar(1.0), Scalar(3.0)}, x);
    expect_view<Slice<Buf<0>, param<0>, param<0>, param<1>>>(run_time);
}

TEST(Affine, ReshapesThatCrossNoGap) {
    const auto x = ramp(0, 1, 2, 5, 3, 4), one = ramp(0, 1, 2, 1, 5, 1);
    const auto env = slots(x, one);
    expect_view<Reshape<Buf<0>, 10, 12>>(env);
    expect_view<Reshape<Buf<0>, 5, 2, 1, 4, 3>>(env);
    expect_view<Reshape<Slice<Buf<0>, 0, 1, 1>, 60>>(env);
    expect_view<Reshape<Slice<Buf<0>, 2, 1, 1>, 2, 5, 2, 2>>(env);
    expect_view<Reshape<Slice<Buf<0>, 2, 1, 1>, 10, 4>>(env);  // batch and rows lie in each other
    expect_view<Reshape<Permute<Buf<0>, 1, 0, 2, 3>, 5, 2, 12>>(env);
    expect_view<Reshape<Buf<1>, 1, 10>>(env);
    expect_view<Permute<Reshape<Slice<Buf<0>, 2, 2, 1>, 2, 5, 2, 2>, 0, 2, 1, 3>>(env);
    expect_none<Reshape<Slice<Buf<0>, 2, 1, 1>, 2, 20>>(env);
    expect_none<Reshape<Slice<Buf<0>, -1, 0, 3>, 10, 9>>(env);
    expect_none<Reshape<Permute<Buf<0>, 1, 0, 2, 3>, 10, 12>>(env);
    expect_none<Slice<Reshape<Permute<Buf<0>, 1, 0, 2, 3>, 10, 12>, 0, 1, 2>>(env);
}

TEST(Affine, WhatIsNoViewIsNone) {
    static_assert(!is_affine<Silu<Buf<0>>> && !is_affine<Slice<Silu<Buf<0>>, 0, 0, 1>>);
    static_assert(!is_affine<Concat<0, Buf<0>, Buf<1>>> && !is_affine<Upsample<Buf<0>, 2, 1, 2>>);
}

}  // namespace
