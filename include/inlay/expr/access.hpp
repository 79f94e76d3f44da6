// SPDX-License-Identifier: Apache-2.0
/// The access lattice: how the data of an expression can reach a kernel, derived from types alone. Each leaf has its
/// own access class, so that one scalar node does not demote the rest of the tree.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/flatten.hpp>
#include <inlay/expr/print.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/broadcast.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/dilate.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/im2col.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/paged.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/view/published.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/expr/view/upsample.hpp>

namespace inlay::inline INLAY_ABI {

/// Best first. plain: a contiguous or pitched buffer. affine: slice, permute, reshape, broadcast. piecewise: concat,
/// upsample, padding: one map per piece. pointwise: a function of views, applied on the way to the matrix unit.
/// general: gather, pages, a run-time axis.
enum class AccessClass { plain = 1, affine, piecewise, pointwise, general };

constexpr const char* name(AccessClass r) {
    switch (r) {
        case AccessClass::plain: return "plain";
        case AccessClass::affine: return "affine view";
        case AccessClass::piecewise: return "piecewise view";
        case AccessClass::pointwise: return "pointwise over views";
        case AccessClass::general: return "general";
    }
    return "?";
}

namespace detail {

constexpr AccessClass worse(AccessClass a, AccessClass b) { return a > b ? a : b; }
template <auto Axis>
constexpr AccessClass axis_access_class(AccessClass otherwise) {
    return std::is_same_v<std::remove_cvref_t<decltype(Axis)>, ParamSlot> ? AccessClass::general : otherwise;
}

/// The class to which a view demotes the leaves below it. A view of the user's own is general.
template <class V>
inline constexpr AccessClass view_access_class = AccessClass::general;
template <class E, auto A, auto S, auto N>
inline constexpr AccessClass view_access_class<node::Slice<E, A, S, N>> = axis_access_class<A>(AccessClass::affine);
template <class E, index_t... P>
inline constexpr AccessClass view_access_class<node::Permute<E, P...>> = AccessClass::affine;
template <class E, index_t A, index_t B>
inline constexpr AccessClass view_access_class<node::Transpose<E, A, B>> = AccessClass::affine;
template <class E, auto... D>
inline constexpr AccessClass view_access_class<node::Reshape<E, D...>> = AccessClass::affine;
template <class E, class L>
inline constexpr AccessClass view_access_class<node::Broadcast<E, L>> = AccessClass::affine;
template <class E>
inline constexpr AccessClass view_access_class<PublishedMean<E>> = AccessClass::affine;
template <class E, Real Eps>
inline constexpr AccessClass view_access_class<node::PublishedRstd<E, Eps>> = AccessClass::affine;
template <auto A, class... E>
inline constexpr AccessClass view_access_class<node::Concat<A, E...>> = axis_access_class<A>(AccessClass::piecewise);
template <class E, auto A, auto B, auto C, Real V>
inline constexpr AccessClass view_access_class<node::Pad<E, A, B, C, V>> = axis_access_class<A>(AccessClass::piecewise);
template <class E, index_t F, index_t... A>
inline constexpr AccessClass view_access_class<node::Dilate<E, F, A...>> = AccessClass::piecewise;
template <class E, index_t F, index_t... A>
inline constexpr AccessClass view_access_class<node::Upsample<E, F, A...>> = AccessClass::piecewise;
template <class E, index_t... N>
inline constexpr AccessClass view_access_class<node::Im2col<E, N...>> = AccessClass::piecewise;

template <class Path>
struct path_access_class;
template <class... V, int... K>
struct path_access_class<types<path_step<V, K>...>> {
    static constexpr AccessClass value = [] {
        AccessClass r = AccessClass::plain;
        ((r = worse(r, view_access_class<V>)), ...);
        return r;
    }();
    /// The outermost view that determined the class.
    static constexpr Letters why() {
        Letters s;
        ((s = s.empty() && value != AccessClass::plain && view_access_class<V> == value ? template_name<V>() : s), ...);
        return s;
    }
};

template <class E>
struct access_class;
template <class E, class Children>
struct access_class_from;
template <class E, class... K>
struct access_class_from<E, types<K...>> {
    static constexpr AccessClass below = [] {
        AccessClass r = AccessClass::plain;
        ((r = worse(r, access_class<K>::value)), ...);
        return r;
    }();
};
template <class E>
struct access_class {
    /// The class of the node alone, then with the nodes below it.
    static constexpr AccessClass own = E::kind == NodeKind::leaf        ? AccessClass::plain
                                       : E::kind == NodeKind::pointwise ? AccessClass::pointwise
                                                                        : view_access_class<E>;
    static constexpr AccessClass value = worse(own, access_class_from<E, typename E::children>::below);
};

/// Operations of the special function unit per element of a node, at most; where 16 bits are kept, SiLU and QuickGELU
/// take one. A division is a reciprocal. User nodes: 0.
template <class N>
inline constexpr int special_of = 0;
template <class E> inline constexpr int special_of<Silu<E>> = 2;
template <class E> inline constexpr int special_of<Sigmoid<E>> = 2;
template <class E> inline constexpr int special_of<QuickGelu<E>> = 2;
template <class E> inline constexpr int special_of<Gelu<E>> = 1;
template <class E> inline constexpr int special_of<GeluTanh<E>> = 1;
template <class E> inline constexpr int special_of<Erf<E>> = 1;
template <class E> inline constexpr int special_of<Tanh<E>> = 1;
template <class E> inline constexpr int special_of<Exp<E>> = 1;
template <class E> inline constexpr int special_of<Exp2<E>> = 1;
template <class E> inline constexpr int special_of<Log<E>> = 1;
template <class E> inline constexpr int special_of<Sqrt<E>> = 1;
template <class E> inline constexpr int special_of<Rsqrt<E>> = 1;
template <class E> inline constexpr int special_of<Sin<E>> = 1;
template <class E> inline constexpr int special_of<Cos<E>> = 1;
template <class A, class B> inline constexpr int special_of<Div<A, B>> = 1;
template <class A, class B> inline constexpr int special_of<Pow<A, B>> = 2;

struct Operations {
    int pointwise = 0, special = 0;
};

/// Those of a list of values, each counted once; of a piecewise view, those of its most expensive piece.
template <class V>
constexpr Operations operations_of_value();
template <class... V, class Keys>
constexpr Operations operations_in(Flat<types<V...>, Keys>) {
    Operations all;
    const auto add = [&](Operations o) {
        all.pointwise += o.pointwise;
        all.special += o.special;
    };
    (add(operations_of_value<V>()), ...);
    return all;
}
template <class V>
constexpr Operations operations_of_value() {
    using Node = typename V::node;
    if constexpr (Node::kind == NodeKind::pointwise) {
        return {1, special_of<Node>};
    } else if constexpr (Node::kind == NodeKind::view) {
        Operations most;
        const auto dearer = [&](Operations o) {
            most.pointwise = o.pointwise > most.pointwise ? o.pointwise : most.pointwise;
            most.special = o.special > most.special ? o.special : most.special;
        };
        [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
            (dearer(operations_in(flatten<K, join_types<typename V::path, types<path_step<Node, I>>>>{})), ...);
        }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
        return most;
    } else {
        return {};
    }
}

}  // namespace detail

/// The access class of a whole expression.
template <class E>
inline constexpr AccessClass access_class_of = detail::access_class<E>::value;
/// The first operation, operands before results, that determined the class; empty for a plain one.
template <class E>
constexpr Letters reason_of() {
    return []<class... N>(types<N...>) {
        Letters s;
        constexpr AccessClass all = access_class_of<E>;
        ((s = s.empty() && all != AccessClass::plain && detail::access_class<N>::own == all
                  ? detail::template_name<N>()
                  : s),
         ...);
        return s;
    }(nodes_of<E>{});
}
/// Pointwise operations, and those of the special function unit among them, per element. A shared subtree counts once;
/// of a piecewise view, of which an element reads one piece, the most expensive piece counts.
template <class E>
inline constexpr int operations_of = detail::operations_in(flatten<E>{}).pointwise;
template <class E>
inline constexpr int special_functions_of = detail::operations_in(flatten<E>{}).special;

}  // namespace inlay::inline INLAY_ABI
