// SPDX-License-Identifier: Apache-2.0
/// The words in which a layer is written: its inputs, the frames by name of their weights, and expressions over them.
///
///     template <auto C, auto O>
///     constexpr auto resnet(auto x) {
///         auto h = conv<"conv1", O, C, 3>(silu(group_norm<"norm1", C, 32>(x)));
///         return x + conv<"conv2", O, O, 3>(silu(group_norm<"norm2", O, 32>(h)));
///     }
///
/// A weight's name is that of PyTorch's module: `<name>.weight`, and `<name>.bias` where it has one.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/rewrite/planner/records.hpp>
#include <inlay/rewrite/planner/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// Tensor I of the layer, known in each step.
template <int I, auto... D>
inline constexpr Input<I, Phase::step, as_dim(D)...> input{};
/// Tensor I of the layer, known from phase P on: work on it alone is done in that phase.
template <int I, Phase P, auto... D>
inline constexpr Input<I, P, as_dim(D)...> input_from{};

/// A vector, table or other weight as the file has it.
template <Name Text, auto... D>
inline constexpr Weight<letters<Text>, Field::whole, Layout::plain, as_dim(D)...> weight{};

/// PyTorch's Linear without a bias: [..., k] → [..., n].
template <Name Text, auto N, auto K, Expr X>
constexpr Result<core::Linear, X, Weight<letters<Text>, Field::weight, Layout::matrix, as_dim(N), as_dim(K)>>
linear_without_bias(X) {
    return {};
}
/// PyTorch's Linear: [..., k] → [..., n].
template <Name Text, auto N, auto K, Expr X>
constexpr auto linear(X x) {
    return linear_without_bias<Text, N, K>(x) + Weight<letters<Text>, Field::bias, Layout::plain, as_dim(N)>{};
}

/// PyTorch's Conv2d over NHWC without a bias, of `Window`: [B, H, W, c] → [B, Ho, Wo, o]. C: channels of a group.
template <Name Text, auto O, auto C, class Window, Expr X>
constexpr Result<core::Conv2D<Window>, X,
                 Weight<letters<Text>, Field::weight, Layout::filter, as_dim(O), as_dim(C), as_dim(Window::rows),
                 as_dim(Window::cols)>>
convolution_without_bias(X) {
    return {};
}
/// PyTorch's Conv2d over NHWC, of an R×R window that pads by R / 2: [B, H, W, c] → [B, Ho, Wo, o].
template <Name Text, auto O, auto C, int R, int Stride = 1, Expr X>
constexpr auto conv(X x) {
    return convolution_without_bias<Text, O, C, Filter<R, R, Stride>>(x) +
           Weight<letters<Text>, Field::bias, Layout::plain, as_dim(O)>{};
}
/// The same with a window of each channel's own, of C channels.
template <Name Text, int C, int R, Expr X>
constexpr auto depthwise_conv(X x) {
    return convolution_without_bias<Text, C, 1, Filter<R, R, 1, R / 2, R / 2, 1, C>>(x) +
           Weight<letters<Text>, Field::bias, Layout::plain, as_dim(C)>{};
}

/// Over all axes but the first, in groups of channels: [B, ..., c].
template <Name Text, auto C, int Groups, double Eps = 1e-5, Expr X>
constexpr Result<core::GroupNorm<Groups, Eps>, X, Weight<letters<Text>, Field::weight, Layout::plain, as_dim(C)>,
                 Weight<letters<Text>, Field::bias, Layout::plain, as_dim(C)>>
group_norm(X) {
    return {};
}
/// Over the last axis.
template <Name Text, auto C, double Eps = 1e-5, Expr X>
constexpr Result<core::LayerNorm<Eps>, X, Weight<letters<Text>, Field::weight, Layout::plain, as_dim(C)>,
                 Weight<letters<Text>, Field::bias, Layout::plain, as_dim(C)>>
layer_norm(X) {
    return {};
}
/// The pixels of images as tokens: [B, ..., C] → [B, S, C].
template <Expr X>
constexpr Result<Tokens, X> tokens(X) {
    return {};
}
/// Tokens as pixels of images: [B, H·W, C] → [B, H, W, C].
template <auto H, auto W, Expr X>
constexpr Result<Image<as_dim(H), as_dim(W)>, X> image(X) {
    return {};
}
/// The tensor after itself, [B, ...] → [2·B, ...]: what is computed of it is computed once for both halves, up to where
/// another operand makes them differ.
template <Expr X>
constexpr Result<Twice, X> twice(X) {
    return {};
}
/// The last axis in heads of D, a number or an axis: [B, ..., H·D] → [B, H, S, D], S the product of the axes between.
template <auto D, Expr X>
constexpr Result<Heads<head_width(D)>, X> heads(X) {
    return {};
}
/// [B, H, S, D] → [B, S, H·D].
template <Expr X>
constexpr Result<MergedHeads, X> merge_heads(X) {
    return {};
}
/// Part I of N equal parts of the last axis.
template <int I, int N, Expr X>
constexpr Result<Part<I, N>, X> part(X) {
    static_assert(0 <= I && I < N, "inlay: the parts of a layer's value are part<0, N> to part<N - 1, N>");
    return {};
}
/// Queries [B, H, Sq, D] attend to keys and values [B, Hkv, Skv, D], D a number or an axis. Options: those of
/// `Attention`, whose slots from Buf<3> on are the tensors after v:
/// `attention<32, mask::If<decltype(coord<3> < buf<3>)>>(q, k, v, lengths)`.
template <auto D, class... Option, Expr Q, Expr K, Expr V, Expr... Tensor>
constexpr Result<core::Attention<head_width(D), Option...>, Q, K, V, Tensor...> attention(Q, K, V, Tensor...) {
    static_assert(sizeof...(Tensor) == detail::option_tensors<Option...>,
                  "inlay: attention of a layer takes a tensor after v for each slot from Buf<3> on that its options "
                  "read");
    static_assert(detail::option_scalars<Option...> == 0,
                  "inlay: an option of a layer's attention names no scalar slot: a plan's kernels have none");
    static_assert(sizeof...(Tensor) + 3 <= most_operands,
                  "inlay: a plan holds attentions whose options read one tensor");
    return {};
}
/// Reduced axes keep extent 1. Op: such as `reduction::Sum`.
template <class Op, class Over = Axes<-1>, Expr X>
constexpr Result<core::Reduce<Op, Over>, X> reduce(X) {
    return {};
}
/// Over the last axis.
template <Expr X>
constexpr Result<core::Softmax, X> softmax(X) {
    return {};
}

/// X is kept in memory, whatever the price.
template <Expr X>
constexpr Materialized<X> materialize(X) {
    return {};
}
/// X is in no memory, whatever the price: each kernel that reads it computes it.
template <Expr X>
constexpr Fused<X> fuse(X) {
    return {};
}
/// Several results of a layer.
template <Expr... E>
constexpr Outputs<E...> outputs(E...) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI::planner
