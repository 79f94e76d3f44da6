// SPDX-License-Identifier: Apache-2.0
/// Spellings, identities and emptiness of the expression types.
#include <inlay/inlay.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>

#include <concepts>

using namespace inlay;

template <class A, class B>
concept Same = std::same_as<std::remove_cvref_t<A>, B>;

// The design page's first example: written as a type, and as a value.
using Hidden = Slice<Buf<0>, -1, 0, 1280>;
using Gate = Slice<Buf<0>, -1, 1280, 1280>;
using Geglu = Mul<Hidden, Gelu<Gate>>;
constexpr auto x = buf<0>;
constexpr auto y = buf<1>;
static_assert(Same<decltype(slice<-1, 0, 1280>(x) * gelu(slice<-1, 1280, 1280>(x))), Geglu>);
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};
static_assert(Frame<proj2>);

// One number, one type, whatever it is spelled as.
static_assert(Same<Slice<Buf<0>, -1, 0u, 4ull>, Slice<Buf<0>, -1L, 0, 4>>);
static_assert(Same<Slice<Buf<0>, -1, short(0), 'a'>, Slice<Buf<0>, -1, 0, 97>>);
static_assert(Same<Permute<Buf<0>, 1u, 0>, Permute<Buf<0>, 1, 0ll>>);
static_assert(Same<Transpose<Buf<0>, 0u, -1>, Transpose<Buf<0>, 0, -1L>>);
static_assert(Same<Upsample<Buf<0>, 2u, -3, -2>, Upsample2x<Buf<0>>>);
static_assert(Same<Pad<Buf<0>, 0u, 1u, 1>, Pad<Buf<0>, 0, 1, 1, 0.0>>);
static_assert(Same<Concat<1u, Buf<0>, Buf<1>>, Concat<1, Buf<0>, Buf<1>>>);
static_assert(Same<Reshape<Buf<0>, -1, 4u>, Reshape<Buf<0>, -1L, 4>>);
static_assert(Same<Im2col<Buf<0>, 3u, 3>, Im2col<Buf<0>, 3, 3, 1, 0, 0>>);
static_assert(Same<Gather<Buf<0>, Buf<1>, 0u>, Gather<Buf<0>, Buf<1>>>);
static_assert(Same<SliceLast<Buf<0>, 0, 4>, Slice<Buf<0>, -1, 0, 4>>);
static_assert(Same<Permuted<Store<0>, 1u, 0>, Permuted<Store<0>, 1, 0>>);
static_assert(Same<Slice<Buf<0>, -1, param<0>, param<1>>, decltype(slice<-1, param<0>, param<1>>(x))>);
static_assert(!Same<Slice<Buf<0>, -1, param<0>, 1>, Slice<Buf<0>, -1, param<1>, 1>>);
static_assert(!Same<Slice<Buf<0>, -1, param<0>, 1>, Slice<Buf<0>, -1, 0, 1>>);

// Every operator and function builds the type of its name.
static_assert(Same<decltype(x + y), Add<Buf<0>, Buf<1>>> && Same<decltype(x - y), Sub<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(x * y), Mul<Buf<0>, Buf<1>>> && Same<decltype(x / y), Div<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(x < y), Less<Buf<0>, Buf<1>>> && Same<decltype(x <= y), LessEqual<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(x > y), Greater<Buf<0>, Buf<1>>> && Same<decltype(x >= y), GreaterEqual<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(x == y), Equal<Buf<0>, Buf<1>>> && Same<decltype(x != y), NotEqual<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(x && y), And<Buf<0>, Buf<1>>> && Same<decltype(x || y), Or<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(!x), Not<Buf<0>>> && Same<decltype(-x), Neg<Buf<0>>>);
static_assert(Same<decltype(min(x, y)), Min<Buf<0>, Buf<1>>> && Same<decltype(max(x, y)), Max<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(pow(x, y)), Pow<Buf<0>, Buf<1>>> &&
              Same<decltype(lerp(x, y, param<0>)), Lerp<Buf<0>, Buf<1>, Param<0>>>);
static_assert(Same<decltype(where(x > y, x, y)), Where<Greater<Buf<0>, Buf<1>>, Buf<0>, Buf<1>>>);
static_assert(Same<decltype(constant<2>), Const<2.0>> && Same<decltype(constant<0.5f>), Const<0.5>>);
static_assert(Same<decltype(clamp(x, constant<-1.0>, constant<1.0>)), Clamp<Buf<0>, Const<-1.0>, Const<1.0>>>);
static_assert(Same<decltype(silu(x)), Silu<Buf<0>>> && Same<decltype(gelu_tanh(x)), GeluTanh<Buf<0>>>);
static_assert(Same<decltype(quick_gelu(x)), QuickGelu<Buf<0>>> && Same<decltype(sigmoid(x)), Sigmoid<Buf<0>>>);
static_assert(Same<decltype(tanh(x)), Tanh<Buf<0>>> && Same<decltype(relu(x)), Relu<Buf<0>>>);
static_assert(Same<decltype(leaky_relu<0.2>(x)), LeakyRelu<Buf<0>, Const<0.2>>>);
static_assert(Same<decltype(exp(x)), Exp<Buf<0>>> && Same<decltype(exp2(x)), Exp2<Buf<0>>> &&
              Same<decltype(log(x)), Log<Buf<0>>>);
static_assert(Same<decltype(sqrt(x)), Sqrt<Buf<0>>> && Same<decltype(rsqrt(x)), Rsqrt<Buf<0>>>);
static_assert(Same<decltype(sin(x)), Sin<Buf<0>>> && Same<decltype(cos(x)), Cos<Buf<0>>> &&
              Same<decltype(erf(x)), Erf<Buf<0>>>);
static_assert(Same<decltype(abs(x)), Abs<Buf<0>>> && Same<decltype(floor(x)), Floor<Buf<0>>> &&
              Same<decltype(ceil(x)), Ceil<Buf<0>>>);
static_assert(Same<decltype(cast<fp16>(out)), Cast<Out, fp16>> && Same<decltype(coord<-1>), Coord<-1>>);
static_assert(Same<decltype(concat<-1>(x, y)), Concat<-1, Buf<0>, Buf<1>>> &&
              Same<decltype(upsample2x(x)), Upsample2x<Buf<0>>>);
static_assert(Same<decltype(permute<0, 2, 1>(x)), Permute<Buf<0>, 0, 2, 1>> &&
              Same<decltype(reshape<-1, 8>(x)), Reshape<Buf<0>, -1, 8>>);
static_assert(Same<decltype(gather(x, y)), Gather<Buf<0>, Buf<1>>> &&
              Same<decltype(pad<0, 1, 2>(x)), Pad<Buf<0>, 0, 1, 2>>);
static_assert(Same<decltype(im2col<3, 3>(x)), Im2col<Buf<0>, 3, 3>> &&
              Same<decltype(broadcast(x, y)), Broadcast<Buf<0>, Buf<1>>>);
static_assert(Same<decltype(transpose<0, 1>(x)), Transpose<Buf<0>, 0, 1>> &&
              Same<decltype(slice_last<0, 4>(x)), SliceLast<Buf<0>, 0, 4>>);
static_assert(Same<decltype(partition<-1>(store<0>, permuted<1, 0>(store<1>))),
                   Partition<-1, Store<0>, Permuted<Store<1>, 1, 0>>>);
static_assert(Same<decltype(strided<1, 2, 0>(split_last(store<0>))), Strided<SplitLast<Store<0>>, 1, 2, 0>>);
static_assert(Same<decltype(with_stats<1>(store<0>)), WithStats<Store<0>, 1>>);

// Every node, view, sink and frame is an empty type.
template <class... T>
constexpr bool empty = (std::is_empty_v<T> && ...);
using A = Buf<0>;
static_assert(empty<A, Out, Const<1.0>, Param<0>, Coord<0>, Silu<A>, Gelu<A>, GeluTanh<A>, QuickGelu<A>, Sigmoid<A>,
                    Tanh<A>, Relu<A>, Exp<A>, Exp2<A>, Log<A>, Sqrt<A>, Rsqrt<A>, Sin<A>, Cos<A>, Erf<A>, Neg<A>,
                    Abs<A>, Floor<A>, Ceil<A>, Not<A>, Cast<A, fp16>>);
static_assert(empty<Add<A, A>, Sub<A, A>, Mul<A, A>, Div<A, A>, Less<A, A>, LessEqual<A, A>, Greater<A, A>,
                    GreaterEqual<A, A>, Equal<A, A>, NotEqual<A, A>, And<A, A>, Or<A, A>, Min<A, A>, Max<A, A>,
                    Pow<A, A>, LeakyRelu<A, A>, Where<A, A, A>, Lerp<A, A, A>, Clamp<A, A, A>>);
static_assert(empty<Slice<A, -1, param<0>, 1>, Permute<A, 1, 0>, Transpose<A, 0, 1>, Reshape<A, -1>, Concat<0, A, A>,
                    Upsample2x<A>, Gather<A, Buf<1>>, Pad<A, 0, 1, 1>, Im2col<A, 3, 3>, Broadcast<A, A>>);
static_assert(empty<Store<0>, Permuted<Store<0>, 1, 0>, SplitLast<Store<0>>, Partition<-1, Store<0>, Store<1>>,
                    Strided<Store<0>, 0, 2, 0>, Scatter<Store<0>, Buf<1>, 0>, WithStats<Store<0>, 1>>);
static_assert(Same<decltype(scatter<1>(store<0>, y)), Scatter<Store<0>, Buf<1>, 1>>);
static_assert(empty<proj2, Elementwise<A>, Softmax<A>, LayerNorm<A>, RMSNorm<A>, GroupNorm<32, A>, Conv2D<Filter<3>, A>,
                    Attention<64, A, A, A>, Reduce<reduction::Sum>>);

// A shared subtree is one value: six nested Add<Silu<P>, P> are 13, not 2^7 - 1.
template <int N>
struct nested {
    using below = typename nested<N - 1>::type;
    using type = Add<Silu<below>, below>;
};
template <>
struct nested<0> {
    using type = A;
};
static_assert(flatten<nested<6>::type>::values::size == 13);
static_assert(flatten<Geglu>::values::size == 4);  // two slices of one tensor, and two operations
static_assert(nodes_of<nested<6>::type>::size == 13);

// Names at compile time; clang 19 with the library of g++ 12 has no constexpr std::string, and tests/expr compares
// there.
#if !defined(__clang__)
static_assert(name<Geglu>() == "Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>");
static_assert(name<Slice<Buf<0>, -1, param<0>, 3u>>() == "Slice<Buf<0>, -1, param<0>, 3>");
static_assert(name<proj2>() == "proj2");
#endif
