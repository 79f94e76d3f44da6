// SPDX-License-Identifier: Apache-2.0
/// The parts of a condition on scores [B, heads, Sq, Skv] that do not depend on the key: as numbers at a row, exact where
/// they are rational, and the direction in which they change from row to row.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/plan/attention/rational.hpp>

namespace inlay::inline INLAY_ABI {

/// A row of scores: a query of a head.
struct ScoreRow {
    index_t batch = 0, head = 0, query = 0;
};

namespace detail {

/// A constant factor of a product or quotient, by which E is `factor` · `inner_of`; none of other nodes.
template <class E>
inline constexpr Rational factor = {};
template <Real V, class B>
inline constexpr Rational factor<Mul<node::Const<V>, B>> = rational(value_of(V));
template <class A, Real V>
inline constexpr Rational factor<Mul<A, node::Const<V>>> = rational(value_of(V));
template <Real U, Real V>
inline constexpr Rational factor<Mul<node::Const<U>, node::Const<V>>> = rational(value_of(U));
template <class A, Real V>
inline constexpr Rational factor<Div<A, node::Const<V>>> = inverse(rational(value_of(V)));
template <class E>
inline constexpr Rational factor<Neg<E>> = {-1, 1};

template <class E>
struct inner_beside_factor {
    using type = type_at<0, typename E::children>;
};
template <Real V, class B>
struct inner_beside_factor<Mul<node::Const<V>, B>> {
    using type = B;
};
template <class E>
using inner_of = typename inner_beside_factor<E>::type;
template <class E>
inline constexpr bool has_factor = factor<E>.over != 0;

template <class E>
inline constexpr bool is_sum_of = false;
template <class A, class B>
inline constexpr bool is_sum_of<Add<A, B>> = true;
template <class A, class B>
inline constexpr bool is_sum_of<Sub<A, B>> = true;
template <class E>
inline constexpr bool is_extreme = false;
template <class A, class B>
inline constexpr bool is_extreme<Min<A, B>> = true;
template <class A, class B>
inline constexpr bool is_extreme<Max<A, B>> = true;
template <class E>
inline constexpr bool is_rounded = false;
template <class A>
inline constexpr bool is_rounded<Floor<A>> = true;
template <class A>
inline constexpr bool is_rounded<Ceil<A>> = true;
template <class E>
inline constexpr bool is_ascending = false;
template <class E>
inline constexpr bool is_ascending<Ascending<E>> = true;
template <class E>
inline constexpr bool is_minimum = false;
template <class A, class B>
inline constexpr bool is_minimum<Min<A, B>> = true;
template <class E>
inline constexpr bool is_difference = false;
template <class A, class B>
inline constexpr bool is_difference<Sub<A, B>> = true;
template <class E>
inline constexpr bool is_floor = false;
template <class A>
inline constexpr bool is_floor<Floor<A>> = true;

/// A number by which E is multiplied to be an integer wherever its slots are.
template <class E>
INLAY_FN constexpr index_t scale_of();
template <class... K>
INLAY_FN constexpr index_t scale_of_all(types<K...>) {
    index_t all = 1;
    ((all = common_multiple(all, scale_of<K>())), ...);
    return all;
}
template <class E>
INLAY_FN constexpr index_t scale_of() {
    if constexpr (is_const<E>) return rational(E::value).over != 0 ? rational(E::value).over : 1;
    else if constexpr (has_factor<E>) return factor<E>.over * scale_of<inner_of<E>>();
    else if constexpr (is_sum_of<E> || is_extreme<E> || is_ascending<E>) return scale_of_all(typename E::children{});
    else return 1;
}

/// True of numbers made of coordinates and rational constants alone: they are computed as integers, others in double.
template <class E>
INLAY_FN constexpr bool is_whole();
template <class... K>
INLAY_FN constexpr bool are_whole(types<K...>) {
    return (is_whole<K>() && ...);
}
template <class E>
INLAY_FN constexpr bool is_whole() {
    if constexpr (is_const<E>) return rational(E::value).over != 0;
    else if constexpr (is_coord<E> || is_query_position<E>) return true;
    else if constexpr (has_factor<E>) return is_whole<inner_of<E>>();
    else if constexpr (is_sum_of<E> || is_extreme<E> || is_rounded<E>) return are_whole(typename E::children{});
    else return false;
}
template <class E>
using Number = std::conditional_t<is_whole<E>(), index_t, double>;

/// The axis of scores that a leaf reads, 0 to 3.
template <int Axis>
inline constexpr int score_axis = Axis < 0 ? Axis + 4 : Axis;
/// True where the tensor of a slot varies along an axis of scores.
template <int I, class Environment>
INLAY_FN constexpr bool varies(const Environment& env, int axis) {
    const auto& t = env.template tensor<I>();
    constexpr int R = std::remove_cvref_t<decltype(t)>::rank;
    static_assert(R <= 4, "inlay: a tensor of a condition broadcasts over scores [B, heads, Sq, Skv]");
    return axis >= 4 - R && t.extents[axis - (4 - R)] != 1;
}
template <int I, class Environment>
INLAY_FN constexpr double element(const Environment& env, const ScoreRow& row, index_t key) {
    const auto& t = env.template tensor<I>();
    constexpr int R = std::remove_cvref_t<decltype(t)>::rank;
    const index_t c[] = {row.batch, row.head, row.query, key};
    index_t at = 0;
    INLAY_UNROLL
    for (int i = 0; i < R; ++i) at += t.extents[i] == 1 ? 0 : c[4 - R + i] * t.strides[i];
    return from_storage<double>(t.data[at]);
}

/// `scale` · E at a key of a row; `scale` is a multiple of `scale_of<E>()`.
template <class N, class E, class Environment>
INLAY_FN constexpr N row_value(const Environment& env, const ScoreRow& row, index_t scale = scale_of<E>(),
                               index_t key = 0);

template <class E, class Environment, class... K>
INLAY_FN constexpr double applied(const Environment& env, const ScoreRow& row, index_t key, types<K...>) {
    return E::apply((row_value<double, K>(env, row, scale_of<K>(), key) / static_cast<double>(scale_of<K>()))...);
}
template <class N, class E, class Environment, class A, class B>
INLAY_FN constexpr N value_of_two(const Environment& env, const ScoreRow& row, index_t scale, index_t key,
                                  types<A, B>) {
    const N a = row_value<N, A>(env, row, scale, key), b = row_value<N, B>(env, row, scale, key);
    if constexpr (is_extreme<E>) return (is_minimum<E> ? b < a : a < b) ? b : a;
    else return is_difference<E> ? a - b : a + b;
}
template <class N, class E, class Environment>
INLAY_FN constexpr N row_value(const Environment& env, const ScoreRow& row, index_t scale, index_t key) {
    if constexpr (is_const<E>) {
        constexpr Rational r = rational(E::value);
        if constexpr (r.over != 0) return static_cast<N>(scale / r.over * r.number);
        else return static_cast<N>(static_cast<double>(scale) * E::value);
    } else if constexpr (is_coord<E>) {
        constexpr int axis = score_axis<E::axis>;
        static_assert(axis >= 0 && axis < 4, "inlay: Coord of a condition names an axis of [B, heads, Sq, Skv]");
        return static_cast<N>(scale * (axis == 0 ? row.batch : axis == 1 ? row.head : axis == 2 ? row.query : key));
    } else if constexpr (is_query_position<E>) {
        return static_cast<N>(scale * (row.query + env.out[3] - env.out[2]));
    } else if constexpr (is_param<E>) {
        return static_cast<double>(scale) * env.template scalar<E::slot>()();
    } else if constexpr (is_buf<E>) {
        return static_cast<double>(scale) * element<E::slot>(env, row, key);
    } else if constexpr (has_factor<E>) {
        constexpr Rational f = factor<E>;
        return static_cast<N>(f.number) * row_value<N, inner_of<E>>(env, row, scale / f.over, key);
    } else if constexpr (is_sum_of<E> || is_extreme<E>) {
        return value_of_two<N, E>(env, row, scale, key, typename E::children{});
    } else if constexpr (is_ascending<E>) {
        return row_value<N, inner_of<E>>(env, row, scale, key);
    } else if constexpr (is_rounded<E>) {
        using G = inner_of<E>;
        const auto inner = row_value<Number<G>, G>(env, row, scale_of<G>(), key);
        if constexpr (is_whole<G>())
            return static_cast<N>(scale * (is_floor<E> ? floor_quotient(inner, scale_of<G>())
                                                       : ceil_quotient(inner, scale_of<G>())));
        else {
            const double exact = inner / static_cast<double>(scale_of<G>());
            return static_cast<double>(scale * (is_floor<E> ? floor_of(exact) : ceil_of(exact)));
        }
    } else {
        return static_cast<double>(scale) * applied<E>(env, row, key, typename E::children{});
    }
}

/// The ways a number may change along an axis of scores; both together: in any way.
inline constexpr int constant_along = 0, rises = 1, falls = 2, any_way = 3;

/// The way E changes along the heads (1) or queries (2).
template <class E, class Environment>
INLAY_FN constexpr int direction(const Environment& env, int axis);
template <class E, class Environment, class... K>
INLAY_FN constexpr int direction_of_node(const Environment& env, int axis, types<K...>) {
    if constexpr (sizeof...(K) == 2 && is_difference<E>) {
        const int d[] = {direction<K>(env, axis)...};
        return d[0] | ((d[1] & 1) << 1 | d[1] >> 1);
    } else {
        const int all = (0 | ... | direction<K>(env, axis));
        return is_sum_of<E> || is_extreme<E> || is_rounded<E> || all == constant_along ? all : any_way;
    }
}
template <class E, class Environment>
INLAY_FN constexpr int direction(const Environment& env, int axis) {
    if constexpr (is_coord<E>) return axis == score_axis<E::axis> ? rises : constant_along;
    else if constexpr (is_query_position<E>) return axis == 2 ? rises : constant_along;
    else if constexpr (is_buf<E>) return varies<E::slot>(env, axis) ? any_way : constant_along;
    else if constexpr (has_factor<E>) {
        const int d = direction<inner_of<E>>(env, axis);
        return factor<E>.number > 0 ? d : ((d & 1) << 1 | d >> 1);
    } else if constexpr (is_ascending<E>) {
        const int d = direction<inner_of<E>>(env, axis);
        return d == constant_along || axis != 2 ? d : rises;
    } else {
        return direction_of_node<E>(env, axis, typename E::children{});
    }
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
