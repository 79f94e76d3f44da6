// SPDX-License-Identifier: Apache-2.0
/// Operands of several storage types are multiplied in fp32: nothing is rounded to the type of another operand.
#include "check.hpp"

#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/conv_transpose2d.hpp>
#include <inlay/frame/linear.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

using Evaluated = Mul<Buf<0>, Const<0.75>>;
struct copied : Linear<Buf<0>> {};
struct evaluated : Linear<Evaluated> {};
struct tiled : Linear<Buf<0>, Out, Store<0>, Small> {};
struct tiled_parts : Linear<Evaluated, Out, Store<0>, Tiled<32, 32, 32, 2, 2>> {};
template <class E>
struct image : Conv2D<Filter<3>, E> {};
template <class E, class Schedule = Small>
struct filter : Conv2D<Filter<3>, E, Out, Store<0>, Schedule> {};
struct transposed : ConvTranspose2D<2, 2, 0, 0, Buf<0>, Out, Store<0>, Small> {};
struct attend : Attention<24, Buf<0>, Buf<1>, Buf<2>> {};
struct attend_sums : Attention<24, Add<Buf<0>, Buf<3>>, Buf<1>, Buf<2>> {};
struct rows_of_table : Linear<Gather<Buf<0>, Buf<1>>> {};
struct cast_to_half : Linear<Cast<Evaluated, fp16>> {};

/// Numbers that no 16-bit type holds where T holds more.
template <class T, class... I>
auto numbers(unsigned seed, I... extents) {
    if constexpr (std::is_same_v<T, std::int32_t>) return gaussian<T>(seed, 0, 30000, extents...);
    else return normal<T>(seed, extents...);
}
/// f.template operator()<In, W>() for every input and weight that are not of one 16-bit type.
template <class F>
void each_pair(F&& f) {
    const auto with = [&]<class W>() {
        f.template operator()<float, W>();
        f.template operator()<std::int32_t, W>();
        if constexpr (!std::is_same_v<W, fp16>) f.template operator()<fp16, W>();
        if constexpr (!std::is_same_v<W, bf16>) f.template operator()<bf16, W>();
    };
    with.template operator()<float>();
    with.template operator()<fp16>();
    with.template operator()<bf16>();
}

TEST(MixedOperands, LinearsOfFewRows) {
    each_pair([&]<class In, class W>() {
        const auto x = numbers<In>(1, 5, 136), uneven = numbers<In>(3, 3, 77);
        const auto w = normal<W>(2, 40, 136), uneven_w = normal<W>(4, 19, 77);
        expect_oracle<copied, float>(Extents<2>{{5, 40}}, *w, *x);
        expect_oracle<evaluated, float>(Extents<2>{{5, 40}}, *w, *x);
        expect_oracle<copied, float>(Extents<2>{{3, 19}}, *uneven_w, *uneven);
        expect_oracle<evaluated, float>(Extents<2>{{3, 19}}, *uneven_w, *uneven);
    });
}
TEST(MixedOperands, LinearsOfManyRows) {
    each_pair([&]<class In, class W>() {
        const auto x = numbers<In>(1, 70, 136), uneven = numbers<In>(3, 33, 77);
        const auto w = normal<W>(2, 40, 136), uneven_w = normal<W>(4, 19, 77);
        expect_oracle<copied, float>(Extents<2>{{70, 40}}, *w, *x);
        expect_oracle<evaluated, float>(Extents<2>{{70, 40}}, *w, *x);
        expect_oracle<tiled, float>(Extents<2>{{70, 40}}, *w, *x);
        expect_oracle<tiled, float>(Extents<2>{{33, 19}}, *uneven_w, *uneven);
        expect_oracle<tiled_parts, float>(Extents<2>{{70, 40}}, *w, *x);
        expect_oracle<tiled_parts, float>(Extents<2>{{33, 19}}, *uneven_w, *uneven);
    });
}
TEST(MixedOperands, BatchesOfWeights) {
    const auto x = numbers<float>(1, 3, 70, 40);
    const auto w = normal<fp16>(2, 3, 24, 40);
    expect_oracle<tiled_parts, float>(Extents<3>{{3, 70, 24}}, *w, *x);
}
TEST(MixedOperands, PackedWeights) {
    const auto x = numbers<float>(1, 70, 40);
    auto w = normal<fp16>(2, 24, 40);
    const PackedWeight packed(*w);
    const auto out = as_outputs(Extents<2>{{70, 24}});
    EXPECT_TRUE(same_bits(run<tiled, float>(executor(), out, *w, *x), run<tiled, float>(executor(), out, *packed, *x)));
}
TEST(MixedOperands, Convolutions) {
    each_pair([&]<class In, class W>() {
        const auto x = numbers<In>(1, 2, 5, 7, 24);
        const auto w = normal<W>(2, 16, 3, 3, 24);
        expect_oracle<filter<Buf<0>>, float>(Extents<4>{{2, 5, 7, 16}}, *w, *x);
        expect_oracle<filter<Evaluated>, float>(Extents<4>{{2, 5, 7, 16}}, *w, *x);
    });
}
// Inputs that a step gathers, several taps at once.
TEST(MixedOperands, ConvolutionsOfFewChannels) {
    const auto x = numbers<float>(1, 2, 9, 7, 4);
    const auto w = normal<fp16>(2, 16, 3, 3, 4);
    const auto v = normal<bf16>(3, 16, 3, 3, 4);
    expect_oracle<image<Buf<0>>, float>(Extents<4>{{2, 9, 7, 16}}, *w, *x);
    expect_oracle<image<Evaluated>, float>(Extents<4>{{2, 9, 7, 16}}, *v, *x);
}
TEST(MixedOperands, TransposedConvolutions) {
    each_pair([&]<class In, class W>() {
        const auto x = numbers<In>(1, 2, 3, 5, 24);
        const auto w = normal<W>(2, 16, 2, 2, 24);
        expect_oracle<transposed, float>(Extents<4>{{2, 6, 10, 16}}, *w, *x);
    });
}
TEST(MixedOperands, Attention) {
    const auto expect = [&]<class Q, class K, class V>() {
        const auto q = normal<Q>(1, 2, 2, 19, 24);
        const auto k = normal<K>(2, 2, 2, 33, 24);
        const auto v = numbers<V>(3, 2, 2, 33, 24);
        expect_oracle<attend, float>(Extents<4>{{2, 2, 19, 24}}, *q, *k, *v);
    };
    expect.operator()<float, fp16, fp16>();
    expect.operator()<fp16, bf16, bf16>();
    expect.operator()<fp16, fp16, std::int32_t>();
    expect.operator()<std::int32_t, std::int32_t, std::int32_t>();
    const auto x = normal<fp16>(1, 2, 2, 19, 24);
    const auto more = normal<float>(2, 2, 2, 19, 24);
    expect_oracle<attend_sums, float>(Extents<4>{{2, 2, 19, 24}}, *x, *x, *x, *more);
}
// Indices are not multiplied, and what is cast is of the type it is cast to.
TEST(MixedOperands, WhatIsNone) {
    const auto table = normal<fp16>(1, 30, 72), w = normal<fp16>(2, 24, 72);
    auto rows = gaussian<std::int32_t>(3, 15, 5, 70);
    expect_oracle<rows_of_table, float>(Extents<2>{{70, 24}}, *w, *table, *std::as_const(rows));
    const auto x = normal<float>(4, 70, 72);
    expect_oracle<cast_to_half, float>(Extents<2>{{70, 24}}, *w, *x);
}

}  // namespace
