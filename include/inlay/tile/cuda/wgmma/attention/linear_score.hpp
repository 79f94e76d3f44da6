// SPDX-License-Identifier: Apache-2.0
/// Scores that are linear in the product of query and key and in the number of the key, as with slopes or a
/// temperature: what changes from row to row alone is computed once for all scores of a row, and a score takes two
/// operations.
#pragma once

#include <inlay/plan/attention/online/dependence.hpp>
#include <inlay/tile/cuda/wgmma/attention/score_leaves.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

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
    requires is_key_number<Coord<Axis>>
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

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::on_gpu
