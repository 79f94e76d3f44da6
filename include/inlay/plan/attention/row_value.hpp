// SPDX-License-Identifier: Apache-2.0
/// The parts of a condition on scores [B, heads, Sq, Skv] that do not depend on the key: as numbers at a row, exact
/// where they are rational, and the direction in which they change from row to row.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/attention/arithmetic.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

/// A row of scores: a query of a head.
struct ScoreRow {
    index_t batch = 0, head = 0, query = 0;
};

namespace detail {

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
            return static_cast<double>(scale) *
                   static_cast<double>(is_floor<E> ? floor_of(exact) : ceil_of(exact));
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

INLAY_STRICT_DEVICE_END
