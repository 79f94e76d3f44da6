// SPDX-License-Identifier: Apache-2.0
/// Inequalities solved for the key by integer division: linear ones, and those of one rounded quotient.
#pragma once

#include <inlay/plan/attention/intervals.hpp>
#include <inlay/plan/attention/key_form.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI::detail {

/// The keys for which p · key + w ≥ 0.
INLAY_FN constexpr Interval half_line(index_t p, index_t w, index_t keys) {
    if (p == 0) return {0, w >= 0 ? keys : 0};
    return p > 0 ? Interval{-floor_quotient(w, p), keys} : Interval{0, floor_quotient(w, -p) + 1};
}

/// The keys for which E ≥ 0, or E > 0 where Strict.
template <class E, bool Strict, class Environment>
INLAY_FN constexpr Interval where_positive(const Environment& env, const ScoreRow& row) {
    constexpr KeyForm form = key_form<E>();
    constexpr index_t scale = scale_of<E>(), p = form.slope.number * (scale / form.slope.over);
    const index_t keys = env.out[3];
    const auto v = row_value<Number<E>, E>(env, row, scale);
    if (v != v) return {keys, 0};
    if constexpr (form.kind != KeyKind::rounded) {
        return half_line(p, Strict ? ceil_of(v) - 1 : floor_of(v), keys);
    } else {
        using Rounded = typename rounded_in<E>::type;
        using G = inner_of<Rounded>;
        constexpr index_t inner_scale = scale_of<G>();
        constexpr Rational slope = key_form<G>().slope;
        constexpr index_t inner = slope.number * (inner_scale / slope.over);
        const auto rest = v - static_cast<Number<E>>(p) * row_value<Number<E>, Rounded>(env, row, 1);
        const auto g = row_value<Number<G>, G>(env, row, inner_scale);
        if (rest != rest || g != g) return {keys, 0};
        const index_t w = Strict ? ceil_of(rest) - 1 : floor_of(rest);
        // ⌊G⌋ ≥ t is G ≥ t, and ⌊G⌋ ≤ t is t + 1 − G > 0; ⌈G⌉ ≥ t is G − t + 1 > 0, and ⌈G⌉ ≤ t is t − G ≥ 0.
        const index_t bound = p > 0 ? -floor_quotient(w, p) : floor_quotient(w, -p);
        constexpr index_t most = index_t(1) << 37;  // beyond all keys, and a number times any scale
        const index_t t = bound > most ? most : bound < -most ? -most : bound;
        const bool strict = (p > 0) != is_floor<Rounded>;
        const index_t shift = (strict ? (p > 0 ? t - 1 : t + 1) : t) * inner_scale;
        const auto at_zero = p > 0 ? g - static_cast<Number<G>>(shift) : static_cast<Number<G>>(shift) - g;
        return half_line(p > 0 ? inner : -inner, strict ? ceil_of(at_zero) - 1 : floor_of(at_zero), keys);
    }
}

}  // namespace inlay::inline INLAY_ABI::detail

INLAY_STRICT_DEVICE_END
