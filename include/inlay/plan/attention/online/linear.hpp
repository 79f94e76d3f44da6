// SPDX-License-Identifier: Apache-2.0
/// Exponents that are linear in the score: slope · s + offset, both of a row. Offsets are computed once a row and block
/// of keys, so that a weight is one multiply-add and one exponential a key.
#pragma once

#include <inlay/plan/attention/online/sums.hpp>

namespace inlay::inline INLAY_ABI::online {

/// Slope · score + Offset, each an expression of the row; void where there is none.
template <class Slope, class Offset>
struct LinearInScore {
    using slope = Slope;
    using offset = Offset;
};

namespace detail {

/// Factor times a slope, of which 1 is not written.
template <class F, class Slope>
struct steeper : scaled<F, Slope> {};
template <class F>
struct steeper<F, Const<1.0>> {
    using type = F;
};

/// Operations on two linear forms, or on one and a factor; void is no linear form.
template <class A, class B>
struct linear_sum {
    using type = void;
};
template <class S, class O, class T, class Q>
struct linear_sum<LinearInScore<S, O>, LinearInScore<T, Q>> {
    using type = LinearInScore<typename added<S, T>::type, typename added<O, Q>::type>;
};
template <class A, class B>
struct linear_difference {
    using type = void;
};
template <class S, class O, class T, class Q>
struct linear_difference<LinearInScore<S, O>, LinearInScore<T, Q>> {
    using type = LinearInScore<typename subtracted<S, T>::type, typename subtracted<O, Q>::type>;
};
template <class F, class A>
struct linear_multiple {
    using type = void;
};
template <class F, class S, class O>
struct linear_multiple<F, LinearInScore<S, O>> {
    using type = LinearInScore<typename steeper<F, S>::type, typename scaled<F, O>::type>;
};
template <class A, class F>
struct linear_quotient {
    using type = void;
};
template <class S, class O, class F>
struct linear_quotient<LinearInScore<S, O>, F> {
    using type = LinearInScore<typename divided<S, F>::type, typename divided<O, F>::type>;
};

template <class E, class Leaf>
struct linear {
    using type = std::conditional_t<reads_key<E>, void, LinearInScore<void, E>>;
};
template <class Leaf>
struct linear<Leaf, Leaf> {
    using type = LinearInScore<Const<1.0>, void>;
};
template <class A, class B, class Leaf>
    requires(reads_key<Add<A, B>>)
struct linear<Add<A, B>, Leaf> : linear_sum<typename linear<A, Leaf>::type, typename linear<B, Leaf>::type> {};
template <class A, class B, class Leaf>
    requires(reads_key<Sub<A, B>>)
struct linear<Sub<A, B>, Leaf> : linear_difference<typename linear<A, Leaf>::type, typename linear<B, Leaf>::type> {};
template <class A, class Leaf>
    requires(reads_key<A>)
struct linear<Neg<A>, Leaf> : linear_difference<LinearInScore<void, void>, typename linear<A, Leaf>::type> {};
template <class F, class E, class Leaf>
    requires(!reads_key<F> && reads_key<E>)
struct linear<Mul<F, E>, Leaf> : linear_multiple<F, typename linear<E, Leaf>::type> {};
template <class E, class F, class Leaf>
    requires(reads_key<E> && !reads_key<F>)
struct linear<Mul<E, F>, Leaf> : linear_multiple<F, typename linear<E, Leaf>::type> {};
template <class E, class F, class Leaf>
    requires(reads_key<E> && !reads_key<F>)
struct linear<Div<E, F>, Leaf> : linear_quotient<typename linear<E, Leaf>::type, F> {};

template <class W>
struct exponent {
    using type = void;
};
template <class E>
struct exponent<Exp<E>> {
    using type = E;
};
template <class E>
struct exponent<Exp2<E>> {
    using type = E;
};

}  // namespace detail

/// E as a `LinearInScore` of Leaf, Score or SecondScore; void if it is not linear.
template <class E, class Leaf = Score>
using linear_of = typename detail::linear<E, Leaf>::type;
/// Weights that are one exponential of a number linear in the score.
template <class W, class Leaf = Score>
concept LinearExponential = !std::is_void_v<typename detail::exponent<W>::type> &&
                            !std::is_void_v<linear_of<typename detail::exponent<W>::type, Leaf>>;

}  // namespace inlay::inline INLAY_ABI::online
