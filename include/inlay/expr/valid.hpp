// SPDX-License-Identifier: Apache-2.0
/// Checks by the compiler of an expression and the types bound to its slots. `check_expression` reports in one sentence
/// on the first error line; the concept `valid` serves overloads and negative tests.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/view/broadcast.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/dilate.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/expr/view/upsample.hpp>

namespace inlay::inline INLAY_ABI {

/// The place of an expression. Rank: of the coordinates at which it is read. ChannelsLast: these are [B, H, W, C],
/// where an operand [B, C] would line up with [W, C]. BelowView: a view stands above it. Score: they are those of an
/// attention's scores, [B, heads, Sq, Skv].
template <int Rank, bool ChannelsLast = false, bool BelowView = false, bool Score = false>
struct Place {};

namespace detail {

/// Views whose result has the axes of their first operand, in order: what misleads above them misleads below.
template <class V>
inline constexpr bool keeps_axes = false;
template <class E, auto Axis, auto Start, auto Size>
inline constexpr bool keeps_axes<node::Slice<E, Axis, Start, Size>> = true;
template <auto Axis, class... E>
inline constexpr bool keeps_axes<node::Concat<Axis, E...>> = true;
template <class E, auto Axis, auto Before, auto After, Real Value>
inline constexpr bool keeps_axes<node::Pad<E, Axis, Before, After, Value>> = true;
template <class E, index_t Factor, index_t... Axes>
inline constexpr bool keeps_axes<node::Dilate<E, Factor, Axes...>> = true;
template <class E, index_t Factor, index_t... Axes>
inline constexpr bool keeps_axes<node::Upsample<E, Factor, Axes...>> = true;
template <class E, class Like>
inline constexpr bool keeps_axes<Broadcast<E, Like>> = true;

template <bool Report, class E, class Environment, int Rank, bool ChannelsLast, bool BelowView, bool Score, class... K>
constexpr bool fits(Place<Rank, ChannelsLast, BelowView, Score>, types<K...>);

template <bool Report, class V, class Environment, class... K>
constexpr bool view_fits(types<K...>) {
    if constexpr (requires { V::template accepts<rank_of<K, Environment>...>; }) {
        constexpr bool ok = V::template accepts<rank_of<K, Environment>...>;
        if constexpr (Report) V::template demand<ok>();
        if constexpr (!ok) return false;
    }
    if constexpr (requires { V::template reads_int32<Environment>(); }) {
        constexpr bool ok = V::template reads_int32<Environment>();
        if constexpr (Report) V::template demand_index<ok>();
        return ok;
    } else if constexpr (requires { V::template reads_fp32<Environment>(); }) {
        constexpr bool ok = V::template reads_fp32<Environment>();
        if constexpr (Report) V::template demand_records<ok>();
        return ok;
    } else {
        return true;
    }
}

/// Rank of the coordinates at which view V reads operand K.
template <class V, class K, class Environment>
inline constexpr int rank_below = rank_of<K, Environment>;
template <class E, class Like, class K, class Environment>
inline constexpr int rank_below<Broadcast<E, Like>, K, Environment> = rank_of<Broadcast<E, Like>, Environment>;

/// E with children K, whose slots are bound. With Report, a static_assert names the first fault, operands first.
template <bool Report, class E, class Environment, int Rank, bool ChannelsLast, bool BelowView, bool Score, class... K>
constexpr bool fits(Place<Rank, ChannelsLast, BelowView, Score> place, types<K...> children) {
    if constexpr (E::kind == NodeKind::pointwise) {
        return (fits<Report, K, Environment>(place, typename K::children{}) && ...);
    } else if constexpr (is_sum<E>) {
        static_assert(!BelowView || !Report,
                      "inlay: Out is read at its own coordinate only: no view may stand above it");
        return !BelowView;
    } else if constexpr (is_coord<E>) {
        constexpr bool ok = is_axis<E::axis>(Rank);
        static_assert(ok || !Report, "inlay: Coord names an axis that the expression it stands in does not have");
        return ok;
    } else if constexpr (is_query_position<E>) {
        static_assert(Score || !Report,
                      "inlay: QueryPosition is read in the score of an attention, and not below a view");
        return Score;
    } else if constexpr (ChannelsLast && Rank == 4 && rank_of<E, Environment> == 2) {
        static_assert(!Report, "inlay: a [B, C] tensor does not broadcast over NHWC; reshape it to [B, 1, 1, C]");
        return false;
    } else if constexpr (E::kind == NodeKind::view) {
        constexpr bool below = ChannelsLast && keeps_axes<E>;
        constexpr bool operands = (fits<Report, K, Environment>(Place<rank_below<E, K, Environment>, below, true>{},
                                                             typename K::children{}) &&
                                   ...);
        if constexpr (operands) return view_fits<Report, E, Environment>(children);
        else return false;
    } else {
        return true;
    }
}

template <bool Report, class E, class Environment, class At>
constexpr bool expression_fits() {
    if constexpr (slots_bound<Report, E, Environment>(typename E::children{}))
        return fits<Report, E, Environment>(At{}, typename E::children{});
    else return false;
}

template <class E, class... Tensors>
constexpr bool is_valid() {
    if constexpr (!Expr<E>) return false;
    else {
        using Environment = Env<-1, 0, Tensors...>;
        if constexpr (!slots_bound<false, E, Environment>(typename E::children{})) return false;
        else return expression_fits<false, E, Environment, Place<rank_of<E, Environment>>>();
    }
}

}  // namespace detail

/// Checks that E fits the types bound to its slots, read at a place: true, or a static_assert with one sentence.
template <class E, class Environment, class At>
constexpr bool check_expression() {
    return detail::expression_fits<true, E, Environment, At>();
}

/// An expression that may be read with these tensors in its slots.
template <class E, class... Tensors>
concept valid = detail::is_valid<E, Tensors...>();

}  // namespace inlay::inline INLAY_ABI
