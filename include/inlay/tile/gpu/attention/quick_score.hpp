// SPDX-License-Identifier: Apache-2.0
/// Scores as device code evaluates them, for each pair of a query and a key: without divisions, and tanh in few
/// instructions.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/leaf.hpp>
#include <inlay/expr/unary.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// tanh by one special function: absolute error at most 2⁻¹⁷.
template <class E>
struct CoarseTanh : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return math::coarse_tanh(x);
    }
};
/// tanh by two: absolute error at most 2⁻²¹, which is what counts in an exponent.
template <class E>
struct QuickTanh : pointwise<E> {
    template <class T>
    INLAY_FN static T apply(const T& x) {
        return T(1) - math::quotient(T(2), T(1) + math::quick_exp(T(2) * x));
    }
};

namespace detail {

/// Coarse: the greatest factor of a tanh whose error may be that of the coarse one. An error of a score is a relative
/// one of its probability, which is rounded to T: 2⁻¹⁷ times the factor stays within half of that. So softcaps of up to
/// 32 in fp16 and 256 in bf16 cost one special function of a score, others two.
template <class T>
inline constexpr double coarse = 0;
template <>
inline constexpr double coarse<fp16> = 0x1p-12 * 0x1p17;
template <>
inline constexpr double coarse<bf16> = 0x1p-9 * 0x1p17;

template <class E, class T>
struct quick {
    using type = E;
};
template <template <class...> class Node, class... C, class T>
struct quick<Node<C...>, T> {
    using type = Node<typename quick<C, T>::type...>;
};
template <class E, class T>
struct quick<Tanh<E>, T> {
    using type = QuickTanh<typename quick<E, T>::type>;
};
template <inlay::detail::Real V, class E, class T>
    requires(inlay::detail::value_of(V) <= coarse<T> && inlay::detail::value_of(V) >= -coarse<T>)
struct quick<Mul<node::Const<V>, Tanh<E>>, T> {
    using type = Mul<node::Const<V>, CoarseTanh<typename quick<E, T>::type>>;
};
template <class A, inlay::detail::Real V, class T>
struct quick<Div<A, node::Const<V>>, T> : quick<Mul<A, Const<1 / inlay::detail::value_of(V)>>, T> {};
template <class A, inlay::detail::Real V, inlay::detail::Real W, class T>
struct quick<Mul<Mul<A, node::Const<V>>, node::Const<W>>, T>
    : quick<Mul<A, Const<inlay::detail::value_of(V) * inlay::detail::value_of(W)>>, T> {};
/// One division for many scores.
template <class A, int I, class T>
struct quick<Div<A, Param<I>>, T> {
    using type = Mul<typename quick<A, T>::type, Div<Const<1>, Param<I>>>;
};

/// Steps keep their operands: 41 times the reciprocal of 41 is less than 1.
template <class E, class T>
struct quick<Floor<E>, T> {
    using type = Floor<E>;
};
template <class E, class T>
struct quick<Ceil<E>, T> {
    using type = Ceil<E>;
};
template <class A, class B, class T>
struct quick<Less<A, B>, T> {
    using type = Less<A, B>;
};
template <class A, class B, class T>
struct quick<LessEqual<A, B>, T> {
    using type = LessEqual<A, B>;
};
template <class A, class B, class T>
struct quick<Greater<A, B>, T> {
    using type = Greater<A, B>;
};
template <class A, class B, class T>
struct quick<GreaterEqual<A, B>, T> {
    using type = GreaterEqual<A, B>;
};
template <class A, class B, class T>
struct quick<Equal<A, B>, T> {
    using type = Equal<A, B>;
};
template <class A, class B, class T>
struct quick<NotEqual<A, B>, T> {
    using type = NotEqual<A, B>;
};

}  // namespace detail

/// Score E of an attention whose probabilities are rounded to T.
template <class E, class T>
using QuickScore = typename detail::quick<E, T>::type;

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash

INLAY_STRICT_DEVICE_END
