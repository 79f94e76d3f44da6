// SPDX-License-Identifier: Apache-2.0
/// Quotients rounded down and up, right for negative numbers, and fractions at compile time.
#pragma once

#include <inlay/core/extents.hpp>

namespace inlay::inline INLAY_ABI::detail {

/// ⌊a / b⌋ and ⌈a / b⌉ for b > 0 and any a.
INLAY_FN constexpr index_t floor_quotient(index_t a, index_t b) { return a / b - (a % b < 0 ? 1 : 0); }
INLAY_FN constexpr index_t ceil_quotient(index_t a, index_t b) { return -floor_quotient(-a, b); }

/// ⌊x⌋ of a number that bounds keys, which may stand times a scale, or ±2⁶² where x lies further out.
INLAY_FN constexpr index_t floor_of(double x) {
    constexpr index_t most = index_t(1) << 62;
    if (!(x > -static_cast<double>(most))) return -most;
    if (x >= static_cast<double>(most)) return most;
    const auto i = static_cast<index_t>(x);
    return static_cast<double>(i) > x ? i - 1 : i;
}
INLAY_FN constexpr index_t floor_of(index_t x) { return x; }
INLAY_FN constexpr index_t ceil_of(double x) { return -floor_of(-x); }
INLAY_FN constexpr index_t ceil_of(index_t x) { return x; }

/// A fraction of small numbers, of which all arithmetic of conditions is exact. `over` 0: none.
struct Rational {
    index_t number = 0, over = 0;
};
INLAY_FN constexpr index_t common_factor(index_t a, index_t b) {
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    for (; b != 0;) {
        const index_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
INLAY_FN constexpr index_t common_multiple(index_t a, index_t b) { return a / common_factor(a, b) * b; }
/// number / over in least terms, or none where the terms exceed 2²⁴.
INLAY_FN constexpr Rational rational(index_t number, index_t over) {
    if (over == 0) return {};
    const index_t common = common_factor(number, over) * (over < 0 ? -1 : 1);
    const Rational r{number / common, over / common};
    constexpr index_t most = index_t(1) << 24;
    return r.over > most || r.number > most || r.number < -most ? Rational{} : r;
}
INLAY_FN constexpr Rational rational(double v) {
    if (!(v >= -16777216.0 && v <= 16777216.0)) return {};
    index_t over = 1;
    for (; over < (index_t(1) << 24) && static_cast<double>(static_cast<index_t>(v)) != v; over *= 2) v *= 2;
    return static_cast<double>(static_cast<index_t>(v)) == v ? rational(static_cast<index_t>(v), over) : Rational{};
}
INLAY_FN constexpr Rational operator+(Rational a, Rational b) {
    return rational(a.number * b.over + b.number * a.over, a.over * b.over);
}
INLAY_FN constexpr Rational operator-(Rational a) { return {-a.number, a.over}; }
INLAY_FN constexpr Rational operator*(Rational a, Rational b) { return rational(a.number * b.number, a.over * b.over); }
INLAY_FN constexpr Rational inverse(Rational a) { return rational(a.over, a.number); }

}  // namespace inlay::inline INLAY_ABI::detail
