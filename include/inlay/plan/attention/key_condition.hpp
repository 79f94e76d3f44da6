// SPDX-License-Identifier: Apache-2.0
/// A comparison solved for the key: at each row of scores it holds on one interval of keys. Linear inequalities and
/// those of one rounded quotient are solved by integer division, those of ascending slots by search.
#pragma once

#include <inlay/plan/attention/intervals.hpp>
#include <inlay/plan/attention/key_form.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

/// Rows of scores: queries [begin, end) of the heads [head, head + heads).
struct QueryTile {
    index_t batch = 0, head = 0, heads = 1, begin = 0, end = 0;
    INLAY_FN static constexpr QueryTile of(const ScoreRow& r) { return {r.batch, r.head, 1, r.query, r.query + 1}; }
    INLAY_FN constexpr bool empty() const { return begin >= end || heads <= 0; }
};

/// Finds how many of the keys 0 … keys − 1 come before a bound, of which `before(key)` is true. Other searches, by a
/// warp at a time, have the same call.
struct BinarySearch {
    template <class Before>
    INLAY_FN constexpr index_t operator()(index_t keys, const Before& before) const {
        index_t least = 0;
        for (index_t most = keys; least < most;) {
            const index_t middle = least + (most - least) / 2;
            if (before(middle)) least = middle + 1;
            else most = middle;
        }
        return least;
    }
};

namespace detail {

template <class Nodes>
struct slots_among;
template <class... N>
struct slots_among<types<N...>> {
    static constexpr bool any = (is_buf<N> || ...);
    template <class Environment>
    INLAY_FN static constexpr bool vary(const Environment& env, int axis) {
        return (varies_one<N>(env, axis) || ...);
    }

private:
    template <class Node, class Environment>
    INLAY_FN static constexpr bool varies_one(const Environment& env, int axis) {
        if constexpr (is_buf<Node>) return varies<Node::slot>(env, axis);
        else return false;
    }
};
template <class E>
using slots_in = slots_among<nodes_of<E>>;

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
    if (v != v) return {};
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
        if (rest != rest || g != g) return {};
        const index_t w = Strict ? ceil_of(rest) - 1 : floor_of(rest);
        // ⌊G⌋ ≥ t is G ≥ t, and ⌊G⌋ ≤ t is t + 1 − G > 0; ⌈G⌉ ≥ t is G − t + 1 > 0, and ⌈G⌉ ≤ t is t − G ≥ 0.
        const index_t t = p > 0 ? -floor_quotient(w, p) : floor_quotient(w, -p);
        const bool strict = (p > 0) != is_floor<Rounded>;
        const index_t shift = (strict ? (p > 0 ? t - 1 : t + 1) : t) * inner_scale;
        const auto at_zero = p > 0 ? g - static_cast<Number<G>>(shift) : static_cast<Number<G>>(shift) - g;
        return half_line(p > 0 ? inner : -inner, strict ? ceil_of(at_zero) - 1 : floor_of(at_zero), keys);
    }
}

template <class E>
inline constexpr bool is_ascending_slot = false;
template <int I>
inline constexpr bool is_ascending_slot<Ascending<Buf<I>>> = true;

enum class Relation { greater, greater_equal, less, less_equal, equal };
INLAY_FN constexpr Relation mirrored(Relation r) {
    return r == Relation::greater         ? Relation::less
           : r == Relation::greater_equal ? Relation::less_equal
           : r == Relation::less          ? Relation::greater
           : r == Relation::less_equal    ? Relation::greater_equal
                                          : r;
}

/// A comparison of two expressions.
template <Relation R, class A, class B>
struct Comparison {
    static constexpr KeyForm form = key_form<Sub<A, B>>();
    static constexpr bool reads_slots = slots_in<Sub<A, B>>::any;
    template <class X, class Y>
    static constexpr bool searched = is_ascending_slot<X> && key_form<Y>().kind == KeyKind::none;

    /// True where the comparison is solved; else it is computed, score by score.
    template <class Environment>
    INLAY_FN static constexpr bool decided(const Environment& env) {
        if constexpr (form.kind == KeyKind::other) return false;
        else if constexpr (!reads_slots) return true;
        else {
            const bool a = slots_in<A>::vary(env, 3), b = slots_in<B>::vary(env, 3);
            if (a && b) return false;
            if (a) return searched<A, B> && !slots_in<A>::vary(env, 2);
            if (b) return searched<B, A> && !slots_in<B>::vary(env, 2);
            return true;
        }
    }

    /// The keys for which the comparison holds at a row. Its bounds may lie outside [0, keys).
    template <class Environment, class Search>
    INLAY_FN static constexpr Interval at(const Environment& env, const ScoreRow& row, const Search& search) {
        if constexpr (reads_slots && searched<A, B>)
            if (slots_in<A>::vary(env, 3)) return found<R, inner_of<A>::slot, B>(env, row, search);
        if constexpr (reads_slots && searched<B, A>)
            if (slots_in<B>::vary(env, 3)) return found<mirrored(R), inner_of<B>::slot, A>(env, row, search);
        if constexpr (R == Relation::greater) return where_positive<Sub<A, B>, true>(env, row);
        else if constexpr (R == Relation::greater_equal) return where_positive<Sub<A, B>, false>(env, row);
        else if constexpr (R == Relation::less) return where_positive<Sub<B, A>, true>(env, row);
        else if constexpr (R == Relation::less_equal) return where_positive<Sub<B, A>, false>(env, row);
        else {
            const Interval not_below = where_positive<Sub<A, B>, false>(env, row);
            const Interval not_above = where_positive<Sub<B, A>, false>(env, row);
            // Each bound from one inequality, so that it changes in one direction from row to row.
            if constexpr (form.kind == KeyKind::none) return {not_above.empty() ? env.out[3] : 0, not_below.end};
            else return intersection_of(not_below, not_above);
        }
    }

    /// The same over the rows of a tile: the keys of any row, or where Every those of all rows. Where the bounds change
    /// in one direction, the first and the last row decide.
    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr Interval over(const Environment& env, const QueryTile& tile, const Search& search) {
        const index_t keys = env.out[3];
        if constexpr (form.kind != KeyKind::other)
            if (decided(env)) return solved<Every>(env, tile, search);
        return {0, Every ? 0 : keys};
    }

private:
    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr Interval solved(const Environment& env, const QueryTile& tile, const Search& search) {
        const index_t keys = env.out[3];
        Interval all = Every ? Interval{0, keys} : Interval{keys, 0};
        const auto step = [](int change, index_t count) {
            return change == any_way ? 1 : change == constant_along ? count : count > 1 ? count - 1 : 1;
        };
        const index_t next_head = step(direction<Sub<A, B>>(env, 1), tile.heads);
        const index_t next_query = step(direction<Sub<A, B>>(env, 2), tile.end - tile.begin);
        for (index_t h = 0; h < tile.heads; h += next_head)
            for (index_t q = tile.begin; q < tile.end; q += next_query) {
                const Interval i = at(env, {tile.batch, tile.head + h, q}, search);
                if (Every == (i.begin > all.begin)) all.begin = i.begin;
                if (Every == (i.end < all.end)) all.end = i.end;
            }
        return intersection_of(all, {0, keys});
    }

    template <Relation Is, int Slot, class Bound, class Environment, class Search>
    INLAY_FN static constexpr Interval found(const Environment& env, const ScoreRow& row, const Search& search) {
        constexpr index_t scale = scale_of<Bound>();
        const index_t keys = env.out[3];
        const double bound = row_value<double, Bound>(env, row, scale) / static_cast<double>(scale);
        if (bound != bound) return {};
        const auto below = [&](index_t k) { return element<Slot>(env, row, k) < bound; };
        const auto up_to = [&](index_t k) { return element<Slot>(env, row, k) <= bound; };
        if constexpr (Is == Relation::greater) return {search(keys, up_to), keys};
        else if constexpr (Is == Relation::greater_equal) return {search(keys, below), keys};
        else if constexpr (Is == Relation::less) return {0, search(keys, below)};
        else if constexpr (Is == Relation::less_equal) return {0, search(keys, up_to)};
        else return {search(keys, below), search(keys, up_to)};
    }
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
