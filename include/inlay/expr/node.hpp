// SPDX-License-Identifier: Apache-2.0
/// The nodes of an expression: empty types with children. Nodes are leaves, pointwise operations, or views.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/types.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

/// Tag of every expression.
struct expression {
    /// Refuses `if (x > y)` and `c ? x : y`, which C++ cannot hand to a kernel, in a sentence.
    template <std::same_as<bool> Condition>
    explicit constexpr operator Condition() const {
        static_assert(!std::same_as<Condition, bool>,
                      "inlay: an expression is no condition of if or ?:, as it has no value here; where(c, x, y) chooses");
        return false;
    }
};
/// Tag of every sink, which stores a kernel's result.
struct sink_expression {};

/// The state of a view or a sink that computes nothing at prepare.
struct NoState {};

template <class T>
concept Expr = std::derived_from<T, expression>;
template <class T>
concept Sink = std::derived_from<T, sink_expression>;

namespace detail {

/// A number as a template argument of a node: the bits of a double. nvcc prints a double back to the host compiler with
/// 15 digits, which may be another kernel's name, and an infinity as an undeclared one.
enum class Real : std::int64_t {};
INLAY_FN constexpr Real real(double v) { return static_cast<Real>(__builtin_bit_cast(std::int64_t, v)); }
INLAY_FN constexpr double value_of(Real r) { return __builtin_bit_cast(double, static_cast<std::int64_t>(r)); }

}  // namespace detail

enum class NodeKind { leaf, pointwise, view };

/// Base of leaves.
struct leaf : expression {
    using children = types<>;
    static constexpr NodeKind kind = NodeKind::leaf;
};

namespace detail {
/// Leaves are found by their type, which const would change.
template <class E>
inline constexpr bool is_operand = Expr<E> && !(std::is_const_v<E> && std::is_base_of_v<leaf, E>);
template <class S>
inline constexpr bool is_sink = Sink<S> && !std::is_const_v<S>;
}  // namespace detail

/// Base of pointwise operations. An operation derives from it and defines `apply` over the values of its children:
///
///     template <class E>
///     struct Mish : inlay::pointwise<E> {
///         template <class T>
///         INLAY_FN static T apply(T x) { return x * math::tanh(math::log(T(1) + math::exp(x))); }
///     };
///
/// T is float, double, or a short vector of them. That is all a new operation needs.
template <class... E>
struct pointwise : expression {
    static_assert((detail::is_operand<E> && ...),
                  "inlay: the operands of an operation are expressions such as Buf<0>: no tensor, sink, frame or number, "
                  "and no leaf of const, as decltype(buf<0>) is");
    using children = types<E...>;
    static constexpr NodeKind kind = NodeKind::pointwise;
};

/// Base of views: nodes that compute nothing and read their children at other coordinates.
template <class... E>
struct view : expression {
    static_assert((detail::is_operand<E> && ...),
                  "inlay: the operands of a view are expressions such as Buf<0>: no tensor, sink, frame or number, and no "
                  "leaf of const, as decltype(buf<0>) is");
    using children = types<E...>;
    static constexpr NodeKind kind = NodeKind::view;
    /// A piecewise view reads one of several children (or a fill value), depending on the coordinate.
    static constexpr bool piecewise = false;
    template <class Environment, int... R>
    static NoState bind(const Environment&, const Extents<R>&...) {
        return {};
    }
};

/// Base of sinks over one other, of the same rank, that compute nothing at prepare.
template <class S>
struct stateless_sink : sink_expression {
    static_assert(detail::is_sink<S>, "inlay: a sink stands over a sink such as Store<0>, not over an expression");
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static NoState bind(const Extents<R>&) {
        return {};
    }
    template <class Walk>
    INLAY_FN static int piece(const NoState&, const Walk&) {
        return 0;
    }
};
/// A sink that publishes to output slot J beside a result, and leaves extents and places as they are.
template <class S, int J>
struct publishing_sink : stateless_sink<S> {
    static constexpr int slot = J;
    template <int R>
    static Extents<R> extents(const Extents<R>& e) {
        return e;
    }
    template <int K, class Walk>
    INLAY_FN static Walk enter(const NoState&, const Walk& w) {
        return w;
    }
};

namespace detail {

/// Stands for a child in the key of a view whose index map does not depend on that child.
struct any_child : leaf {};

template <class T>
struct all_nodes_of;

template <class T, class Children>
struct with_children;
template <class T, class... Child>
struct with_children<T, types<Child...>> {
    using type = unite_types<typename all_nodes_of<Child>::type..., types<T>>;
};
template <class T>
struct all_nodes_of : with_children<T, typename T::children> {};

}  // namespace detail

/// The distinct nodes of an expression or sink, children before parents.
template <class T>
using nodes_of = typename detail::all_nodes_of<T>::type;

/// The common extents of two operands under NumPy's broadcasting; -1 marks an axis on which they disagree.
template <int A, int B>
INLAY_FN constexpr auto broadcast_extents(const Extents<A>& a, const Extents<B>& b) {
    constexpr int R = A > B ? A : B;
    Extents<R> r{};
    for (int i = 0; i < R; ++i) {
        const index_t x = i < A ? a.back(i) : 1, y = i < B ? b.back(i) : 1;
        r.back(i) = x == 1 ? y : (y == 1 || x == y) ? x : -1;
    }
    return r;
}

}  // namespace inlay::inline INLAY_ABI
