// SPDX-License-Identifier: Apache-2.0
/// Bounds of keys as text: sums of multiples of named numbers, as `i - 1023` and `64 floor(i / 64) + 64`.
#pragma once

#include <inlay/expr/print.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::detail {

inline constexpr double without_bound = std::numeric_limits<double>::infinity();

/// Σ factor · name + constant, which lies between `least` and `most` in every row.
struct NamedSum {
    struct Term {
        double factor;
        std::string name;
        bool whole;             ///< the name stands for an integer
        bool operator==(const Term&) const = default;
    };
    std::vector<Term> terms;
    double constant = 0, least = 0, most = 0;

    NamedSum() = default;
    explicit NamedSum(double c) : constant(c), least(c), most(c) {}
    NamedSum(std::string name, bool whole, double from = -without_bound, double to = without_bound)
        : terms{{1, std::move(name), whole}}, least(from), most(to) {}

    bool whole() const {
        const auto is_integer = [](double x) { return std::floor(x) == x; };
        return is_integer(constant) && std::all_of(terms.begin(), terms.end(), [&](const Term& t) {
                   return t.whole && is_integer(t.factor);
               });
    }
    NamedSum& add(const NamedSum& o, double factor = 1) {
        for (const Term& t : o.terms) {
            const auto same = std::find_if(terms.begin(), terms.end(), [&](const Term& u) { return u.name == t.name; });
            if (same == terms.end()) terms.push_back({factor * t.factor, t.name, t.whole});
            else if (same->factor += factor * t.factor; same->factor == 0) terms.erase(same);
        }
        constant += factor * o.constant;
        least += factor * (factor > 0 ? o.least : o.most);
        most += factor * (factor > 0 ? o.most : o.least);
        if (terms.empty()) least = most = constant;
        return *this;
    }
    NamedSum times(double factor) const { return NamedSum().add(*this, factor); }
    NamedSum plus(double c) const { return NamedSum(*this).add(NamedSum(c)); }

    std::string text() const {
        std::string s;
        for (const bool positive : {true, false})       // i - j in place of -j + i
            for (const Term& t : terms)
                if ((t.factor > 0) == positive) append(s, t.factor, t.name);
        if (constant != 0 || s.empty()) append(s, constant, "");
        return s;
    }
    /// True if a is known to be b or more.
    static bool at_least(const NamedSum& a, const NamedSum& b) {
        return a.least >= b.most || (a.terms == b.terms && a.constant >= b.constant);
    }

private:
    static void append(std::string& s, double factor, const std::string& name) {
        if (!s.empty()) s += factor < 0 ? " - " : " + ";
        else if (factor < 0) s += "-";
        const double size = std::abs(factor);
        if (name.empty() || size != 1) s += std::string(number(size));
        if (!name.empty()) s += (size != 1 ? " " : "") + name;
    }
};

/// ⌊a⌋, or ⌈a⌉ where `up`.
inline NamedSum rounded(NamedSum a, bool up) {
    // Sixths that were added up are integers again.
    const auto snap = [](double& x) { x = std::abs(x - std::round(x)) < 1e-9 ? std::round(x) : x; };
    for (NamedSum::Term& t : a.terms) snap(t.factor);
    for (double* x : {&a.constant, &a.least, &a.most}) snap(*x);
    if (a.whole()) return a;
    const auto round = [&](double x) { return up ? std::ceil(x) : std::floor(x); };
    if (a.terms.empty()) return NamedSum(round(a.constant));
    // Over one denominator, (i - 1) / 3; what has none is written as it is.
    constexpr double most = 4096;
    double over = 1;
    const auto fits = [&](double x) { return std::abs(x * over - std::round(x * over)) < 1e-9; };
    const auto all_fit = [&] {
        return fits(a.constant) &&
               std::all_of(a.terms.begin(), a.terms.end(), [&](const NamedSum::Term& t) { return fits(t.factor); });
    };
    while (over < most && !all_fit()) ++over;
    NamedSum above = a;
    if (over < most) {
        for (NamedSum::Term& t : above.terms) t.factor = std::round(t.factor * over);
        above.constant = std::round(a.constant * over);
    } else over = 1;
    std::string inner = above.text();
    if (over > 1) {
        if (above.terms.size() > 1 || above.constant != 0) inner = "(" + inner + ")";
        inner += " / " + std::string(number(over));
    }
    return {(up ? "ceil(" : "floor(") + inner + ")", true, round(a.least), round(a.most)};
}

/// The greatest of some numbers, or the least, without those for which another one always stands in.
inline std::string extreme_text(const std::vector<NamedSum>& all, bool greatest) {
    const auto covers = [&](const NamedSum& a, const NamedSum& b) {
        return greatest ? NamedSum::at_least(a, b) : NamedSum::at_least(b, a);
    };
    std::vector<NamedSum> kept;
    for (const NamedSum& x : all) {
        if (std::any_of(kept.begin(), kept.end(), [&](const NamedSum& k) { return covers(k, x); })) continue;
        std::erase_if(kept, [&](const NamedSum& k) { return covers(x, k); });
        kept.push_back(x);
    }
    if (kept.size() == 1) return kept[0].text();
    std::string s = greatest ? "max(" : "min(";
    for (std::size_t n = 0; n < kept.size(); ++n) s += (n ? ", " : "") + kept[n].text();
    return s + ")";
}

}  // namespace inlay::inline INLAY_ABI::detail
