// SPDX-License-Identifier: Apache-2.0
/// Words of which the rules of layers are made.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/egraph/rule.hpp>
#include <inlay/rewrite/planner/class_data.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

using egraph::AnySymbol;
using egraph::Term;
using egraph::Var;

template <class A, class B>
using sum = Term<Expression<Add<Buf<0>, Buf<1>>>, A, B>;
template <class A, class B>
using difference = Term<Expression<Sub<Buf<0>, Buf<1>>>, A, B>;
template <class A, class B>
using times = Term<Expression<Mul<Buf<0>, Buf<1>>>, A, B>;
template <class X, class W>
using linear = Term<core::Linear, X, W>;
template <int I, int N, class X>
using part = Term<Part<I, N>, X>;
/// The number V, which is a `Const<V>`.
template <auto V>
using number = Term<Expression<Const<V>>>;

namespace detail {

/// Tensors that an attention reads after V; −1: it is none.
template <class S>
inline constexpr int tensors_of_attention = -1;
template <auto D, class... Option>
inline constexpr int tensors_of_attention<core::Attention<D, Option...>> = planner::detail::option_tensors<Option...>;
template <class S>
inline constexpr bool is_part = false;
template <int I, int N>
inline constexpr bool is_part<Part<I, N>> = true;
template <class S>
inline constexpr bool is_heads = false;
template <auto D>
inline constexpr bool is_heads<Heads<D>> = true;
template <class Symbol>
struct Only {
    template <class S>
    static constexpr bool is = std::is_same_v<S, Symbol>;
};

}  // namespace detail

/// Kinds of symbols, for patterns. An attention whose options read so many tensors.
template <int Tensors>
struct AnyAttention {
    template <class S>
    static constexpr bool is = detail::tensors_of_attention<S> == Tensors;
};
struct AnyHeads {
    template <class S>
    static constexpr bool is = detail::is_heads<S>;
};
struct AnyPart {
    template <class S>
    static constexpr bool is = detail::is_part<S>;
};

/// Data of the class that a match has for Var<I>.
template <int I, class G, class M>
constexpr const ClassData& data(const G& graph, const M& match) {
    return graph.data(match.var[I]);
}
/// True if the classes of Var<I>… are known at load: weights, and what is made of weights.
template <int... I, class G, class M>
constexpr bool are_weights(const G& graph, const M& match) {
    return ((data<I>(graph, match).phase == Phase::load) && ...);
}
namespace detail {
template <class Symbols, class Kind>
struct kind_table;
template <class... S, class Kind>
struct kind_table<types<S...>, Kind> {
    static constexpr bool has[sizeof...(S)] = {Kind::template is<S>...};
};
}  // namespace detail

/// True if a class has a node whose symbol is of a kind.
template <class Kind, class G>
constexpr bool has_kind(const G& graph, egraph::Id c) {
    for (egraph::Id n = graph.first(c); n != egraph::none; n = graph.next(n))
        if (detail::kind_table<typename G::symbols, Kind>::has[graph.node(n).symbol]) return true;
    return false;
}
/// True if a class has a node of symbol S.
template <class S, class G>
constexpr bool has_node(const G& graph, egraph::Id c) {
    return has_kind<detail::Only<S>>(graph, c);
}

/// True if a class is a half of a batch after itself. The half is computed instead, so rules leave the whole alone.
template <class G>
constexpr bool is_twice(const G& graph, egraph::Id c) {
    return has_node<Twice>(graph, c);
}

}  // namespace inlay::inline INLAY_ABI::planner::rules
