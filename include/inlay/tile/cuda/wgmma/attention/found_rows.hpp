// SPDX-License-Identifier: Apache-2.0
/// The keys that the rows of a work tile see, found once and kept in shared memory: for conditions that tensors solve,
/// by loads or a search, for one interval of keys. Each thread finds those of one row. The blocks to visit, the blocks
/// without a mask and the masks of the others follow from these, without another look at the tensors.
#pragma once

#include <inlay/tile/cuda/wgmma/attention/scores.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The keys [begin, end) of a row; [0, 0) where it sees none.
struct WgmmaFoundKeys {
    int begin, end;
};

template <class Tile, class Algebra>
struct WgmmaFoundRows {
    using Condition = typename Algebra::condition;
    using Keys = Intervals<most_intervals<Condition>>;
    static constexpr bool used = Algebra::solved_by_tensors && most_intervals<Condition> == 1;
    static constexpr int bytes = used ? Tile::rows * static_cast<int>(sizeof(WgmmaFoundKeys)) : 0;
    static_assert(!used || Tile::rows <= Tile::threads);

    WgmmaFoundKeys* at;         ///< of each row of the tile, behind the last of them [0, 0)
    int keys;                   ///< of the problem

    /// All threads of the block call it together; visible after the next barrier.
    template <class Args>
    __device__ INLAY_INLINE void find(const Args& a, int batch, int head, int first_row) const {
        const int i = thread_index(), row = first_row + i;
        if (i >= Tile::rows) return;
        WgmmaFoundKeys found{0, 0};
        if (i < a.rows && row < a.queries) {
            const auto seen = visible_keys<Condition>(a.env, QueryTile::of({batch, head, row}), ThreadSearch{});
            found = {static_cast<int>(seen.at[0].begin), static_cast<int>(seen.at[0].end)};
        }
        at[i] = found;
    }
    /// The keys that some of the rows [begin, end) of the tile see, and those that all of them do. All lanes of a warp
    /// call it together.
    __device__ INLAY_INLINE Keys any_of(int begin, int end) const { return joined<false>(begin, end); }
    __device__ INLAY_INLINE Keys all_of(int begin, int end) const { return joined<true>(begin, end); }

    /// Those of a lane's two rows, of which `row` is the number in the tile of the first.
    __device__ INLAY_INLINE WgmmaRowKeys<Condition> of(int row) const {
        const WgmmaFoundKeys first = at[row], second = at[row + 8];
        return {{{first.begin}, {second.begin}}, {{first.end}, {second.end}}};
    }

private:
    template <bool All>
    __device__ INLAY_INLINE Keys joined(int begin, int end) const {
        // The greatest of numbers is the least of their negatives.
        int from = All ? 0 : keys, to = All ? keys : 0;
        for (int i = begin + lane_index(); i < end; i += warp_size) {
            const WgmmaFoundKeys row = at[i];
            if (All) from = (::min)(from, -row.begin), to = (::min)(to, row.end);
            else if (row.begin < row.end) from = (::min)(from, row.begin), to = (::min)(to, -row.end);
        }
        warp_sync();
        from = least_of_lanes(from), to = least_of_lanes(to);
        Keys r;
        r.append(All ? Interval{-from, to} : Interval{from, -to});
        return r;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
