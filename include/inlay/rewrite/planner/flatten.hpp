// SPDX-License-Identifier: Apache-2.0
/// A layer's expression as terms of an e-graph: each operation a symbol, each operand a term.
#pragma once

#include <inlay/rewrite/egraph/term.hpp>
#include <inlay/rewrite/planner/leaves.hpp>
#include <inlay/rewrite/planner/prototype.hpp>
#include <inlay/rewrite/planner/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner {

template <class E>
struct flatten;
template <class E>
using term_of = typename flatten<E>::type;

namespace detail {
template <class E, class Children>
struct flat_node;
template <class E, class... C>
struct flat_node<E, types<C...>> {
    using type = egraph::Term<Expression<typename prototype<E>::type>, term_of<C>...>;
};
}  // namespace detail

/// A node or leaf of the library's.
template <class E>
struct flatten : detail::flat_node<E, typename E::children> {
    static_assert(!std::is_same_v<E, Out> && !std::is_same_v<E, OutGate>,
                  "inlay: a layer names no Out: the result of a frame is the value that its function returns");
};
template <int I>
struct flatten<Buf<I>> {
    static_assert(I < 0, "inlay: a layer names no slot: its tensors are planner::input<I, ...> and weights by name");
};
template <int I, Phase P, Dim... D>
struct flatten<Input<I, P, D...>> {
    using type = egraph::Term<InputSymbol<I, P, D...>>;
};
template <class Text, Field F, Layout L, Dim... D>
struct flatten<Weight<Text, F, L, D...>> {
    using type = egraph::Term<WeightSymbol<Text, F, L, D...>>;
};
template <class Core, class... Operand>
struct flatten<Result<Core, Operand...>> {
    using type = egraph::Term<Core, term_of<Operand>...>;
};
template <class E>
struct flatten<Materialized<E>> {
    using type = egraph::Term<PinSymbol<Pin::materialize>, term_of<E>>;
};
template <class E>
struct flatten<Fused<E>> {
    using type = egraph::Term<PinSymbol<Pin::fuse>, term_of<E>>;
};

}  // namespace inlay::inline INLAY_ABI::planner
