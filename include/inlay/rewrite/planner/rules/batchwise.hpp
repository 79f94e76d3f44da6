// SPDX-License-Identifier: Apache-2.0
/// Symbols that treat each item of a batch alike: item b of the result depends on item b of the operands alone, and not
/// on b.
#pragma once

#include <inlay/rewrite/planner/rules/pattern.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

/// Ways in which a symbol takes its operands.
enum class Batch : unsigned char {
    none,  ///< items meet, or a symbol of which nothing is known
    all,   ///< all operands have items
    first  ///< the first operand has items; others serve all items alike
};
/// A symbol treats items alike if the axes that it touches are behind the first one: `from_end` is the farthest axis
/// that is counted from the end, so the rank must be greater.
struct Batchwise {
    Batch batch = Batch::none;
    int from_end = 0;
};

namespace detail {

/// Of axes as a view names them. −1: one of them is the first.
template <class... Axis>
constexpr int farthest(Axis... axis) {
    int most = 0;
    ((most = most < 0 || axis == 0 ? -1 : -axis > most ? static_cast<int>(-axis) : most), ...);
    return most;
}
constexpr Batchwise along(int most) {
    return most < 0 ? Batchwise{} : Batchwise{Batch::all, most};
}

template <class S>
inline constexpr Batchwise batchwise{};
template <class E>
    requires(E::kind == NodeKind::pointwise)
inline constexpr Batchwise batchwise<Expression<E>> = {Batch::all, 0};
template <class E, auto Axis, auto Start, auto Size>
inline constexpr Batchwise batchwise<Expression<node::Slice<E, Axis, Start, Size>>> = along(farthest(Axis));
template <auto Axis, class... E>
inline constexpr Batchwise batchwise<Expression<node::Concat<Axis, E...>>> = along(farthest(Axis));
template <class E, index_t First, index_t... P>
inline constexpr Batchwise batchwise<Expression<node::Permute<E, First, P...>>> =
    First == 0 ? Batchwise{Batch::all, 0} : Batchwise{};
template <class E, index_t A, index_t B>
inline constexpr Batchwise batchwise<Expression<node::Transpose<E, A, B>>> = along(farthest(A, B));
template <class E, index_t Factor, index_t... Axes>
inline constexpr Batchwise batchwise<Expression<node::Upsample<E, Factor, Axes...>>> = along(farthest(Axes...));
template <class E, index_t... N>
inline constexpr Batchwise batchwise<Expression<node::Im2col<E, N...>>> = {Batch::all, 3};
template <class E, auto Axis, auto Before, auto After, inlay::detail::Real Value>
inline constexpr Batchwise batchwise<Expression<node::Pad<E, Axis, Before, After, Value>>> = along(farthest(Axis));
template <auto D>
inline constexpr Batchwise batchwise<Heads<D>> = {Batch::all, 1};
template <>
inline constexpr Batchwise batchwise<MergedHeads> = {Batch::all, 3};
template <>
inline constexpr Batchwise batchwise<Tokens> = {Batch::all, 1};
template <Dim H, Dim W>
inline constexpr Batchwise batchwise<Image<H, W>> = {Batch::all, 2};
template <int I, int N>
inline constexpr Batchwise batchwise<Part<I, N>> = {Batch::all, 1};
template <>
inline constexpr Batchwise batchwise<core::Linear> = {Batch::first, 1};
template <class Window>
inline constexpr Batchwise batchwise<core::Conv2D<Window>> = {Batch::first, 3};
template <>
inline constexpr Batchwise batchwise<core::UpsampledConv> = {Batch::first, 3};
template <int Groups, double Eps>
inline constexpr Batchwise batchwise<core::GroupNorm<Groups, Eps>> = {Batch::first, 1};
template <double Eps>
inline constexpr Batchwise batchwise<core::LayerNorm<Eps>> = {Batch::first, 1};
template <auto D, class... Option>
inline constexpr Batchwise batchwise<core::Attention<D, Option...>> =
    planner::detail::option_tensors<Option...> == 0 ? Batchwise{Batch::all, 3} : Batchwise{};
template <class Op, int... A>
inline constexpr Batchwise batchwise<core::Reduce<Op, Axes<A...>>> = along(farthest(A...));
template <>
inline constexpr Batchwise batchwise<core::Softmax> = {Batch::all, 1};
template <>
inline constexpr Batchwise batchwise<core::RowMean> = {Batch::all, 1};

template <class S>
inline constexpr bool is_pointwise = false;
template <class E>
inline constexpr bool is_pointwise<Expression<E>> = E::kind == NodeKind::pointwise;
/// A leaf that has its own number for each coordinate, and no extents.
template <class S>
inline constexpr bool is_coordinate = false;
template <int Axis>
inline constexpr bool is_coordinate<Expression<Coord<Axis>>> = true;
template <>
inline constexpr bool is_coordinate<Expression<QueryPosition>> = true;

/// Operands of a symbol; 0 where its kind has any number.
template <class S>
inline constexpr int arity = 1;
template <class E>
inline constexpr int arity<Expression<E>> = E::children::size;
template <>
inline constexpr int arity<core::Linear> = 2;
template <class Window>
inline constexpr int arity<core::Conv2D<Window>> = 2;
template <>
inline constexpr int arity<core::UpsampledConv> = 2;
template <int Groups, double Eps>
inline constexpr int arity<core::GroupNorm<Groups, Eps>> = 3;
template <double Eps>
inline constexpr int arity<core::LayerNorm<Eps>> = 3;
template <auto D, class... Option>
inline constexpr int arity<core::Attention<D, Option...>> = 3;

template <class Symbols>
struct batch_tables;
template <class... S>
struct batch_tables<types<S...>> {
    static constexpr Batchwise batch[sizeof...(S)] = {batchwise<S>...};
    static constexpr bool coordinates = (false || ... || is_coordinate<S>);
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner::rules
