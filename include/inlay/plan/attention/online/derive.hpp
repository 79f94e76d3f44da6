// SPDX-License-Identifier: Apache-2.0
/// Reductions over keys in the form that one pass computes. Of each product in a summand
///     Σ w(key, running maxima) · V · d(reductions)
/// the sum keeps w, and d is multiplied to it at the end. As w = x(key) · r(maxima), a step of the pass brings the sum
/// to the new maxima by r' / r, which is free of the key. A summand that is no such product blocks.
#pragma once

#include <inlay/plan/attention/online/product.hpp>

namespace inlay::inline INLAY_ABI::online {

/// Reasons for which a term blocks.
struct NoProduct {};     ///< it joins the key and a reduction, and not by a product
struct InnerValues {};   ///< V in it is no factor
struct InnerVector {};   ///< a reduction with V in it stands below another reduction
struct OpenKey {};       ///< an output that reads the key, outside of any reduction
struct OpenTwoPass {};   ///< TwoPass over the key, or over V

namespace detail {

template <class F>
struct is_values {
    static constexpr bool value = std::is_same_v<F, Values>;
};
template <class F>
struct is_power {
    static constexpr bool value = false;
};
template <class E>
struct is_power<Exp<E>> {
    static constexpr bool value = true;
};
template <class E>
struct is_power<Exp2<E>> {
    static constexpr bool value = true;
};
template <class F>
struct is_weight {
    static constexpr bool value = reads_key<F> && !reads_values<F> && !is_power<F>::value;
};
template <class F>
struct is_constant {
    static constexpr bool value = !reads_key<F> && !is_power<F>::value && !std::is_same_v<F, Const<1.0>> &&
                                  !std::is_same_v<F, Const<-1.0>>;
};
template <class F>
struct is_sign {
    static constexpr bool value = std::is_same_v<F, Const<-1.0>>;
};

/// Reason for which a factor blocks, or void.
template <class F>
struct factor_fault {
    using type = std::conditional_t<
        is_vector<F>, Blocked<F, InnerVector>,
        std::conditional_t<reads_values<F> && !is_values<F>::value, Blocked<F, InnerValues>,
                           std::conditional_t<is_mixed<F>, Blocked<F, NoProduct>, void>>>;
};
template <class Factor, class E>
struct exponent_fault {
    using addend = inseparable_addend<E>;
    using type = std::conditional_t<is_vector<E>, Blocked<E, InnerVector>,
                                    std::conditional_t<reads_values<E>, Blocked<Factor, InnerValues>,
                                                       std::conditional_t<std::is_void_v<addend>, void,
                                                                          Blocked<addend, NoProduct>>>>;
};
template <class E>
struct factor_fault<Exp<E>> : exponent_fault<Exp<E>, E> {};
template <class E>
struct factor_fault<Exp2<E>> : exponent_fault<Exp2<E>, E> {};

template <class List>
struct fault_in;
template <class... F>
struct fault_in<types<F...>> : first_of<typename factor_fault<typename F::factor>::type...> {};

/// An exponent as its sum needs it: `now` beside the key, `late` at the end. One without a key waits as a whole.
template <class E>
struct exponent_parts {
    using now = part_of<E, of_key | of_maximum>;
    using late = part_of<E, of_sum>;
};
template <class E>
    requires(!reads_key<E>)
struct exponent_parts<E> {
    using now = void;
    using late = E;
};
template <>
struct exponent_parts<void> {
    using now = void;
    using late = void;
};

template <class Product, class Fault = typename fault_in<Product>::type>
struct product_sum {
    using type = Fault;
};
template <class Product>
struct product_sum<Product, void> {
    using natural = exponent_parts<typename exponent_in<Exp, Product>::type>;
    using binary = exponent_parts<typename exponent_in<Exp2, Product>::type>;
    using values = picked<is_values, Product>;
    using weight = typename times_list<
        void, join_types<typename power<Exp, typename natural::now>::type,
                         typename power<Exp2, typename binary::now>::type, picked<is_weight, Product>>>::type;
    using constants = join_types<picked<is_constant, Product>, typename power<Exp, typename natural::late>::type,
                                 typename power<Exp2, typename binary::late>::type>;
    template <class W>
    static auto summand() {
        if constexpr (values::size == 0) return std::conditional_t<std::is_void_v<W>, Const<1.0>, W>{};
        else if constexpr (std::is_void_v<W>) return Values{};
        else return Mul<W, Values>{};
    }
    static auto sum() {
        if constexpr (values::size > 1 || std::is_same_v<values, types<Over<Values>>>)
            return Blocked<typename times_list<void, values>::type, InnerValues>{};
        else return typename times_list<KeySum<decltype(summand<weight>())>, constants>::type{};
    }
    using type = decltype(sum());
};

/// A sum of products, those with an odd number of signs subtracted.
template <class Sum, class... Product>
struct sum_of {
    using type = Sum;
};
template <class Sum, class P, class... More>
struct sum_of<Sum, P, More...> {
    using term = typename product_sum<P>::type;
    static constexpr bool minus = picked<is_sign, P>::size % 2 != 0;
    using sum = typename std::conditional_t<minus, subtracted<Sum, term>, added<Sum, term>>::type;
    using type = typename sum_of<sum, More...>::type;
};
template <class List>
struct sum_of_products;
template <class... P>
struct sum_of_products<types<P...>> : sum_of<void, P...> {};

/// The greatest of s - m is the greatest s, minus m.
template <class E>
struct maximum {
    static auto greatest() {
        using addend = inseparable_addend<E>;
        using rest = part_of<E, of_maximum | of_sum>;
        if constexpr (is_vector<E>) return Blocked<E, InnerVector>{};
        else if constexpr (reads_values<E>) return Blocked<E, InnerValues>{};
        else if constexpr (!std::is_void_v<addend>) return Blocked<addend, NoProduct>{};
        else if constexpr (std::is_void_v<rest>) return KeyMax<E>{};
        else if constexpr (!reads_key<E>) return E{};
        else return Add<KeyMax<part_of<E, of_key>>, rest>{};
    }
    using type = decltype(greatest());
};

template <class E>
struct derive : rebuilt<E, derive> {};
template <class E>
struct derive<KeySum<E>> : sum_of_products<products_of<typename derive<E>::type>> {};
template <class E>
struct derive<KeyMax<E>> : maximum<typename derive<E>::type> {};
template <class E>
struct derive<TwoPass<E>> {
    using type = std::conditional_t<reads_key<E> || is_vector<E>, Blocked<E, OpenTwoPass>, TwoPass<E>>;
};

}  // namespace detail

/// An output of the row in terms of reductions that one pass computes: `KeyMax<E>` with E free of reductions, and
/// `KeySum<W>` or `KeySum<Mul<W, Values>>` with W of the key and of such maxima. Holds `Blocked` if there is none.
template <class E>
using derived = typename detail::derive<E>::type;

}  // namespace inlay::inline INLAY_ABI::online
