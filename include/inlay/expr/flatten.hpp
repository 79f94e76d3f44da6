// SPDX-License-Identifier: Apache-2.0
/// A tree becomes a list of unique values. Two subtrees are one value when they are the same type read through the same
/// index maps, so a shared subtree is evaluated once per coordinate, and one slot read twice is loaded once.
///
/// Total views vanish into the path of what lies below them. A piecewise view is one value; what lies below it is a
/// list of its own per piece, evaluated only where that piece is read.
#pragma once

#include <inlay/expr/leaf.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

/// A node reached along a path of views, outermost first.
template <class Node, class Path>
struct Value {
    using node = Node;
    using path = Path;
};

namespace detail {

template <class Path>
struct path_key;
template <class... V, int... K>
struct path_key<types<path_step<V, K>...>> {
    using type = types<path_step<typename V::key, K>...>;
};
/// The key by which two values are one: the node, and the index maps above it. The value of a Coord depends on the
/// ranks and extents of the views too, so it keeps its whole path.
template <class V>
struct key_of_value {
    using type = Value<typename V::node, typename path_key<typename V::path>::type>;
};
template <int Axis, class Path>
struct key_of_value<Value<Coord<Axis>, Path>> {
    using type = Value<Coord<Axis>, Path>;
};
template <class V>
using value_key = typename key_of_value<V>::type;

template <class Node>
constexpr bool total_view() {
    if constexpr (Node::kind == NodeKind::view) return !Node::piecewise;
    else return false;
}

template <class Node, class Path, bool Total = total_view<Node>()>
struct resolved {
    using type = Value<Node, Path>;
};
template <class Node, class Path>
struct resolved<Node, Path, true> {
    using type =
        typename resolved<type_at<0, typename Node::children>, join_types<Path, types<path_step<Node, 0>>>>::type;
};

template <class List, class Keys>
struct Flat {
    using values = List;
    using keys = Keys;
};

template <class F, class V>
struct collect;

template <class F, class Path, class Children>
struct collect_children {
    using type = F;
};
template <class F, class Path, class K, class... Rest>
struct collect_children<F, Path, types<K, Rest...>> {
    using type = typename collect_children<typename collect<F, typename resolved<K, Path>::type>::type, Path,
                                       types<Rest...>>::type;
};

template <class F, class V, bool Known>
struct collect_new {
    using type = F;
};
template <class F, class V>
struct collect_new<F, V, false> {
    template <class N>
    static constexpr bool below = N::kind == NodeKind::pointwise;
    using children = std::conditional_t<below<typename V::node>, typename V::node::children, types<>>;
    using under = typename collect_children<F, typename V::path, children>::type;
    using type =
        Flat<join_types<typename under::values, types<V>>, join_types<typename under::keys, types<value_key<V>>>>;
};
template <class F, class V>
struct collect : collect_new<F, V, (index_in<typename F::keys, value_key<V>> >= 0)> {};

}  // namespace detail

/// The unique values of E below Path, operands before results; the last one is E itself.
template <class E, class Path = types<>>
using flatten =
    typename detail::collect<detail::Flat<types<>, types<>>, typename detail::resolved<E, Path>::type>::type;

/// Index of a child of a pointwise value in its list.
template <class F, class Child, class Path>
inline constexpr int index_of =
    detail::index_in<typename F::keys, detail::value_key<typename detail::resolved<Child, Path>::type>>;

}  // namespace inlay::inline INLAY_ABI
