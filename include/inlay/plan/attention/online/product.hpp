// SPDX-License-Identifier: Apache-2.0
/// Summands as sums of products. Each product is a list of factors, `Times<F>` or `Over<F>`.
#pragma once

#include <inlay/plan/attention/online/exponent.hpp>

namespace inlay::inline INLAY_ABI::online {

template <class F>
struct Times {
    using factor = F;
};
template <class F>
struct Over {
    using factor = F;
};

namespace detail {

template <class F>
struct inverse;
template <class F>
struct inverse<Times<F>> {
    using type = Over<F>;
};
template <class F>
struct inverse<Over<F>> {
    using type = Times<F>;
};

/// Products of every product of one list with every one of another.
template <class A, class B>
struct cross;
template <class... A, class B>
struct cross<types<A...>, types<B>> {
    using type = types<join_types<A, B>...>;
};
template <class... A, class... B>
    requires(sizeof...(B) > 1)
struct cross<types<A...>, types<B...>> {
    using type = join_types<typename cross<types<A...>, types<B>>::type...>;
};

/// Factors of E, no sum in it multiplied out.
template <class E>
struct factors {
    using type = types<Times<E>>;
};
template <class List>
struct inverses;
template <class... F>
struct inverses<types<F...>> {
    using type = types<typename inverse<F>::type...>;
};
template <class A, class B>
struct factors<Mul<A, B>> {
    using type = join_types<typename factors<A>::type, typename factors<B>::type>;
};
template <class A, class B>
struct factors<Div<A, B>> {
    using type = join_types<typename factors<A>::type, typename inverses<typename factors<B>::type>::type>;
};
template <class A>
struct factors<Neg<A>> {
    using type = join_types<types<Times<Const<-1.0>>>, typename factors<A>::type>;
};

/// A sum is multiplied out if it must be, as it has reductions or V in it, and if both its addends change with the key:
/// Σ (p - λq) V is Σ p V - λ Σ q V. A shift by a reduction is not: Σ (s - mean)² would become the difference of two
/// great sums that are nearly equal.
template <class A, class B>
inline constexpr bool multiplies_out =
    reads_key<A> && reads_key<B> && (holds_reduction<Add<A, B>> || reads_values<Add<A, B>>);

template <class E>
struct products {
    using type = types<types<Times<E>>>;
};
template <class A, class B>
struct products<Mul<A, B>> : cross<typename products<A>::type, typename products<B>::type> {};
template <class A, class B>
struct products<Div<A, B>>
    : cross<typename products<A>::type, types<typename inverses<typename factors<B>::type>::type>> {};
template <class A>
struct products<Neg<A>> : cross<types<types<Times<Const<-1.0>>>>, typename products<A>::type> {};
template <class A, class B>
    requires(multiplies_out<A, B>)
struct products<Add<A, B>> {
    using type = join_types<typename products<A>::type, typename products<B>::type>;
};
template <class A, class B>
    requires(multiplies_out<A, B>)
struct products<Sub<A, B>> {
    using type = join_types<typename products<A>::type, typename products<Neg<B>>::type>;
};

/// E with factors multiplied to it, in order; void is 1.
template <class E, class... F>
struct times {
    using type = E;
};
template <class E, class F, class... More>
struct times<E, Times<F>, More...> : times<Mul<E, F>, More...> {};
template <class E, class F, class... More>
struct times<E, Over<F>, More...> : times<Div<E, F>, More...> {};
template <class F, class... More>
struct times<void, Times<F>, More...> : times<F, More...> {};
template <class F, class... More>
struct times<void, Over<F>, More...> : times<Div<Const<1.0>, F>, More...> {};

template <class E, class List>
struct times_list;
template <class E, class... F>
struct times_list<E, types<F...>> : times<E, F...> {};

/// Factors of a list for which Pick<factor> holds.
template <template <class> class Pick, class... F>
struct picked_of {
    using type = join_types<std::conditional_t<Pick<typename F::factor>::value, types<F>, types<>>...>;
};
template <template <class> class Pick, class List>
struct picked_in;
template <template <class> class Pick, class... F>
struct picked_in<Pick, types<F...>> : picked_of<Pick, F...> {};
template <template <class> class Pick, class List>
using picked = typename picked_in<Pick, List>::type;

/// Exponents of all factors Power<E> together, one sum in the order they were written; void without any.
template <template <class> class Power, class Sum, class... F>
struct exponent_of {
    using type = Sum;
};
template <template <class> class Power, class Sum, class E, class... More>
struct exponent_of<Power, Sum, Times<Power<E>>, More...>
    : exponent_of<Power, typename added<Sum, E>::type, More...> {};
template <template <class> class Power, class Sum, class E, class... More>
struct exponent_of<Power, Sum, Over<Power<E>>, More...>
    : exponent_of<Power, typename subtracted<Sum, E>::type, More...> {};
template <template <class> class Power, class Sum, class F, class... More>
struct exponent_of<Power, Sum, F, More...> : exponent_of<Power, Sum, More...> {};
template <template <class> class Power, class List>
struct exponent_in;
template <template <class> class Power, class... F>
struct exponent_in<Power, types<F...>> : exponent_of<Power, void, F...> {};

template <template <class> class Power, class E>
struct power {
    using type = types<Times<Power<E>>>;
};
template <template <class> class Power>
struct power<Power, void> {
    using type = types<>;
};

}  // namespace detail

/// E as a sum of products: a list of lists of factors.
template <class E>
using products_of = typename detail::products<E>::type;
template <class E>
using factors_of = typename detail::factors<E>::type;

}  // namespace inlay::inline INLAY_ABI::online
