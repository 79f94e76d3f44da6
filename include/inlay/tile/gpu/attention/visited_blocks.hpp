// SPDX-License-Identifier: Apache-2.0
/// The blocks of keys that a query tile visits, as a loop over them needs it: in 32 bits, without an index into arrays.
#pragma once

#include <inlay/plan/attention/visible_keys.hpp>
#include <inlay/tile/gpu/attention/warp_search.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Blocks in at most N runs of neighbours.
template <int N>
struct VisitedBlocks {
    int count = 0;                          ///< of blocks to visit
    int first[N] = {}, shift[N] = {};       ///< of a run: blocks before it, and its first block less that
    int full[N] = {}, full_count[N] = {};   ///< runs of blocks without a mask

    __device__ INLAY_INLINE static VisitedBlocks of(const KeyBlocks<N>& blocks) {
        VisitedBlocks v;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n) {
            const Interval &loaded = blocks.loaded.at[n], &unmasked = blocks.full.at[n];
            const int begin = static_cast<int>(loaded.begin);
            v.first[n] = n < blocks.loaded.count ? v.count : 0x7fffffff;
            v.shift[n] = begin - v.count;
            v.count += static_cast<int>(loaded.end) - begin;
            v.full[n] = static_cast<int>(unmasked.begin);
            v.full_count[n] = static_cast<int>(unmasked.end) - v.full[n];
        }
        return v;
    }
    /// The number of the i-th.
    __device__ INLAY_INLINE int block(int i) const {
        int by = shift[0];
        INLAY_UNROLL
        for (int n = 1; n < N; ++n) by = i >= first[n] ? shift[n] : by;
        return i + by;
    }
    /// True if a key of the block is hidden from some row, or absent.
    __device__ INLAY_INLINE bool masked(int block) const {
        bool unmasked = false;
        INLAY_UNROLL
        for (int n = 0; n < N; ++n)
            unmasked |= static_cast<unsigned>(block - full[n]) < static_cast<unsigned>(full_count[n]);
        return !unmasked;
    }
};

/// All blocks, of which only the last one may lack keys.
struct AllBlocks {
    int count, full;

    __device__ INLAY_INLINE int block(int i) const { return i; }
    __device__ INLAY_INLINE bool masked(int block) const { return block >= full; }
};

/// The blocks of `size` keys that a tile visits by the condition of an attention. All lanes of a warp call it together.
template <class Algebra, class Environment>
__device__ INLAY_INLINE auto visited_blocks(const Environment& env, const QueryTile& tile, int size, int keys) {
    if constexpr (Algebra::every_key) {
        return AllBlocks{(keys + size - 1) / size, keys / size};
    } else {
        using Condition = typename Algebra::condition;
        return VisitedBlocks<room_for<most_intervals<Condition>>>::of(key_blocks<Condition>(env, tile, size, WarpSearch{}));
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
