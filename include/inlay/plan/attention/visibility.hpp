// SPDX-License-Identifier: Apache-2.0
/// A condition on scores as sets of keys: comparisons are intervals, `&&` is intersection, `||` union, `!` complement.
#pragma once

#include <inlay/expr/print.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/plan/attention/key_condition.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI::detail {

/// The most intervals that a condition leaves of the keys. Begins: it always holds from key 0 to a bound, Ends: from a
/// bound to the last key. Such conditions join to one interval; with both, a condition holds for all keys or for none.
struct KeyShape {
    int most = 1;
    bool begins = false, ends = false;
};
INLAY_FN constexpr KeyShape both_of(KeyShape a, KeyShape b) {
    if (a.begins && a.ends) return b;
    if (b.begins && b.ends) return a;
    return {a.most + b.most - 1, a.begins && b.begins, a.ends && b.ends};
}
INLAY_FN constexpr KeyShape either_of(KeyShape a, KeyShape b) {
    if (a.begins && a.ends) return b;
    if (b.begins && b.ends) return a;
    const bool begins = a.begins && b.begins && a.most + b.most == 2, ends = a.ends && b.ends && a.most + b.most == 2;
    return {begins || ends ? 1 : a.most + b.most, begins, ends};
}
INLAY_FN constexpr KeyShape rest_of(KeyShape a) {
    return {a.begins || a.ends ? a.most : a.most + 1, a.ends, a.begins};
}

template <Relation R, class A, class B>
INLAY_FN constexpr KeyShape shape_of_comparison() {
    using C = Comparison<R, A, B>;
    if constexpr (C::form.kind == KeyKind::none || C::form.kind == KeyKind::other)
        return C::template searched<A, B> || C::template searched<B, A> ? KeyShape{} : KeyShape{1, true, true};
    else {
        index_t slope = C::form.slope.number;
        if constexpr (C::form.kind == KeyKind::rounded)
            slope *= key_form<inner_of<typename rounded_in<Sub<A, B>>::type>>().slope.number;
        if (R == Relation::equal) return {};
        const bool up = slope > 0, greater = R == Relation::greater || R == Relation::greater_equal;
        return {1, up != greater, up == greater};
    }
}

/// Comparisons of |x|, min and max become comparisons of x.
template <template <class, class> class Is, class E, class B>
struct Split {
    static constexpr bool possible = false;
};
template <template <class, class> class Is, class X, class B>
struct Split<Is, Abs<X>, B> {
    static constexpr bool possible = key_form<Abs<X>>().kind == KeyKind::other;
    static constexpr bool below = __is_same(Is<X, B>, Less<X, B>) || __is_same(Is<X, B>, LessEqual<X, B>);
    using type = std::conditional_t<below, And<Is<X, B>, Is<Neg<X>, B>>, Or<Is<X, B>, Is<Neg<X>, B>>>;
};
template <template <class, class> class Is, class X, class Y, class B>
struct Split<Is, Min<X, Y>, B> {
    static constexpr bool possible = key_form<Min<X, Y>>().kind == KeyKind::other;
    using type = std::conditional_t<Split<Is, Abs<X>, B>::below, Or<Is<X, B>, Is<Y, B>>, And<Is<X, B>, Is<Y, B>>>;
};
template <template <class, class> class Is, class X, class Y, class B>
struct Split<Is, Max<X, Y>, B> {
    static constexpr bool possible = key_form<Max<X, Y>>().kind == KeyKind::other;
    using type = std::conditional_t<Split<Is, Abs<X>, B>::below, And<Is<X, B>, Is<Y, B>>, Or<Is<X, B>, Is<Y, B>>>;
};

/// A condition as sets of keys: its shape, the keys of a tile, and if it is solved, by types alone or of a kernel's
/// slots; else the names of its computed terms.
template <class C>
struct Visibility;

template <class C, Relation R, class A, class B>
struct ComparisonVisibility {
    using Solved = Comparison<R, A, B>;
    static constexpr KeyShape shape = shape_of_comparison<R, A, B>();
    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr Intervals<1> keys(const Environment& env, const QueryTile& tile, const Search& search) {
        Intervals<1> r;
        r.append(Solved::template over<Every>(env, tile, search));
        return r;
    }
    static constexpr bool by_types = Solved::form.kind != KeyKind::other && !Solved::reads_slots;
    template <class Environment>
    INLAY_FN static constexpr bool solved(const Environment& env) {
        return Solved::decided(env);
    }
    template <class Environment>
    static void computed(const Environment& env, Text& names) {
        if (Solved::decided(env)) return;
        if (!names.empty()) names += ", ";
        names += name<C>();
    }
};
template <template <class, class> class Is, template <class, class> class Mirrored, Relation R, class A, class B>
constexpr auto comparison_visibility() {
    if constexpr (Split<Is, A, B>::possible) return std::type_identity<Visibility<typename Split<Is, A, B>::type>>{};
    else if constexpr (Split<Mirrored, B, A>::possible)
        return std::type_identity<Visibility<typename Split<Mirrored, B, A>::type>>{};
    else return std::type_identity<ComparisonVisibility<Is<A, B>, R, A, B>>{};
}
template <template <class, class> class Is, template <class, class> class Mirrored, Relation R, class A, class B>
using compared = typename decltype(comparison_visibility<Is, Mirrored, R, A, B>())::type;

template <class A, class B>
struct Visibility<Less<A, B>> : compared<Less, Greater, Relation::less, A, B> {};
template <class A, class B>
struct Visibility<LessEqual<A, B>> : compared<LessEqual, GreaterEqual, Relation::less_equal, A, B> {};
template <class A, class B>
struct Visibility<Greater<A, B>> : compared<Greater, Less, Relation::greater, A, B> {};
template <class A, class B>
struct Visibility<GreaterEqual<A, B>> : compared<GreaterEqual, LessEqual, Relation::greater_equal, A, B> {};
template <class A, class B>
struct Visibility<Equal<A, B>>
    : std::conditional_t<Split<LessEqual, A, B>::possible || Split<LessEqual, B, A>::possible,
                         Visibility<And<LessEqual<A, B>, GreaterEqual<A, B>>>,
                         ComparisonVisibility<Equal<A, B>, Relation::equal, A, B>> {};
template <class A, class B>
struct Visibility<NotEqual<A, B>> : Visibility<Not<Equal<A, B>>> {};

template <class A, class B, bool Both>
struct JoinedVisibility {
    using First = Visibility<A>;
    using Second = Visibility<B>;
    static constexpr KeyShape shape =
        Both ? both_of(First::shape, Second::shape) : either_of(First::shape, Second::shape);
    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr auto keys(const Environment& env, const QueryTile& tile, const Search& search) {
        const auto a = First::template keys<Every>(env, tile, search);
        const auto b = Second::template keys<Every>(env, tile, search);
        if constexpr (Both) return intersection_of<shape.most>(a, b);
        else return union_of<shape.most>(a, b);
    }
    static constexpr bool by_types = First::by_types && Second::by_types;
    template <class Environment>
    INLAY_FN static constexpr bool solved(const Environment& env) {
        return First::solved(env) && Second::solved(env);
    }
    template <class Environment>
    static void computed(const Environment& env, Text& names) {
        First::computed(env, names);
        Second::computed(env, names);
    }
};
template <class A, class B>
struct Visibility<And<A, B>> : JoinedVisibility<A, B, true> {};
template <class A, class B>
struct Visibility<Mul<A, B>> : JoinedVisibility<A, B, true> {};
template <class A, class B>
struct Visibility<Or<A, B>> : JoinedVisibility<A, B, false> {};
template <class C, class A, class B>
struct Visibility<Where<C, A, B>> : Visibility<Or<And<C, A>, And<Not<C>, B>>> {};

/// The rows of a tile all see a key where not one of them has it hidden.
template <class A>
struct Visibility<Not<A>> {
    static constexpr KeyShape shape = rest_of(Visibility<A>::shape);
    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr auto keys(const Environment& env, const QueryTile& tile, const Search& search) {
        return complement_of<shape.most>(Visibility<A>::template keys<!Every>(env, tile, search), env.out[3]);
    }
    static constexpr bool by_types = Visibility<A>::by_types;
    template <class Environment>
    INLAY_FN static constexpr bool solved(const Environment& env) {
        return Visibility<A>::solved(env);
    }
    template <class Environment>
    static void computed(const Environment& env, Text& names) {
        Visibility<A>::computed(env, names);
    }
};

/// A number is true where it is not 0.
template <class C>
struct Visibility : Visibility<Not<Equal<C, Const<0>>>> {};

}  // namespace inlay::inline INLAY_ABI::detail

INLAY_STRICT_DEVICE_END
