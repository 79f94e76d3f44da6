// SPDX-License-Identifier: Apache-2.0
/// Scores that are linear in the product of query and key and in the number of the key, as with slopes or a
/// temperature, taken apart by their types.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/plan/attention/online/dependence.hpp>
#include <inlay/plan/attention/row_value.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class A, class B>
struct sum_of_parts {
    using type = Add<A, B>;
};
template <class A>
struct sum_of_parts<A, Const<0>> {
    using type = A;
};
template <class B>
struct sum_of_parts<Const<0>, B> {
    using type = B;
};
template <>
struct sum_of_parts<Const<0>, Const<0>> {
    using type = Const<0>;
};
template <class A, class B>
using sum_of = typename sum_of_parts<A, B>::type;
template <class A, class By>
using times = std::conditional_t<std::is_same_v<A, Const<0>>, A,
                                 std::conditional_t<std::is_same_v<A, Const<1>>, By, Mul<A, By>>>;
template <class A>
using negated = std::conditional_t<std::is_same_v<A, Const<0>>, A, Neg<A>>;

template <class Nodes>
inline constexpr bool has_product = false;
template <class... N>
inline constexpr bool has_product<types<N...>> = (std::is_same_v<N, Out> || ...);
/// True of an expression that is the same for all keys of a row, where no tensor varies along the keys.
template <class E>
inline constexpr bool of_row = !has_product<nodes_of<E>> && !online::reads_key<E>;

/// E as of_product · Out + of_key · key + the rest, all three of the row alone.
template <class E>
struct LinearScore {
    static constexpr bool possible = of_row<E>;
    using of_product = Const<0>;
    using of_key = Const<0>;
};
template <>
struct LinearScore<Out> {
    static constexpr bool possible = true;
    using of_product = Const<1>;
    using of_key = Const<0>;
};
template <int Axis>
    requires (score_axis<Axis> == 3)
struct LinearScore<Coord<Axis>> {
    static constexpr bool possible = true;
    using of_product = Const<0>;
    using of_key = Const<1>;
};
template <class A, class B>
struct LinearScore<Add<A, B>> {
    static constexpr bool possible = LinearScore<A>::possible && LinearScore<B>::possible;
    using of_product = sum_of<typename LinearScore<A>::of_product, typename LinearScore<B>::of_product>;
    using of_key = sum_of<typename LinearScore<A>::of_key, typename LinearScore<B>::of_key>;
};
template <class A>
struct LinearScore<Neg<A>> {
    static constexpr bool possible = LinearScore<A>::possible;
    using of_product = negated<typename LinearScore<A>::of_product>;
    using of_key = negated<typename LinearScore<A>::of_key>;
};
template <class A, class B>
struct LinearScore<Sub<A, B>> : LinearScore<Add<A, Neg<B>>> {};
template <class A, class By>
struct LinearProduct {
    static constexpr bool possible = LinearScore<A>::possible;
    using of_product = times<typename LinearScore<A>::of_product, By>;
    using of_key = times<typename LinearScore<A>::of_key, By>;
};
template <class A, class B>
    requires of_row<B>
struct LinearScore<Mul<A, B>> : LinearProduct<A, B> {};
template <class A, class B>
    requires(of_row<A> && !of_row<B>)
struct LinearScore<Mul<A, B>> : LinearProduct<B, A> {};
template <class A, class B>
    requires of_row<B>
struct LinearScore<Div<A, B>> : LinearProduct<A, Div<Const<1>, B>> {};

/// True if a score rises or falls along the keys by the same number from key to key, where no tensor in it varies along
/// them. sm_90a's engine then visits blocks of keys from the last one on: ALiBi's scores are greatest there, and no
/// maximum grows later.
template <class E>
inline constexpr bool leans_along_keys = [] {
    if constexpr (!LinearScore<E>::possible) return false;
    else return !std::is_same_v<typename LinearScore<E>::of_key, Const<0>>;
}();

}  // namespace detail

using detail::LinearScore;
template <class E>
inline constexpr bool score_leans = detail::leans_along_keys<E>;

}  // namespace inlay::inline INLAY_ABI
