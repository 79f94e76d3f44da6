// SPDX-License-Identifier: Apache-2.0
/// The nodes of a condition whose arithmetic stays exact: sums, constant factors, rounding, the lesser and the greater.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/plan/attention/rational.hpp>

namespace inlay::inline INLAY_ABI::detail {

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

}  // namespace inlay::inline INLAY_ABI::detail
