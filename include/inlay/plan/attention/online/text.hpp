// SPDX-License-Identifier: Apache-2.0
/// A derived recurrence in readable mathematics, for `explain`.
#pragma once

#include <inlay/plan/attention/online/formula.hpp>

namespace inlay::inline INLAY_ABI::online {

namespace detail {

template <class W, class R>
constexpr Text weight_name() {
    return numbered("p", inlay::detail::index_in<typename R::weights, W>, R::weights::size);
}

template <class R>
struct RecurrenceText {
    using F = Formula<R, false>;
    Text s;

    template <class M>
    constexpr void maximum() {
        using E = type_at<0, typename M::children>;
        s += F::text(M{}) + " = max " + F::template above<E>(2) + "\n";
    }
    template <class W>
    constexpr void weight() {
        s += weight_name<W, R>() + " = " + F::text(W{}) + "\n";
    }
    template <class Sum>
    constexpr void sum() {
        s += F::text(Sum{}) + " = Σ " + weight_name<weight_of<Sum>, R>() + (is_vector<Sum> ? " V\n" : "\n");
    }
    template <class W, class... Sum>
    constexpr void rescale(types<Sum...>) {
        using Ratio = rescale_of<W>;
        if constexpr (!std::is_same_v<Ratio, Const<1.0>>) {
            s += "new maxima: ";
            int n = 0;
            ((std::is_same_v<weight_of<Sum>, W> ? void(s += (n++ ? ", " : "") + F::text(Sum{})) : void()), ...);
            s += " times " + Formula<R, true>::text(Ratio{}) + "\n";
        }
    }
    template <class... M, class... W, class... S, class... E>
    constexpr void all(types<M...>, types<W...>, types<S...> sums, types<E...>) {
        (maximum<M>(), ...);
        (weight<W>(), ...);
        (sum<S>(), ...);
        (rescale<W>(sums), ...);
        int i = 0;
        ((s += numbered("output", i++, sizeof...(E)) + " = " + F::text(E{}) + "\n"), ...);
        if constexpr (R::guard == RowGuard::sum)
            s += "no key: " + F::text(type_at<R::guarding_sum, typename R::sums>{}) + " = 0\n";
        if constexpr (R::guard == RowGuard::maximum) s += "no key: " + F::text(KeyMax<Score>{}) + " = -inf\n";
        if constexpr (R::guard == RowGuard::count) s += "no key: " + F::text(KeySum<Const<1.0>>{}) + " = 0\n";
    }
};

template <class R>
constexpr Text recurrence_text() {
    RecurrenceText<R> t;
    t.all(typename R::maxima{}, typename R::weights{}, join_types<typename R::sums, typename R::vectors>{},
          typename R::finish{});
    return t.s;
}
template <class... R>
constexpr Text passes_text(types<R...>) {
    Text s;
    int i = 0;
    ((s += (sizeof...(R) > 1 ? numbered("pass ", i++, 2) + ":\n" : Text()) + recurrence_text<R>()), ...);
    return s;
}

}  // namespace detail

/// The recurrence of outputs, a line for each maximum, weight, sum, rescaling and output, and for rows without a key.
/// s is the score, V a row of V, m' a maximum after a step; a pass of TwoPass comes first, its values in [].
template <class... Output>
constexpr Text recurrence_text() {
    return detail::passes_text(passes_of<Output...>{});
}

}  // namespace inlay::inline INLAY_ABI::online
