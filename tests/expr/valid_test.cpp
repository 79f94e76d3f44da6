// SPDX-License-Identifier: Apache-2.0
/// Negative tests of the concepts: what `prepare` refuses with a sentence, they refuse quietly.
#include <inlay/exec/valid.hpp>
#include <inlay/inlay.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>

#include <gtest/gtest.h>

namespace {
using namespace inlay;

template <int R>
using F = Tensor<const float, R>;
using I = Tensor<const std::int32_t, 1>;

static_assert(valid<Add<Buf<0>, Buf<1>>, F<2>, F<1>>);
static_assert(!valid<Add<Buf<0>, Buf<1>>, F<2>>);
static_assert(!valid<int, F<2>>);
static_assert(!valid<Store<0>, F<2>>);

static_assert(valid<Permute<Buf<0>, 1, 0>, F<2>> && !valid<Permute<Buf<0>, 1, 0>, F<3>>);
static_assert(valid<Transpose<Buf<0>, 0, -1>, F<2>> && !valid<Transpose<Buf<0>, 0, 2>, F<2>>);
static_assert(valid<Slice<Buf<0>, -2, 0, 1>, F<2>> && !valid<Slice<Buf<0>, -2, 0, 1>, F<1>>);
static_assert(valid<Slice<Buf<0>, param<0>, 0, 1>, F<1>> && !valid<Slice<Buf<0>, param<0>, 0, 1>, F<0>>);
static_assert(valid<Pad<Buf<0>, 1, 1, 1>, F<2>> && !valid<Pad<Buf<0>, 1, 1, 1>, F<1>>);
static_assert(valid<Upsample2x<Buf<0>>, F<3>> && !valid<Upsample2x<Buf<0>>, F<2>>);
static_assert(valid<Concat<0, Buf<0>, Buf<1>>, F<1>, F<1>> && !valid<Concat<0, Buf<0>, Buf<1>>, F<1>, F<2>>);
static_assert(valid<Im2col<Buf<0>, 3, 3>, F<4>> && !valid<Im2col<Buf<0>, 3, 3>, F<3>>);
static_assert(valid<Gather<Buf<0>, Buf<1>>, F<2>, I> && !valid<Gather<Buf<0>, Buf<1>>, F<2>, F<1>>);
static_assert(!valid<Gather<Buf<0>, Cast<Buf<1>, std::int32_t>>, F<2>, F<1>>);
static_assert(valid<Broadcast<Buf<0>, Buf<1>>, F<1>, F<2>> && !valid<Broadcast<Buf<0>, Buf<1>>, F<2>, F<1>>);
static_assert(valid<Add<Buf<0>, Coord<-2>>, F<2>> && !valid<Add<Buf<0>, Coord<-3>>, F<2>>);
static_assert(!valid<Slice<Out, -1, 0, 1>, F<2>>);
// The fault lies below.
static_assert(!valid<Silu<Concat<-1, Buf<0>, Permute<Buf<0>, 1, 0>>>, F<3>>);

template <class E>
struct Stateful : pointwise<E> {
    float by;
    template <class T>
    static T apply(T x) {
        return x;
    }
};
static_assert(valid_kernel<Linear<Silu<Buf<0>>, Add<Out, Buf<1>>>>);
static_assert(!valid_kernel<int> && !valid_kernel<Silu<Buf<0>>>);
static_assert(!valid_kernel<Linear<Add<Buf<0>, Out>>>);
static_assert(!valid_kernel<Linear<Buf<0>, Add<Out, Buf<2>>>>);
static_assert(!valid_kernel<Elementwise<Stateful<Buf<0>>>>);
static_assert(!valid_kernel<Elementwise<Store<0>>> && !valid_kernel<Elementwise<Buf<0>, Buf<0>>>);

using Y = Tensor<float, 2>;
using Scaled = Linear<Buf<0>, Mul<Out, Param<0>>>;
static_assert(valid_arguments<Scaled, Y, F<2>, F<2>, float> && valid_arguments<Scaled, Y, F<2>, F<2>, const float*>);
static_assert(valid_arguments<Scaled, Y, Packed<fp16, 2>, F<2>, int>);
static_assert(!valid_arguments<Scaled, Y, F<2>, F<2>> && !valid_arguments<Scaled, Y, F<2>, float, F<2>>);
static_assert(!valid_arguments<Scaled, F<2>, F<2>, F<2>, float>, "an output is written");
static_assert(!valid_arguments<Scaled, Y, F<2>, Packed<fp16, 2>, float>, "only weights may be packed");

/// An operand [B, C] in the holes of a frame over NHWC.
template <class E, class... T>
constexpr bool over_nhwc = detail::expression_fits<false, E, Env<-1, 0, T...>, Place<4, true>>();
static_assert(!over_nhwc<Add<Buf<0>, Buf<1>>, F<4>, F<2>>);
static_assert(!over_nhwc<Silu<Add<Buf<0>, Slice<Buf<1>, -1, 0, 8>>>, F<4>, F<2>>);
static_assert(!over_nhwc<Concat<-1, Buf<0>, Add<Buf<0>, Buf<1>>>, F<4>, F<2>>);
static_assert(!over_nhwc<Add<Buf<0>, Broadcast<Buf<1>, Buf<0>>>, F<4>, F<2>>);
static_assert(over_nhwc<Add<Buf<0>, Reshape<Buf<1>, -1, 1, 1, 320>>, F<4>, F<2>>);
static_assert(over_nhwc<Add<Buf<0>, Buf<1>>, F<4>, F<1>> && over_nhwc<Add<Buf<0>, Buf<1>>, F<4>, F<4>>);
static_assert(over_nhwc<Add<Buf<0>, Gather<Reshape<Buf<1>, 4, 1, 1, 8>, Buf<2>>>, F<4>, F<2>, I>);

TEST(Valid, ThisFileCompiles) {}

}  // namespace
