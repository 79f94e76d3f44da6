// SPDX-License-Identifier: Apache-2.0
/// The reductions of derived outputs: a list of them, the weight of a key in each sum, and the factor that brings a sum
/// to new maxima.
#pragma once

#include <inlay/plan/attention/online/derive.hpp>

namespace inlay::inline INLAY_ABI::online {

/// Running maximum as it was before the step.
template <class Maximum>
struct Before : leaf {};

namespace detail {

template <class E, class Children = typename E::children>
struct reductions {
    using type = types<>;
};
template <class E, class... C>
struct reductions<E, types<C...>> {
    using type = unite_types<typename reductions<C>::type...>;
};
template <class E>
struct reductions<KeyMax<E>, types<E>> {
    using type = types<KeyMax<E>>;
};
template <class E>
struct reductions<KeySum<E>, types<E>> {
    using type = unite_types<typename reductions<E>::type, types<KeySum<E>>>;
};
template <class E>
struct reductions<TwoPass<E>, types<E>> {
    using type = types<>;
};

template <class Sum>
struct weight;
template <class W>
struct weight<KeySum<W>> {
    using type = W;
};
template <class W>
struct weight<KeySum<Mul<W, Values>>> {
    using type = W;
};
template <>
struct weight<KeySum<Values>> {
    using type = Const<1.0>;
};

template <class E>
struct earlier : rebuilt<E, earlier> {};
template <class E>
struct earlier<KeyMax<E>> {
    using type = Before<KeyMax<E>>;
};

/// E minus E before the step, or with Negative the other way round; void if it does not move. Differences of maxima
/// come first and factors after: exp(c·(m' - m)) has no cancellation that exp(c·m' - c·m) has.
template <class E, bool Negative = false>
struct change {
    using before = typename earlier<E>::type;
    using type = std::conditional_t<dependence<E> == 0, void,
                                    std::conditional_t<Negative, Sub<before, E>, Sub<E, before>>>;
};
template <class A, class B, bool Negative>
struct change<Add<A, B>, Negative> : added<typename change<A, Negative>::type, typename change<B, Negative>::type> {};
template <class A, class B, bool Negative>
struct change<Sub<A, B>, Negative> : added<typename change<A, Negative>::type, typename change<B, !Negative>::type> {};
template <class A, bool Negative>
struct change<Neg<A>, Negative> : change<A, !Negative> {};
template <class F, class E, bool Negative>
    requires(dependence<F> == 0)
struct change<Mul<F, E>, Negative> : scaled<F, typename change<E, Negative>::type> {};
template <class E, class F, bool Negative>
    requires(dependence<F> == 0 && dependence<E> != 0)
struct change<Mul<E, F>, Negative> : scaled_after<typename change<E, Negative>::type, F> {};
template <class E, class F, bool Negative>
    requires(dependence<F> == 0)
struct change<Div<E, F>, Negative> : divided<typename change<E, Negative>::type, F> {};

template <class E>
struct change_of_shift : change<part_of<E, of_maximum>> {};
template <class E>
    requires(std::is_void_v<part_of<E, of_maximum>>)
struct change_of_shift<E> {
    using type = void;
};

template <class Factor>
struct rescale_factor {
    using type = types<>;
};
template <class E>
struct rescale_factor<Times<Exp<E>>> : power<Exp, typename change_of_shift<E>::type> {};
template <class E>
struct rescale_factor<Times<Exp2<E>>> : power<Exp2, typename change_of_shift<E>::type> {};

template <class Factors>
struct rescale;
template <class... F>
struct rescale<types<F...>> {
    using ratios = join_types<typename rescale_factor<F>::type...>;
    static auto product() {
        if constexpr (ratios::size == 0) return Const<1.0>{};
        else return typename times_list<void, ratios>::type{};
    }
    using type = decltype(product());
};

template <class Reduction>
struct is_maximum {
    static constexpr bool value = false;
};
template <class E>
struct is_maximum<KeyMax<E>> {
    static constexpr bool value = true;
};
template <class Reduction>
struct is_scalar_sum {
    static constexpr bool value = !is_maximum<Reduction>::value && !is_vector<Reduction>;
};
template <class Reduction>
struct is_vector_sum {
    static constexpr bool value = is_vector<Reduction>;
};
template <template <class> class Pick, class List>
struct chosen_in;
template <template <class> class Pick, class... T>
struct chosen_in<Pick, types<T...>> {
    using type = join_types<std::conditional_t<Pick<T>::value, types<T>, types<>>...>;
};
template <template <class> class Pick, class List>
using chosen = typename chosen_in<Pick, List>::type;

template <class List>
struct weights;
template <class... Sum>
struct weights<types<Sum...>> {
    using type = unite_types<types<>, types<typename weight<Sum>::type>...>;
};

}  // namespace detail

/// The reductions of a derived expression, those of a weight before its sum.
template <class E>
using reductions_of = typename detail::reductions<E>::type;
/// The number that a key adds to a scalar sum, or by which its row of V is multiplied.
template <class Sum>
using weight_of = typename detail::weight<Sum>::type;
/// r' / r: the factor of all sums of weight W from the maxima `Before` to the maxima now.
template <class W>
using rescale_of = typename detail::rescale<factors_of<W>>::type;

}  // namespace inlay::inline INLAY_ABI::online
