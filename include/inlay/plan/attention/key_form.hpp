// SPDX-License-Identifier: Apache-2.0
/// The way in which an expression of scores depends on the key, by types alone.
#pragma once

#include <inlay/plan/attention/row_value.hpp>

namespace inlay::inline INLAY_ABI::detail {

/// An expression depends on the key not at all, as slope · key + row value, as slope · ⌊linear⌋ + row value (or
/// ⌈linear⌉), or otherwise. Slots count as row values here: their tensors decide at run time.
enum class KeyKind { none, linear, rounded, other };
struct KeyForm {
    KeyKind kind = KeyKind::none;
    Rational slope{0, 1};
};
INLAY_FN constexpr KeyForm key_form(KeyKind kind, Rational slope) {
    if (slope.over == 0 || kind == KeyKind::other) return {KeyKind::other, {0, 1}};
    return slope.number == 0 ? KeyForm{} : KeyForm{kind, slope};
}
INLAY_FN constexpr KeyForm sum_form(KeyForm a, KeyForm b) {
    if (b.kind == KeyKind::none) return a;
    if (a.kind == KeyKind::none) return b;
    if (a.kind == KeyKind::linear && b.kind == KeyKind::linear) return key_form(KeyKind::linear, a.slope + b.slope);
    return {KeyKind::other, {0, 1}};
}
template <class E>
INLAY_FN constexpr KeyForm key_form();
template <class E, class... K>
INLAY_FN constexpr KeyForm key_form_of_node(types<K...>) {
    const KeyForm f[] = {key_form<K>()...};
    if constexpr (is_sum_of<E>)
        return sum_form(f[0], is_difference<E> ? key_form(f[1].kind, -f[1].slope) : f[1]);
    if (is_rounded<E> && f[0].kind == KeyKind::linear) return {KeyKind::rounded, {1, 1}};
    const bool none = ((key_form<K>().kind == KeyKind::none) && ...);
    return is_ascending<E> || none ? f[0] : KeyForm{KeyKind::other, {0, 1}};
}
template <class E>
INLAY_FN constexpr KeyForm key_form() {
    if constexpr (is_coord<E>)
        return score_axis<E::axis> == 3 ? KeyForm{KeyKind::linear, {1, 1}} : KeyForm{KeyKind::none, {0, 1}};
    else if constexpr (is_const<E> || is_query_position<E> || is_param<E> || is_buf<E>) return {};
    else if constexpr (E::kind != NodeKind::pointwise) return {KeyKind::other, {0, 1}};
    else if constexpr (has_factor<E>)
        return key_form(key_form<inner_of<E>>().kind, key_form<inner_of<E>>().slope * factor<E>);
    else return key_form_of_node<E>(typename E::children{});
}

/// The rounded quotient of the key in E.
template <class E>
struct rounded_in;
template <class E, class... K>
struct rounded_among {
    using type = E;
};
template <class E, class K, class... More>
struct rounded_among<E, K, More...> {
    using type = typename std::conditional_t<key_form<K>().kind == KeyKind::rounded, rounded_in<K>,
                                             rounded_among<E, More...>>::type;
};
template <class E, class Children>
struct rounded_below;
template <class E, class... K>
struct rounded_below<E, types<K...>> : rounded_among<E, K...> {};
template <class E>
struct rounded_in : rounded_below<E, typename E::children> {};

}  // namespace inlay::inline INLAY_ABI::detail
