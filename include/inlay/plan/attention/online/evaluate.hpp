// SPDX-License-Identifier: Apache-2.0
/// Values of the expressions of a recurrence: nodes that occur twice are computed once.
#pragma once

#include <inlay/plan/attention/online/sums.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI::online {

namespace detail {

/// Distinct nodes of E, children first. Reductions are leaves: their values are there.
template <class T>
inline constexpr bool is_constant_leaf = false;
template <inlay::detail::Real V>
inline constexpr bool is_constant_leaf<node::Const<V>> = true;
template <class T>
inline constexpr bool is_reduction = false;
template <class E>
inline constexpr bool is_reduction<KeySum<E>> = true;
template <class E>
inline constexpr bool is_reduction<KeyMax<E>> = true;
template <class E>
inline constexpr bool is_reduction<TwoPass<E>> = true;

template <class E>
inline constexpr bool is_row_leaf = is_reduction<E> || E::kind != NodeKind::pointwise;

/// Distinct nodes of E, children first. Reductions are leaves, as their values are there.
template <class E, class C = typename E::children>
struct row_nodes {
    using type = types<E>;
};
template <class E, class... C>
    requires(!is_row_leaf<E>)
struct row_nodes<E, types<C...>> {
    using type = unite_types<typename row_nodes<C>::type..., types<E>>;
};

template <class T>
INLAY_FN INLAY_INLINE constexpr T number(double x) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(x);
    else return T(static_cast<typename T::value_type>(x));
}

template <class Nodes, class T, class Node, class At, class... C>
INLAY_FN INLAY_INLINE T node_value([[maybe_unused]] T* memo, [[maybe_unused]] const At& at, types<C...>) {
    if constexpr (is_constant_leaf<Node>) return number<T>(Node::value);
    else if constexpr (is_row_leaf<Node>) return at(Node{});
    else return Node::apply(memo[inlay::detail::index_in<Nodes, C>]...);
}
template <class T, class At, class... Node>
INLAY_FN INLAY_INLINE T value_of_last(const At& at, types<Node...>) {
    using Nodes = types<Node...>;
    T memo[sizeof...(Node)];
    int i = 0;
    ((memo[i] = node_value<Nodes, T, Node>(memo, at, typename Node::children{}), ++i), ...);
    return memo[sizeof...(Node) - 1];
}

}  // namespace detail

/// The value of E. `at(Leaf{})` gives the value of a leaf, a slot or a reduction as T: float, double, a vector of them.
template <class E, class T, class At>
INLAY_FN INLAY_INLINE T evaluate(const At& at) {
    return detail::value_of_last<T>(at, typename detail::row_nodes<E>::type{});
}

}  // namespace inlay::inline INLAY_ABI::online

INLAY_STRICT_DEVICE_END
