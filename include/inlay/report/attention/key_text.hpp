// SPDX-License-Identifier: Apache-2.0
/// A condition on scores as text: the keys that query i sees, as a union of intervals.
///
///     [max(0, i - 1023), i + 1)
///     [0, i + 1) where Buf<3> == Buf<4>
#pragma once

#include <inlay/report/attention/key_bounds.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

using KeyClauses = std::vector<KeyClause>;     ///< their union

inline KeyClauses both(const KeyClauses& a, const KeyClauses& b) {
    KeyClauses all;
    for (const KeyClause& x : a)
        for (const KeyClause& y : b) {
            KeyClause c = x;
            c.begins.insert(c.begins.end(), y.begins.begin(), y.begins.end());
            c.ends.insert(c.ends.end(), y.ends.begin(), y.ends.end());
            c.conditions.insert(c.conditions.end(), y.conditions.begin(), y.conditions.end());
            all.push_back(c);
        }
    return all;
}
inline KeyClauses either(KeyClauses a, const KeyClauses& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// The clauses of a condition, or where not Is of its complement. NaN is left out of account.
template <class C, bool Is>
struct ClausesOf;
template <class C, bool Is, class Environment>
KeyClauses clauses_of(const Environment& env) {
    return ClausesOf<C, Is>::of(env);
}

template <Relation R, class A, class B, class Written>
struct ComparisonClauses {
    using Solved = Comparison<R, A, B>;
    template <class Environment>
    static KeyClauses of(const Environment& env) {
        KeyClause c;
        if constexpr (Solved::form.kind == KeyKind::linear || Solved::form.kind == KeyKind::rounded) {
            if (Solved::decided(env)) {
                if constexpr (R == Relation::greater) add_bound<Sub<A, B>, true>(env, c);
                if constexpr (R == Relation::greater_equal || R == Relation::equal)
                    add_bound<Sub<A, B>, false>(env, c);
                if constexpr (R == Relation::less) add_bound<Sub<B, A>, true>(env, c);
                if constexpr (R == Relation::less_equal || R == Relation::equal)
                    add_bound<Sub<B, A>, false>(env, c);
                return {c};
            }
        }
        if constexpr (is_const<A> && is_const<B>) {
            constexpr double a = A::value, b = B::value;
            return Written::apply(a, b) != 0 ? KeyClauses{c} : KeyClauses{};
        }
        c.conditions.push_back({formula_text<Written>(0), !Solved::decided(env)});
        return {c};
    }
};

template <template <class, class> class Is, template <class, class> class Mirrored, Relation R, class A, class B>
constexpr auto comparison_clauses() {
    if constexpr (Split<Is, A, B>::possible) return std::type_identity<ClausesOf<typename Split<Is, A, B>::type, true>>{};
    else if constexpr (Split<Mirrored, B, A>::possible)
        return std::type_identity<ClausesOf<typename Split<Mirrored, B, A>::type, true>>{};
    else return std::type_identity<ComparisonClauses<R, A, B, Is<A, B>>>{};
}
template <template <class, class> class Is, template <class, class> class Mirrored, Relation R, class A, class B>
using clauses_compared = typename decltype(comparison_clauses<Is, Mirrored, R, A, B>())::type;

template <class A, class B>
struct ClausesOf<Less<A, B>, true> : clauses_compared<Less, Greater, Relation::less, A, B> {};
template <class A, class B>
struct ClausesOf<LessEqual<A, B>, true> : clauses_compared<LessEqual, GreaterEqual, Relation::less_equal, A, B> {};
template <class A, class B>
struct ClausesOf<Greater<A, B>, true> : clauses_compared<Greater, Less, Relation::greater, A, B> {};
template <class A, class B>
struct ClausesOf<GreaterEqual<A, B>, true>
    : clauses_compared<GreaterEqual, LessEqual, Relation::greater_equal, A, B> {};
template <class A, class B>
struct ClausesOf<Equal<A, B>, true>
    : std::conditional_t<Split<LessEqual, A, B>::possible || Split<LessEqual, B, A>::possible,
                         ClausesOf<And<LessEqual<A, B>, GreaterEqual<A, B>>, true>,
                         ComparisonClauses<Relation::equal, A, B, Equal<A, B>>> {};
template <class A, class B>
struct ClausesOf<Less<A, B>, false> : ClausesOf<GreaterEqual<A, B>, true> {};
template <class A, class B>
struct ClausesOf<LessEqual<A, B>, false> : ClausesOf<Greater<A, B>, true> {};
template <class A, class B>
struct ClausesOf<Greater<A, B>, false> : ClausesOf<LessEqual<A, B>, true> {};
template <class A, class B>
struct ClausesOf<GreaterEqual<A, B>, false> : ClausesOf<Less<A, B>, true> {};
/// Of what has no bounds, one condition in place of two.
template <class A, class B>
struct ClausesOf<Equal<A, B>, false> {
    template <class Environment>
    static KeyClauses of(const Environment& env) {
        const KeyClauses equal = clauses_of<Equal<A, B>, true>(env);
        if (equal.size() == 1 && equal[0].conditions.size() == 1 && equal[0].begins.empty()) {
            KeyClause c;
            c.conditions.push_back({formula_text<NotEqual<A, B>>(0), equal[0].conditions[0].computed});
            return {c};
        }
        if constexpr (is_const<A> && is_const<B>) return equal.empty() ? KeyClauses{KeyClause{}} : KeyClauses{};
        else return either(clauses_of<Less<A, B>, true>(env), clauses_of<Greater<A, B>, true>(env));
    }
};
template <class A, class B, bool Is>
struct ClausesOf<NotEqual<A, B>, Is> : ClausesOf<Equal<A, B>, !Is> {};
template <class A, bool Is>
struct ClausesOf<Not<A>, Is> : ClausesOf<A, !Is> {};

template <class A, class B, bool Both, bool Is>
struct JoinedClauses {
    template <class Environment>
    static KeyClauses of(const Environment& env) {
        const KeyClauses a = clauses_of<A, Is>(env), b = clauses_of<B, Is>(env);
        return Both == Is ? both(a, b) : either(a, b);
    }
};
template <class A, class B, bool Is>
struct ClausesOf<And<A, B>, Is> : JoinedClauses<A, B, true, Is> {};
template <class A, class B, bool Is>
struct ClausesOf<Mul<A, B>, Is> : JoinedClauses<A, B, true, Is> {};
template <class A, class B, bool Is>
struct ClausesOf<Or<A, B>, Is> : JoinedClauses<A, B, false, Is> {};
template <class C, class A, class B, bool Is>
struct ClausesOf<Where<C, A, B>, Is> : ClausesOf<Or<And<C, A>, And<Not<C>, B>>, Is> {};
/// A number is true where it is not 0.
template <class C, bool Is>
struct ClausesOf : ClausesOf<Equal<C, Const<0>>, !Is> {};

/// A clause as it is written: "[begin, end)" and its conditions, or no text where it has no key.
struct WrittenClause {
    std::string begin, end, conditions;

    WrittenClause(KeyClause c, double keys) {
        c.begins.insert(c.begins.begin(), NamedSum(0));
        c.ends.push_back(NamedSum(keys));
        for (const NamedSum& first : c.begins)
            for (const NamedSum& last : c.ends)
                if (first.least >= last.most) return;
        begin = extreme_text(c.begins, true);
        end = extreme_text(c.ends, false);
        for (const NamedTerm& each : c.conditions) conditions += (conditions.empty() ? " where " : " and ") + each.text;
    }
    /// Takes the keys of another clause that begins at the same one.
    bool joins(const WrittenClause& o) {
        if (begin != o.begin || !(conditions + o.conditions).empty()) return false;
        if (end != o.end) end = "max(" + end + ", " + o.end + ")";
        return true;
    }
    std::string text() const { return "[" + begin + ", " + end + ")" + conditions; }
};

}  // namespace detail

/// The keys that a query sees, `env` being the environment of scores as for `visible_keys`: intervals between bounds
/// that the condition gives, with the terms that are searched or computed behind `where`. "none" where there are none.
template <class Condition, class Environment>
std::string key_text(const Environment& env) {
    std::vector<detail::WrittenClause> all;
    for (const detail::KeyClause& c : detail::clauses_of<Condition, true>(env)) {
        const detail::WrittenClause one(c, static_cast<double>(env.out[3]));
        if (!one.begin.empty() && (all.empty() || !all.back().joins(one))) all.push_back(one);
    }
    std::string s;
    for (const detail::WrittenClause& c : all) s += (s.empty() ? "" : " ∪ ") + c.text();
    return s.empty() ? "none" : s;
}

/// The terms of a condition that are computed at each score, as `computed_terms`, in mathematics.
template <class Condition, class Environment>
std::string computed_text(const Environment& env) {
    std::vector<std::string> all;
    for (const detail::KeyClause& c : detail::clauses_of<Condition, true>(env))
        for (const detail::NamedTerm& t : c.conditions)
            if (t.computed && std::find(all.begin(), all.end(), t.text) == all.end()) all.push_back(t.text);
    std::string s;
    for (const std::string& each : all) s += (s.empty() ? "" : ", ") + each;
    return s;
}

}  // namespace inlay::inline INLAY_ABI
