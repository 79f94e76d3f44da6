// SPDX-License-Identifier: Apache-2.0
/// Unions of half-open intervals of keys, or of blocks of keys. The most intervals that a union may have are part of
/// its type, and no index into them is computed, so that device code can keep them in registers.
#pragma once

#include <inlay/core/extents.hpp>

namespace inlay::inline INLAY_ABI {

/// The numbers from `begin` up to but not including `end`; none where `end` is not greater.
struct Interval {
    index_t begin = 0, end = 0;

    INLAY_FN constexpr bool empty() const { return begin >= end; }
    INLAY_FN constexpr bool contains(index_t i) const { return begin <= i && i < end; }
    constexpr bool operator==(const Interval&) const = default;
};
INLAY_FN constexpr Interval intersection_of(const Interval& a, const Interval& b) {
    return {a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/// At most N intervals in ascending order, none of them empty, with a gap between each two.
template <int N>
struct Intervals {
    static constexpr int most = N;
    int count = 0;
    Interval at[room_for<N>] = {};  ///< from `count` on empty

    constexpr bool operator==(const Intervals&) const = default;

    /// Adds an interval that begins at or after the last one's begin, and joins the two where no gap is left.
    INLAY_FN constexpr void append(const Interval& i) {
        if (i.empty()) return;
        bool joined = false;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n)
            if (n == count - 1 && i.begin <= at[n].end) {
                at[n].end = i.end > at[n].end ? i.end : at[n].end;
                joined = true;
            }
        if (joined) return;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n)
            if (n == count) at[n] = i;
        ++count;
    }
    INLAY_FN constexpr bool contains(index_t i) const {
        bool found = false;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) found = found || at[n].contains(i);
        return found;
    }
    /// The number of numbers.
    INLAY_FN constexpr index_t size() const {
        index_t sum = 0;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) sum += at[n].end - at[n].begin;
        return sum;
    }
    /// Number i of them in ascending order, 0 ≤ i < size().
    INLAY_FN constexpr index_t number(index_t i) const {
        index_t found = at[0].begin + i, before = 0;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) {
            if (n < count && i >= before) found = at[n].begin + (i - before);
            before += at[n].end - at[n].begin;
        }
        return found;
    }
    /// The blocks of `size` numbers of which some is here.
    INLAY_FN constexpr Intervals blocks_touched(index_t size) const {
        Intervals r;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) r.append({at[n].begin / size, (at[n].end + size - 1) / size});
        return r;
    }
    /// The blocks of `size` numbers that are here as a whole.
    INLAY_FN constexpr Intervals blocks_within(index_t size) const {
        Intervals r;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) r.append({(at[n].begin + size - 1) / size, at[n].end / size});
        return r;
    }
};

/// The numbers in both. `Most`: intervals of the result at most; A + B − 1 always suffice.
template <int Most, int A, int B>
INLAY_FN constexpr Intervals<Most> intersection_of(const Intervals<A>& a, const Intervals<B>& b) {
    Intervals<Most> r;
    INLAY_UNROLL
    for (int i = 0; i < A; ++i) {
        INLAY_UNROLL
        for (int j = 0; j < B; ++j) r.append(intersection_of(a.at[i], b.at[j]));
    }
    return r;
}

/// The numbers in either; A + B intervals always suffice.
template <int Most, int A, int B>
INLAY_FN constexpr Intervals<Most> union_of(const Intervals<A>& a, const Intervals<B>& b) {
    Interval all[room_for<A + B>];
    INLAY_UNROLL
    for (int i = 0; i < A; ++i) all[i] = a.at[i];
    INLAY_UNROLL
    for (int i = 0; i < B; ++i) all[A + i] = b.at[i];
    INLAY_UNROLL
    for (int pass = 0; pass < A + B - 1; ++pass) {  // a sorting network
        INLAY_UNROLL
        for (int i = 0; i + 1 < A + B; ++i)
            if (all[i + 1].begin < all[i].begin) {
                const Interval later = all[i];
                all[i] = all[i + 1];
                all[i + 1] = later;
            }
    }
    Intervals<Most> r;
    INLAY_UNROLL
    for (int i = 0; i < A + B; ++i) r.append(all[i]);
    return r;
}

/// The numbers of [0, end) that are not in a, whose numbers lie there; N + 1 intervals always suffice.
template <int Most, int N>
INLAY_FN constexpr Intervals<Most> complement_of(const Intervals<N>& a, index_t end) {
    Intervals<Most> r;
    index_t from = 0;
    INLAY_UNROLL
    for (int n = 0; n < N; ++n)
        if (n < a.count) {
            r.append({from, a.at[n].begin});
            from = a.at[n].end;
        }
    r.append({from, end});
    return r;
}

}  // namespace inlay::inline INLAY_ABI
