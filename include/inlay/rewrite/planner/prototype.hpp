// SPDX-License-Identifier: Apache-2.0
/// Prototypes: a node of an expression apart from its operands, which Buf<0>, Buf<1>, … stand for, and the node again
/// over others.
#pragma once

#include <inlay/expr/leaf.hpp>
#include <inlay/expr/unary.hpp>

#include <utility>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

/// A node's template and static arguments: `over<E...>` is the node over other operands.
template <class E>
struct node_form {
    static_assert(sizeof(E) == 0,
                  "inlay: a layer holds a node whose template arguments are of a form that no prototype has: "
                  "expressions, and numbers before or after them");
};
template <template <class...> class N, class... T>
struct node_form<N<T...>> {
    template <class... New>
    using over = N<New...>;
};
template <template <class, auto...> class N, class T, auto... V>
    requires(sizeof...(V) > 0)
struct node_form<N<T, V...>> {
    template <class New>
    using over = N<New, V...>;
};
template <template <class, class, auto...> class N, class T, class U, auto... V>
    requires(sizeof...(V) > 0)
struct node_form<N<T, U, V...>> {
    template <class New, class More>
    using over = N<New, More, V...>;
};
template <template <auto, class...> class N, auto V, class... T>
    requires(sizeof...(T) > 0)
struct node_form<N<V, T...>> {
    template <class... New>
    using over = N<V, New...>;
};
template <class E, Storage D>
struct node_form<Cast<E, D>> {
    template <class New>
    using over = Cast<New, D>;
};

template <class E, class Sequence>
struct prototype_of;
template <class E, int... I>
struct prototype_of<E, std::integer_sequence<int, I...>> {
    using type = typename node_form<E>::template over<Buf<I>...>;
};

}  // namespace detail

/// E over Buf<0>, Buf<1>, … in place of its operands; a leaf is its own.
template <class E>
struct prototype : detail::prototype_of<E, std::make_integer_sequence<int, E::children::size>> {};
template <class E>
    requires(E::children::size == 0)
struct prototype<E> {
    using type = E;
};
/// The node that prototype E stands for, over the operands New...
template <class E, class... New>
struct substitute {
    using type = typename detail::node_form<E>::template over<New...>;
};
template <class E>
struct substitute<E> {
    using type = E;
};

}  // namespace inlay::inline INLAY_ABI::planner
