// SPDX-License-Identifier: Apache-2.0
/// Exponents taken apart: exp(s - m - log l) is exp(s - m), which one key adds to a sum, times exp(-log l), which waits
/// for the end. Addends stay where they were written: what was subtracted is subtracted, and never divided.
#pragma once

#include <inlay/plan/attention/online/dependence.hpp>

namespace inlay::inline INLAY_ABI::online {

/// Addends of an exponent.
enum : unsigned {
    of_key = 1,      ///< of the key, or of nothing at all
    of_maximum = 2,  ///< of running maxima: the shift, which moves as they do
    of_sum = 4,      ///< of running sums: a factor at the end
};

namespace detail {

template <class E>
constexpr unsigned addend_kind() {
    return holds_sum<E> ? of_sum : holds_reduction<E> ? of_maximum : of_key;
}

/// No addend: `void`.
template <class A, class B>
struct added {
    using type = Add<A, B>;
};
template <class A>
struct added<A, void> {
    using type = A;
};
template <class B>
struct added<void, B> {
    using type = B;
};
template <>
struct added<void, void> {
    using type = void;
};
template <class A, class B>
struct subtracted {
    using type = Sub<A, B>;
};
template <class A>
struct subtracted<A, void> {
    using type = A;
};
template <class B>
struct subtracted<void, B> {
    using type = Neg<B>;
};
template <>
struct subtracted<void, void> {
    using type = void;
};
template <class A>
struct negated : subtracted<void, A> {};
template <class F, class E>
struct scaled {
    using type = Mul<F, E>;
};
template <class F>
struct scaled<F, void> {
    using type = void;
};
template <class E, class F>
struct scaled_after {
    using type = Mul<E, F>;
};
template <class F>
struct scaled_after<void, F> {
    using type = void;
};
template <class E, class F>
struct divided {
    using type = Div<E, F>;
};
template <class F>
struct divided<void, F> {
    using type = void;
};

/// Sums and their multiples by numbers are taken apart, other nodes are an addend.
template <class E, unsigned Kinds>
struct part {
    using type = std::conditional_t<(addend_kind<E>() & Kinds) != 0, E, void>;
};
template <class A, class B, unsigned Kinds>
struct part<Add<A, B>, Kinds> : added<typename part<A, Kinds>::type, typename part<B, Kinds>::type> {};
template <class A, class B, unsigned Kinds>
struct part<Sub<A, B>, Kinds> : subtracted<typename part<A, Kinds>::type, typename part<B, Kinds>::type> {};
template <class A, unsigned Kinds>
struct part<Neg<A>, Kinds> : negated<typename part<A, Kinds>::type> {};
template <class F, class E, unsigned Kinds>
    requires(dependence<F> == 0)
struct part<Mul<F, E>, Kinds> : scaled<F, typename part<E, Kinds>::type> {};
template <class E, class F, unsigned Kinds>
    requires(dependence<F> == 0 && dependence<E> != 0)
struct part<Mul<E, F>, Kinds> : scaled_after<typename part<E, Kinds>::type, F> {};
template <class E, class F, unsigned Kinds>
    requires(dependence<F> == 0)
struct part<Div<E, F>, Kinds> : divided<typename part<E, Kinds>::type, F> {};

/// The first addend that joins the key and a reduction, or void.
template <class... T>
struct first_of {
    using type = void;
};
template <class T, class... More>
struct first_of<T, More...> {
    using type = T;
};
template <class... More>
struct first_of<void, More...> : first_of<More...> {};

template <class E>
struct inseparable {
    using type = std::conditional_t<is_mixed<E>, E, void>;
};
template <class A, class B>
struct inseparable<Add<A, B>> : first_of<typename inseparable<A>::type, typename inseparable<B>::type> {};
template <class A, class B>
struct inseparable<Sub<A, B>> : inseparable<Add<A, B>> {};
template <class A>
struct inseparable<Neg<A>> : inseparable<A> {};
template <class F, class E>
    requires(dependence<F> == 0)
struct inseparable<Mul<F, E>> : inseparable<E> {};
template <class E, class F>
    requires(dependence<F> == 0 && dependence<E> != 0)
struct inseparable<Mul<E, F>> : inseparable<E> {};
template <class E, class F>
    requires(dependence<F> == 0)
struct inseparable<Div<E, F>> : inseparable<E> {};

}  // namespace detail

/// The addends of E that are of one of the kinds, as they were written; void without any.
template <class E, unsigned Kinds>
using part_of = typename detail::part<E, Kinds>::type;
template <class E>
using inseparable_addend = typename detail::inseparable<E>::type;

}  // namespace inlay::inline INLAY_ABI::online
