// SPDX-License-Identifier: Apache-2.0
/// Hidden keys and rows without a visible key, of which every output with V is 0.
#pragma once

#include <inlay/plan/attention/online/sums.hpp>

namespace inlay::inline INLAY_ABI::online {

/// The test for a row without a visible key.
enum class RowGuard {
    none,     ///< nothing to test: outputs are 0 by themselves
    sum,      ///< a sum of positive weights is 0
    maximum,  ///< the greatest score is -infinity
    count,    ///< the keys are counted, in a sum more
};

namespace detail {

/// True if E is at -infinity where the score is.
template <class E>
inline constexpr bool falls_with_score = false;
template <>
inline constexpr bool falls_with_score<Score> = true;
template <>
inline constexpr bool falls_with_score<SecondScore> = true;
template <class A, class B>
inline constexpr bool falls_with_score<Add<A, B>> =
    (falls_with_score<A> && (!reads_key<B> || falls_with_score<B>)) || (!reads_key<A> && falls_with_score<B>);
template <class A, class B>
inline constexpr bool falls_with_score<Sub<A, B>> = falls_with_score<A> && !reads_key<B>;
template <inlay::detail::Real F, class E>
inline constexpr bool falls_with_score<Mul<node::Const<F>, E>> = node::Const<F>::value > 0 && falls_with_score<E>;
template <inlay::detail::Real F, class E>
inline constexpr bool falls_with_score<Mul<E, node::Const<F>>> = node::Const<F>::value > 0 && falls_with_score<E>;
template <inlay::detail::Real F, class E>
inline constexpr bool falls_with_score<Div<E, node::Const<F>>> = node::Const<F>::value > 0 && falls_with_score<E>;

/// Weights that are positive for every visible key.
template <class W>
inline constexpr bool is_positive = false;
template <class E>
inline constexpr bool is_positive<Exp<E>> = true;
template <class E>
inline constexpr bool is_positive<Exp2<E>> = true;
template <class E>
inline constexpr bool is_positive<Sigmoid<E>> = true;
template <class A, class B>
inline constexpr bool is_positive<Mul<A, B>> = is_positive<A> && is_positive<B>;

template <class W>
inline constexpr bool falls_to_zero = false;
template <class E>
inline constexpr bool falls_to_zero<Exp<E>> = falls_with_score<E>;
template <class E>
inline constexpr bool falls_to_zero<Exp2<E>> = falls_with_score<E>;
template <class E>
inline constexpr bool falls_to_zero<Sigmoid<E>> = falls_with_score<E>;

/// True if output E is 0, and no NaN, where all sums are.
template <class E>
inline constexpr bool zero_without_keys = false;
template <class E>
inline constexpr bool zero_without_keys<KeySum<E>> = true;
template <class A, class B>
inline constexpr bool zero_without_keys<Mul<A, B>> = (zero_without_keys<A> && dependence<B> == 0) ||
                                                     (dependence<A> == 0 && zero_without_keys<B>);
template <class A, class B>
inline constexpr bool zero_without_keys<Div<A, B>> = zero_without_keys<A> && dependence<B> == 0;
template <class A, class B>
inline constexpr bool zero_without_keys<Add<A, B>> = zero_without_keys<A> && zero_without_keys<B>;
template <class A, class B>
inline constexpr bool zero_without_keys<Sub<A, B>> = zero_without_keys<A> && zero_without_keys<B>;
template <class A>
inline constexpr bool zero_without_keys<Neg<A>> = zero_without_keys<A>;

/// True if output E is 0 where its sums with V are, whatever its other sums and maxima are: they are a factor of it.
template <class E>
inline constexpr bool vanishes = false;
template <class E>
inline constexpr bool vanishes<KeySum<E>> = is_vector<KeySum<E>>;
template <class A, class B>
inline constexpr bool vanishes<Mul<A, B>> = vanishes<A> || vanishes<B>;
template <class A, class B>
inline constexpr bool vanishes<Div<A, B>> = vanishes<A> && !is_vector<B>;
template <class A, class B>
inline constexpr bool vanishes<Add<A, B>> = vanishes<A> && vanishes<B>;
template <class A, class B>
inline constexpr bool vanishes<Sub<A, B>> = vanishes<A> && vanishes<B>;
template <class A>
inline constexpr bool vanishes<Neg<A>> = vanishes<A>;

/// True if each of the sums with V is 0 where the sum of W is, as W is a factor of its weights.
template <class W, class Vectors>
inline constexpr bool covers = false;
template <class W, class... V>
inline constexpr bool covers<W, types<V...>> =
    ((std::is_same_v<W, weight_of<V>> || inlay::detail::index_in<factors_of<weight_of<V>>, Times<W>> >= 0) && ...);

/// Place of a scalar sum that is 0 only in rows without a key, or where all weights underflow; -1 without one.
template <class Vectors, class Sums>
inline constexpr int guarding_sum = -1;
template <class Vectors, class... S>
inline constexpr int guarding_sum<Vectors, types<S...>> = [] {
    int i = 0, found = -1;
    ((found = found < 0 && is_positive<weight_of<S>> && covers<weight_of<S>, Vectors> ? i : found, ++i), ...);
    return found;
}();

}  // namespace detail

/// True if weight W is 0 for a hidden key by itself: no instruction has to put the 0 there. Maxima of rows without a
/// visible key must then be taken as finite.
template <class W>
inline constexpr bool hides_itself = detail::falls_to_zero<W>;

}  // namespace inlay::inline INLAY_ABI::online
