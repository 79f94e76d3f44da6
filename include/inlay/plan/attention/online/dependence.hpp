// SPDX-License-Identifier: Apache-2.0
/// Dependence of a node of a row of attention on the key, on V, on reductions over the keys.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/keys.hpp>
#include <inlay/expr/unary.hpp>

namespace inlay::inline INLAY_ABI::online {

/// Bits of a node's dependence. None: it is the same number for all keys, and there before the first one.
enum : unsigned {
    on_key = 1,      ///< changes from key to key
    on_values = 2,   ///< and holds V
    on_maximum = 4,  ///< holds a running maximum
    on_sum = 8,      ///< holds a running sum
    on_vector = 16,  ///< one with V
};

/// Stands where a derivation ended, in its result: `Term` is the reason, `Fault` the kind.
template <class Term, class Fault>
struct Blocked : leaf {
    using term = Term;
    using fault = Fault;
};

namespace detail {

template <class E, class Children = typename E::children>
inline constexpr unsigned depends = 0;
template <class E, class... C>
inline constexpr unsigned depends<E, types<C...>> = (depends<C> | ... | 0u);
template <>
inline constexpr unsigned depends<Score, types<>> = on_key;
template <>
inline constexpr unsigned depends<SecondScore, types<>> = on_key;
template <>
inline constexpr unsigned depends<Values, types<>> = on_key | on_values;
template <>
inline constexpr unsigned depends<Coord<3>, types<>> = on_key;
template <>
inline constexpr unsigned depends<Coord<-1>, types<>> = on_key;
template <class E>
inline constexpr unsigned depends<KeyMax<E>, types<E>> = on_maximum;
template <class E>
inline constexpr unsigned depends<KeySum<E>, types<E>> = on_sum | (depends<E> & on_values ? on_vector : 0u);
template <class E>
inline constexpr unsigned depends<TwoPass<E>, types<E>> = 0;

}  // namespace detail

template <class E>
inline constexpr unsigned dependence = detail::depends<E>;

template <class E>
inline constexpr bool reads_key = (dependence<E> & on_key) != 0;
template <class E>
inline constexpr bool reads_values = (dependence<E> & on_values) != 0;
template <class E>
inline constexpr bool holds_reduction = (dependence<E> & (on_maximum | on_sum)) != 0;
template <class E>
inline constexpr bool holds_sum = (dependence<E> & on_sum) != 0;
template <class E>
inline constexpr bool is_vector = (dependence<E> & on_vector) != 0;
/// A key and a reduction at once: to be taken apart.
template <class E>
inline constexpr bool is_mixed = reads_key<E> && holds_reduction<E>;

namespace detail {

/// A node with its operands replaced. Arguments that are no expressions stay, and so do views, whose operands are read
/// at coordinates that a row does not have.
template <class E, template <class> class F>
struct rebuilt {
    using type = E;
};
template <template <class> class F, class A>
struct replaced {
    using type = A;
};
template <template <class> class F, Expr A>
struct replaced<F, A> {
    using type = typename F<A>::type;
};
template <template <class...> class N, class... A, template <class> class F>
    requires(N<A...>::kind == NodeKind::pointwise)
struct rebuilt<N<A...>, F> {
    using type = N<typename replaced<F, A>::type...>;
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::online
