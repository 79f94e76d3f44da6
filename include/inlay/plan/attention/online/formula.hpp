// SPDX-License-Identifier: Apache-2.0
/// Expressions of attention in readable mathematics: scores, conditions on them, rows.
#pragma once

#include <inlay/expr/print.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/plan/attention/online.hpp>
#include <inlay/plan/attention/online/evaluate.hpp>

namespace inlay::inline INLAY_ABI::online::detail {

/// m, or m1, m2, … of several.
constexpr Text numbered(Letters letter, int i, int n) {
    Text s = letter;
    if (n > 1) s += decimal_text(i + 1);
    return s;
}
constexpr Text in_brackets(const Text& s, bool needed) { return needed ? "(" + s + ")" : s; }

/// Rank of an expression's outermost sign, for brackets: -2 or, -1 and, 0 a comparison, 1 a sum, 2 a product, 3 all
/// others.
template <class E>
inline constexpr int rank = 3;
template <class A, class B>
inline constexpr int rank<Or<A, B>> = -2;
template <class A, class B>
inline constexpr int rank<And<A, B>> = -1;
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

/// The sign between the operands of a comparison, or none.
template <class E>
inline constexpr const char* comparison_sign = nullptr;
template <class A, class B>
inline constexpr const char* comparison_sign<Less<A, B>> = " < ";
template <class A, class B>
inline constexpr const char* comparison_sign<LessEqual<A, B>> = " <= ";
template <class A, class B>
inline constexpr const char* comparison_sign<Greater<A, B>> = " > ";
template <class A, class B>
inline constexpr const char* comparison_sign<GreaterEqual<A, B>> = " >= ";
template <class A, class B>
inline constexpr const char* comparison_sign<Equal<A, B>> = " == ";
template <class A, class B>
inline constexpr const char* comparison_sign<NotEqual<A, B>> = " != ";
template <class E>
    requires(comparison_sign<E> != nullptr)
inline constexpr int rank<E> = 0;

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
    static constexpr Text text(Out) { return "Q·K"; }
    static constexpr Text text(QueryPosition) { return "i"; }
    template <int Axis>
    static constexpr Text text(Coord<Axis>) {
        constexpr int axis = Axis < 0 ? Axis + 4 : Axis;
        return axis == 0 ? "batch" : axis == 1 ? "head" : axis == 2 ? "query" : "j";
    }
    template <class A>
    static constexpr Text text(Ascending<A>) {
        return text(A{});
    }
    template <class A>
    static constexpr Text text(Not<A>) {
        return "not " + above<A>(3);
    }
    template <class A, class B>
    static constexpr Text text(And<A, B>) {
        return above<A>(-1) + " and " + above<B>(-1);
    }
    template <class A, class B>
    static constexpr Text text(Or<A, B>) {
        return above<A>(-2) + " or " + above<B>(-2);
    }
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
        if constexpr (is_constant_leaf<B> && !is_constant_leaf<A>) return text(B{}) + " " + above<A>(3);
        else return above<A>(2) + " " + above<B>(3);
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
        else if constexpr (comparison_sign<E> != nullptr) return comparison<E>(C{});
        else if constexpr (E::kind == NodeKind::pointwise && C::size > 0) return call<E>(C{});
        else return name<E>();
    }
    template <class E, class A, class B>
    static constexpr Text comparison(types<A, B>) {
        return above<A>(1) + comparison_sign<E> + above<B>(1);
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

}  // namespace inlay::inline INLAY_ABI::online::detail
