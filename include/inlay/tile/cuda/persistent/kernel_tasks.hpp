// SPDX-License-Identifier: Apache-2.0
/// Bodies of kernels as tasks of a persistent launch: products, attention and norms of rows, of which a group's tiles
/// are those of its rows.
#pragma once

#include <inlay/tile/gpu/attention/launch.hpp>
#include <inlay/tile/gpu/gemm/launch.hpp>
#include <inlay/tile/gpu/rows/dispatch.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A group is a row of tiles; its tasks are tiles, and slices of their sums.
template <class Tile, class Args>
struct GemmTasks {
    using Arguments = Args;
    using Body = GemmBody<Tile, Args, Images::all>;
    static_assert(RunTable<Tile, Args>::copies,
                  "inlay: a product of a persistent launch reads its input as it is stored");

    static __device__ INLAY_INLINE void run(const Args& a, int group, int member, int, char* memory) {
        const int slice = member / a.n_tiles;
        Body::run(a, OneTile{GemmWorkTile::number(a, group, member - slice * a.n_tiles, slice)}, memory);
    }
    static int shared(const Args& a) {
        return larger(a.stages * a.stage_bytes + RunTable<Tile, Args>::bytes(a.slots), EpilogueTile<Tile, Args>::bytes);
    }
};

/// A group is a tile of queries of an item; its tasks are heads.
template <class Tile, class Algebra, class Args>
struct AttentionTasks {
    using Arguments = Args;
    using Body = flash::AttentionBody<Tile, Algebra, Args, Images::all>;

    static __device__ INLAY_INLINE void run(const Args& a, int group, int member, int, char* memory) {
        // The last queries come first in an attention's grid.
        const int item = group / a.grid.tiles, tile = a.grid.tiles - 1 - (group - item * a.grid.tiles);
        Body::run(a, OneTile{(item * a.grid.key_heads + member) * a.grid.tiles + tile}, memory);
    }
};

/// A group's tasks share its rows.
template <class RowsBody>
struct RowTasks {
    struct Arguments {
        typename RowsBody::Arguments rows;
        int blocks;  ///< of a group
    };

    static __device__ INLAY_INLINE void run(const Arguments& a, int group, int member, int members, char* memory) {
        const int each = a.blocks / members;
#pragma unroll 1
        for (int i = 0; i < each; ++i) {
            if (i > 0) block_sync();
            RowsBody::run(a.rows, OneTile{group * a.blocks + member * each + i}, memory);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
