// SPDX-License-Identifier: Apache-2.0
/// Comparisons of a condition solved for the key, as bounds with names: the mathematics of `plan/attention/inequality.hpp`
/// before there are numbers.
#pragma once

#include <inlay/plan/attention/online/formula.hpp>
#include <inlay/plan/attention/visible_keys.hpp>
#include <inlay/report/attention/named_sum.hpp>

namespace inlay::inline INLAY_ABI::detail {

/// An expression of scores or of a row in mathematics: Out is Q·K, the query i, the key j.
template <class E>
std::string formula_text(int brackets_below = -2) {
    return online::detail::Formula<online::detail::NoReductions, false>::template above<E>(brackets_below);
}

/// A comparison that gives no bound: its text, and if it is computed at each score, or else decided for a row or found
/// by a search.
struct NamedTerm {
    std::string text;
    bool computed;
};

/// Keys from the greatest of `begins` to the least of `ends`, where all conditions hold.
struct KeyClause {
    std::vector<NamedSum> begins, ends;
    std::vector<NamedTerm> conditions;

    /// The keys with slope · key + row > 0, or ≥ 0 where not `strict`.
    void half_line(Rational slope, const NamedSum& row, bool strict) {
        const double by = static_cast<double>(slope.over) / static_cast<double>(slope.number);
        const NamedSum at_zero = row.times(-by);
        const bool begins_there = slope.number > 0;
        const NamedSum bound = begins_there == strict ? rounded(at_zero, false).plus(1) : rounded(at_zero, true);
        (begins_there ? begins : ends).push_back(bound);
    }
};

/// Parts of E that do not depend on the key, in the environment of a kernel: they are added to a sum.
template <class Environment>
struct RowParts {
    const Environment& env;

    template <class E>
    void add(NamedSum& to, double by = 1) const {
        if constexpr (is_const<E>) to.add(NamedSum(E::value), by);
        else if constexpr (has_factor<E>)
            add<inner_of<E>>(to, by * static_cast<double>(factor<E>.number) / static_cast<double>(factor<E>.over));
        else if constexpr (is_sum_of<E>) {
            add<type_at<0, typename E::children>>(to, by);
            add<type_at<1, typename E::children>>(to, is_difference<E> ? -by : by);
        } else if constexpr (key_form<E>().kind == KeyKind::none) to.add(named<E>(), by);
    }

private:
    template <class E>
    NamedSum named() const {
        const auto keys = static_cast<double>(env.out[3]), queries = static_cast<double>(env.out[2]);
        if constexpr (is_query_position<E>) return {formula_text<E>(), true, keys - queries, keys - 1};
        else if constexpr (is_coord<E>)
            return {formula_text<E>(), true, 0, static_cast<double>(env.out[score_axis<E::axis>] - 1)};
        else if constexpr (is_rounded<E>) {
            NamedSum inner;
            add<inner_of<E>>(inner);
            return rounded(inner, !is_floor<E>);
        } else return {formula_text<E>(3), is_integer<E>()};
    }
    template <class E>
    static constexpr bool is_integer() {
        if constexpr (is_ascending<E>) return is_integer<inner_of<E>>();
        else if constexpr (is_buf<E>)
            return std::is_integral_v<typename std::remove_cvref_t<
                decltype(std::declval<Environment>().template tensor<E::slot>())>::value_type>;
        else return false;
    }
};

/// Adds the bound by E > 0, or by E ≥ 0 where not Strict. E depends on the key, linearly or by a rounded quotient.
template <class E, bool Strict, class Environment>
void add_bound(const Environment& env, KeyClause& to) {
    constexpr KeyForm form = key_form<E>();
    const RowParts<Environment> parts{env};
    NamedSum row;
    parts.template add<E>(row);
    if constexpr (form.kind == KeyKind::linear) to.half_line(form.slope, row, Strict);
    else {
        using Rounded = typename rounded_in<E>::type;
        using G = inner_of<Rounded>;
        constexpr Rational slope = key_form<G>().slope;
        NamedSum g;
        parts.template add<G>(g);
        KeyClause quotient;     // ⌊G⌋ or ⌈G⌉ in place of the key
        quotient.half_line(form.slope, row, Strict);
        // ⌊G⌋ ≥ t is G ≥ t, and ⌊G⌋ < t is G < t; ⌈G⌉ ≥ t is G > t - 1, and ⌈G⌉ < t is G ≤ t - 1.
        const double shift = is_floor<Rounded> ? 0 : 1;
        if (!quotient.begins.empty()) to.half_line(slope, g.plus(shift).add(quotient.begins[0], -1), !is_floor<Rounded>);
        else to.half_line(-slope, g.times(-1).plus(-shift).add(quotient.ends[0]), is_floor<Rounded>);
    }
}

}  // namespace inlay::inline INLAY_ABI::detail
