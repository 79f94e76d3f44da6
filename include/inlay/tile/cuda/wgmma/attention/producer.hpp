// SPDX-License-Identifier: Apache-2.0
/// The producer of attention on sm_90a: copies of queries, keys and values, and the order in which persistent blocks
/// take tiles of queries.
#pragma once

#include <inlay/tile/cuda/wgmma/attention/tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The producer, of one thread: all copies of a block of threads, for one tile of queries after another.
template <class Tile, class Args>
struct WgmmaAttentionCopies {
    const Args& a;
    const WgmmaAttentionShared<Tile>& shared;
    PipelineState<Tile::stages> at{};

    /// Queries come to `q`, and complete `q_full`.
    template <class WorkTile>
    __device__ INLAY_INLINE void run(const WorkTile& t, std::uint32_t q, std::uint32_t q_full) {
        constexpr std::integral_constant<int, Tile::atoms> of_row{};
        constexpr std::integral_constant<int, Tile::atoms_of_v> of_value{};
        constexpr std::uint32_t k_bytes = Tile::keys * Tile::copied_bytes,
                                v_bytes = Tile::keys * Tile::copied_bytes_of_v;
        for (int block = 0; block < t.blocks; ++block) {
            const int first = t.block(block) * Tile::keys;
            if (block == 0) {
                barrier_expect(q_full, static_cast<std::uint32_t>(a.rows * Tile::copied_bytes));
                load(of_row, q, a.q, q_full, Tile::q_atom, t.first_row, t.head, t.batch);
            }
            barrier_wait(shared.k_empty(at.stage), at.parity ^ 1);
            barrier_expect(shared.k_full(at.stage), k_bytes);
            load(of_row, shared.k(at.stage), a.k, shared.k_full(at.stage), Tile::key_atom, first, t.key_head, t.batch);
            barrier_wait(shared.v_empty(at.stage), at.parity ^ 1);
            barrier_expect(shared.v_full(at.stage), v_bytes);
            load(of_value, shared.v(at.stage), a.v, shared.v_full(at.stage), Tile::key_atom, first, t.key_head, t.batch);
            at.next();
        }
    }

private:
    template <int Atoms>
    __device__ INLAY_INLINE static void load(std::integral_constant<int, Atoms>, std::uint32_t to,
                                             const TensorMap (&maps)[Tile::boxes], std::uint32_t full, int atom,
                                             int row, int head, int batch) {
        INLAY_UNROLL
        for (int i = 0; i < Atoms; ++i)
            copy_box(to + i * atom, maps[i + 1 < Atoms ? 0 : Tile::boxes - 1], full, 64 * i, row, head, batch);
    }
};

/// The producer warpgroup of a persistent block: tiles of queries until all are taken. Consumers find a tile's number
/// beside its queries, and a negative one behind the last.
template <class WorkTile, class Tile, class Args>
struct WgmmaAttentionProducer {
    using Found = typename WorkTile::Found;
    const Args& a;
    const WgmmaAttentionShared<Tile>& shared;
    WgmmaFoundKeys* rows;       ///< of the tile in place 0
    int tile, blocks;           ///< the first one, blocks of the grid
    PipelineState<Tile::q_stages> at{};

    /// The first warp: copies.
    __device__ INLAY_INLINE void copy() {
        WgmmaAttentionCopies<Tile, Args> copies{a, shared};
#pragma unroll 1
        for (;; at.next()) {
            const std::uint32_t q_full = shared.q_full_of(at.stage);
            if constexpr (Found::used) {
                barrier_wait(shared.found_of(at.stage), at.parity);
                tile = published();
            } else {
                barrier_wait(shared.q_empty_of(at.stage), at.parity ^ 1);
                if (lane_index() == 0) publish();
            }
            if (tile < 0 || tile >= a.all_tiles) {
                if (lane_index() == 0) barrier_arrive(q_full);
                return;
            }
            const auto t = WorkTile::of(a, tile, rows + at.stage * Tile::rows);
            if (lane_index() == 0) {
                if (t.blocks == 0) barrier_arrive(q_full);
                copies.run(t, shared.q_of(at.stage), q_full);
            }
            warp_sync();
            if constexpr (!Found::used) take();
        }
    }
    /// The other warps, where rows are searched for: two places ahead of consumers at most.
    __device__ INLAY_INLINE void find() {
        const int mine = thread_index() % 128 - warp_size;
#pragma unroll 1
        for (;; at.next()) {
            barrier_wait(shared.q_empty_of(at.stage), at.parity ^ 1);
            if (mine == 0) publish();
            named_barrier(finders_barrier, Tile::finders);
            tile = published();
            if (tile >= 0) {
                const auto t = WorkTile::placed(a, tile, rows + at.stage * Tile::rows);
#pragma unroll 1
                for (int i = mine; i < Tile::rows; i += Tile::finders)
                    t.found.find(a, t.batch, t.head, t.first_row, i);
            }
            warp_sync();
            if (lane_index() == 0) barrier_arrive(shared.found_of(at.stage));
            if (tile < 0) return;
            if (mine == 0) take_alone();
        }
    }

private:
    static constexpr int finders_barrier = 5;       ///< behind those of ordered warpgroups

    __device__ INLAY_INLINE void publish() const {
        store_shared(shared.tile_of(at.stage), tile < a.all_tiles ? static_cast<std::uint32_t>(tile) : ~0u);
    }
    __device__ INLAY_INLINE int published() const {
        return warp_uniform(static_cast<int>(load_shared(shared.tile_of(at.stage))));
    }
    /// The last to take one leaves 0 for the next launch.
    __device__ INLAY_INLINE void take_alone() {
        tile = blocks + static_cast<int>(count_wrapping(a.taken, static_cast<std::uint32_t>(a.all_tiles - 1)));
    }
    __device__ INLAY_INLINE void take() {
        if (lane_index() == 0) take_alone();
        tile = shuffle(tile, 0);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
