// SPDX-License-Identifier: Apache-2.0
/// A comparison solved for the key: at each row of scores it holds on one interval of keys, by inequalities or, of
/// ascending slots, by search.
#pragma once

#include <inlay/plan/attention/inequality.hpp>

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

    /// The keys for which the comparison holds at a row of the tile, or where Every at all rows.
    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr Interval over(const Environment& env, const QueryTile& tile, const Search& search) {
        const index_t keys = env.out[3];
        if constexpr (form.kind != KeyKind::other)
            if (decided(env)) return solved<Every>(env, tile, search);
        return {0, Every ? 0 : keys};
    }

private:
    /// The keys of any row, or of all rows, from those of single rows; a row without a key has {keys, 0}.
    template <bool Every>
    struct Joined {
        Interval all;
        INLAY_FN constexpr explicit Joined(index_t keys) : all(Every ? Interval{0, keys} : Interval{keys, 0}) {}
        INLAY_FN constexpr void add(const Interval& i) {
            if (Every == (i.begin > all.begin)) all.begin = i.begin;
            if (Every == (i.end < all.end)) all.end = i.end;
        }
    };

    /// Calls f(i) for the numbers of [begin, end) that decide: all, or where bounds change in one direction the first
    /// and the last. Those are two calls and no loop, whose count device code would divide for.
    template <class F>
    INLAY_FN static constexpr void at_ends(int change, index_t begin, index_t end, const F& f) {
        if (change == any_way) {
            for (index_t i = begin; i < end; ++i) f(i);
            return;
        }
        f(begin);
        if (change != constant_along && end - begin > 1) f(end - 1);
    }
    /// Calls f(row) for the rows of a head that decide.
    template <class Environment, class F>
    INLAY_FN static constexpr void at_queries(const Environment& env, const QueryTile& tile, index_t head, const F& f) {
        at_ends(direction<Sub<A, B>>(env, 2), tile.begin, tile.end,
                [&](index_t q) { f(ScoreRow{tile.batch, head, q}); });
    }

    template <bool Every, class Environment, class Search>
    INLAY_FN static constexpr Interval solved(const Environment& env, const QueryTile& tile, const Search& search) {
        Joined<Every> joined(env.out[3]);
        at_ends(direction<Sub<A, B>>(env, 1), tile.head, tile.head + tile.heads, [&](index_t head) {
            if constexpr (reads_slots && searched<A, B>)
                if (slots_in<A>::vary(env, 3)) {
                    add_found<R, inner_of<A>::slot, B>(joined, env, tile, head, search);
                    return;
                }
            if constexpr (reads_slots && searched<B, A>)
                if (slots_in<B>::vary(env, 3)) {
                    add_found<mirrored(R), inner_of<B>::slot, A>(joined, env, tile, head, search);
                    return;
                }
            at_queries(env, tile, head, [&](const ScoreRow& row) { joined.add(at(env, row)); });
        });
        return intersection_of(joined.all, {0, env.out[3]});
    }

    /// The keys of a row. Their bounds may lie outside [0, keys).
    template <class Environment>
    INLAY_FN static constexpr Interval at(const Environment& env, const ScoreRow& row) {
        if constexpr (form.kind == KeyKind::none && !is_whole<Sub<A, B>>()) return at_slots(env, row);
        else if constexpr (R == Relation::greater) return where_positive<Sub<A, B>, true>(env, row);
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

    /// The same of numbers that are free of the key but read slots. Both may be infinite, their difference is NaN then.
    template <class Environment>
    INLAY_FN static constexpr Interval at_slots(const Environment& env, const ScoreRow& row) {
        constexpr index_t scale = scale_of<Sub<A, B>>();
        const double a = row_value<double, A>(env, row, scale), b = row_value<double, B>(env, row, scale);
        const index_t keys = env.out[3];
        if constexpr (R == Relation::greater) return {0, a > b ? keys : 0};
        else if constexpr (R == Relation::greater_equal) return {0, a >= b ? keys : 0};
        else if constexpr (R == Relation::less) return {0, a < b ? keys : 0};
        else if constexpr (R == Relation::less_equal) return {0, a <= b ? keys : 0};
        else return {a <= b ? 0 : keys, a >= b ? keys : 0};
    }

    /// Adds the keys of all queries of a head, by a search for the least and the greatest bound.
    template <Relation Is, int Slot, class Bound, bool Every, class Environment, class Search>
    INLAY_FN static constexpr void add_found(Joined<Every>& joined, const Environment& env, const QueryTile& tile,
                                             index_t head, const Search& search) {
        constexpr index_t scale = scale_of<Bound>();
        const index_t keys = env.out[3];
        double least = 0, most = 0;
        bool any = false, none = false;
        at_queries(env, tile, head, [&](const ScoreRow& row) {
            const double bound = row_value<double, Bound>(env, row, scale) / static_cast<double>(scale);
            if (bound != bound) none = true;
            if (bound < least || !any) least = bound;
            if (bound > most || !any) most = bound;
            any = any || bound == bound;
        });
        if (none) joined.add({keys, 0});
        const ScoreRow first{tile.batch, head, tile.begin};
        if (any) joined.add(found<Is, Slot>(env, first, least, search));
        if (any && most > least) joined.add(found<Is, Slot>(env, first, most, search));
    }
    template <Relation Is, int Slot, class Environment, class Search>
    INLAY_FN static constexpr Interval found(const Environment& env, const ScoreRow& row, double bound,
                                             const Search& search) {
        const index_t keys = env.out[3];
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
