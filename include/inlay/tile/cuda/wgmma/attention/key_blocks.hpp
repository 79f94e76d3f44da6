// SPDX-License-Identifier: Apache-2.0
/// The blocks of keys that queries of a work tile visit, and those of them that need no mask, as intervals in 32 bits.
#pragma once

#include <inlay/plan/attention/algebra.hpp>
#include <inlay/tile/gpu/attention/warp_search.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A condition under which a query sees exactly the keys before its bound. Blocks then begin with the first one, and
/// one number says which of them need a mask.
template <class Condition>
inline constexpr bool sees_prefix =
    inlay::detail::Visibility<Condition>::shape.begins && inlay::detail::Visibility<Condition>::shape.most == 1;

/// At most N intervals of blocks in ascending order, empty ones last. Prefix: there is one, from block 0 on.
template <int N, bool Prefix>
struct WgmmaKeyBlocks {
    static_assert(!Prefix || N == 1);
    int begin[N], end[N];

    /// Blocks of `Keys` keys of which some is among `keys`, or where Within all are.
    template <int Keys, bool Within>
    __device__ INLAY_INLINE static WgmmaKeyBlocks of(const Intervals<N>& keys) {
        if constexpr (N == 1) {     // one interval needs no joining, nor division in 64 bits
            const int begin = static_cast<int>(keys.at[0].begin), end = static_cast<int>(keys.at[0].end);
            return {{Prefix ? 0 : (begin + (Within ? Keys - 1 : 0)) / Keys}, {(end + (Within ? 0 : Keys - 1)) / Keys}};
        } else {
            const Intervals<N> from = Within ? keys.blocks_within(Keys) : keys.blocks_touched(Keys);
            WgmmaKeyBlocks r;
            INLAY_UNROLL
            for (int n = 0; n < N; ++n)
                r.begin[n] = static_cast<int>(from.at[n].begin), r.end[n] = static_cast<int>(from.at[n].end);
            return r;
        }
    }
    /// The number of blocks before block b.
    __device__ INLAY_INLINE int place(int b) const {
        if constexpr (Prefix) return b;
        int before = 0;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) before += (::max)((::min)(b, end[n]) - begin[n], 0);
        return before;
    }
    __device__ INLAY_INLINE int count() const {
        int all = 0;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) all += end[n] - begin[n];
        return all;
    }
    /// Block i of them.
    __device__ INLAY_INLINE int block(int i) const {
        if constexpr (Prefix) return i;
        int found = begin[0] + i, before = 0;
        INLAY_UNROLL
        for (int n = 1; n < N; ++n) {
            before += end[n - 1] - begin[n - 1];
            if (i >= before && end[n] > begin[n]) found = begin[n] + (i - before);
        }
        return found;
    }
    /// The first block, and the one behind the last.
    __device__ INLAY_INLINE int first() const { return Prefix ? 0 : begin[0]; }
    __device__ INLAY_INLINE int last() const {
        int behind = end[0];
        INLAY_UNROLL
        for (int n = 1; n < N; ++n) behind = (::max)(behind, end[n]);
        return behind;
    }
    __device__ INLAY_INLINE bool contains(int b) const {
        if constexpr (Prefix) return !(b >= end[0]);
        bool found = false;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) found = found || (begin[n] <= b && b < end[n]);
        return found;
    }
};

/// The blocks that an attention's queries visit, of `Tile::keys` keys.
template <class Tile, class Algebra>
struct WgmmaVisits {
    using Condition = typename Algebra::condition;
    static constexpr bool prefix = sees_prefix<Condition>;
    using Blocks = WgmmaKeyBlocks<most_intervals<Condition>, prefix>;

    /// The blocks of which some of the queries, at least one, sees a key.
    template <class Args>
    __device__ INLAY_INLINE static Blocks visited(const Args& a, const QueryTile& queries) {
        if constexpr (Algebra::every_key) return {{0}, {(a.keys + Tile::keys - 1) / Tile::keys}};
        else
            return Blocks::template of<Tile::keys, false>(
                visible_keys<Condition>(a.env, queries, WarpSearch{}));
    }
    /// The blocks whose keys all exist and all queries see.
    template <class Args>
    __device__ INLAY_INLINE static Blocks full(const Args& a, const QueryTile& queries) {
        if constexpr (Algebra::every_key) return {{0}, {a.keys / Tile::keys}};
        else
            return Blocks::template of<Tile::keys, true>(
                unmasked_keys<Condition>(a.env, queries, WarpSearch{}));
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
