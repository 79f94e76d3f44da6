// SPDX-License-Identifier: Apache-2.0
/// A derived recurrence in readable mathematics, for `explain`.
#pragma once

#include <inlay/expr/print.hpp>
#include <inlay/plan/attention/online.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>

namespace inlay::inline INLAY_ABI::online {

namespace detail {

/// m, or m1, m2, … of several.
constexpr Text numbered(Letters letter, int i, int n) {
    Text s = letter;
    if (n > 1) s += decimal_text(i + 1);
    return s;
}
constexpr Text in_brackets(const Text& s, bool needed) { return needed ? "(" + s + ")" : s; }

/// Rank of an expression's outermost sign, for brackets: 1 a sum, 2 a product, 3 all others.
template <class E>
inline constexpr int rank = 3;
template <class A, class B>
inline constexpr int rank<Add<A, B>> = 1;
template <class A, class B>
inline constexpr int rank<Sub<A, B>> = 1;
template <class A>
inline constexpr int rank<Neg<A>> = 1;
template <class A, class B>
inline constexpr int rank<Mul<A, B>> = 2;
template <class A, class B>
inline constexpr int rank<Div<A, B>> = 2;

/// A recurrence whose formulas spell out all reductions.
struct NoReductions {
    using maxima = types<>;
    using sums = types<>;
    using vectors = types<>;
};

/// Expressions of recurrence R; m' is a maximum after a step where `Step`.
template <class R, bool Step>
struct Formula {
    template <class E>
    static constexpr Text above(int least) {
        return in_brackets(text(E{}), rank<E> < least);
    }
    static constexpr Text text(Score) { return "s"; }
    static constexpr Text text(SecondScore) { return "t"; }
    static constexpr Text text(Values) { return "V"; }
    template <class A, class B>
    static constexpr Text text(Add<A, B>) {
        return above<A>(1) + " + " + above<B>(1);
    }
    template <class A, class B>
    static constexpr Text text(Sub<A, B>) {
        return above<A>(1) + " - " + above<B>(2);
    }
    template <class A>
    static constexpr Text text(Neg<A>) {
        return "-" + above<A>(2);
    }
    template <class A, class B>
    static constexpr Text text(Mul<A, B>) {
        return above<A>(2) + " " + above<B>(3);
    }
    template <class A, class B>
    static constexpr Text text(Div<A, B>) {
        return above<A>(2) + " / " + above<B>(3);
    }
    template <class E>
    static constexpr Text text(KeyMax<E>) {
        constexpr int i = inlay::detail::index_in<typename R::maxima, KeyMax<E>>;
        if constexpr (i < 0) return "max " + above<E>(2);
        else return numbered("m", i, R::maxima::size) + (Step ? "'" : "");
    }
    template <class M>
    static constexpr Text text(Before<M>) {
        return Formula<R, false>::text(M{});
    }
    template <class W>
    static constexpr Text text(KeySum<W>) {
        constexpr int i = inlay::detail::index_in<typename R::vectors, KeySum<W>>;
        constexpr int j = inlay::detail::index_in<typename R::sums, KeySum<W>>;
        if constexpr (i >= 0) return numbered("o", i, R::vectors::size);
        else if constexpr (j >= 0) return numbered("l", j, R::sums::size);
        else return "Σ " + above<W>(2);
    }
    template <class E>
    static constexpr Text text(TwoPass<E>) {
        return "[" + Formula<NoReductions, false>::text(E{}) + "]";
    }
    template <Expr E>
    static constexpr Text text(E) {
        using C = typename E::children;
        if constexpr (is_constant_leaf<E>) return inlay::detail::number(E::value);
        else if constexpr (E::kind == NodeKind::pointwise && C::size > 0) return call<E>(C{});
        else return name<E>();
    }
    template <class E, class... C>
    static constexpr Text call(types<C...>) {
        Text s;
        for (const char c : inlay::detail::template_name<E>())
            s += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        s += "(";
        int i = 0;
        ((s += (i++ ? ", " : "") + text(C{})), ...);
        return s + ")";
    }
};

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
