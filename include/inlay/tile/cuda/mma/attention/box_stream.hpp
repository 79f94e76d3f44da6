// SPDX-License-Identifier: Apache-2.0
/// Blocks of keys and values that sm_90's copy engine brings. Each warp has its keys' rows brought by one copy, their
/// values by another, under barriers of its own, and begins the copies that replace them when it has read them: no warp
/// waits for another.
#pragma once

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/tma.hpp>
#include <inlay/tile/gpu/attention/loads/key_stream.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// The maps of K and V.
struct BoxMaps {
    TensorMap k_map, v_map;
};

template <class Tile, class Args, class Work>
    requires Tile::boxes
struct KeyStream<Tile, Args, Work> {
    static constexpr int stage_bytes = Tile::key_bytes + Tile::value_bytes;
    static constexpr bool of_warps = true;
    static constexpr int box_of_keys = Tile::warp_keys * Tile::KeyRow::row_bytes,
                         box_of_values = Tile::warp_keys * Tile::ValueRow::row_bytes;

    const Args& a;
    const Work& work_tile;
    std::uint32_t keys, values;     ///< of the warp, in the first stage
    std::uint32_t bars;             ///< of the warp: for each stage that of keys, then that of values
    int warp_key, stage = 0;
    std::uint32_t parity = 0;

    /// `barriers`: their place, behind all that tile and epilogue use. `first_key`: the warp's first of a block.
    __device__ INLAY_INLINE KeyStream(const Args& args, const Work& work, const std::byte* stages,
                                      const std::byte* barriers, int first_key)
        : a(args), work_tile(work), warp_key(first_key) {
        keys = shared_address(stages) + first_key * Tile::KeyRow::row_bytes;
        values = shared_address(stages) + Tile::key_bytes + first_key * Tile::ValueRow::row_bytes;
        bars = shared_address(barriers) + warp_index() * (Tile::stages * 16);
        if (elect_thread()) {
            INLAY_UNROLL
            for (int i = 0; i < 2 * Tile::stages; ++i) barrier_init(bars + 8 * i, 1);
            fence_barriers();
        }
        warp_sync();
    }
    __device__ INLAY_INLINE void begin_early() {
        INLAY_UNROLL
        for (int i = 0; i < Tile::stages; ++i) {
            stage = i;
            copy_keys(work_tile.begin + i);
            copy_values(work_tile.begin + i);
        }
        stage = 0;
    }
    __device__ INLAY_INLINE void begin() { copy_commit(); }
    __device__ INLAY_INLINE void wait_for_queries() {
        copy_wait<0>();
        block_sync();
    }
    __device__ INLAY_INLINE void wait_for_keys(int) { barrier_wait(bars + stage * 16, parity); }
    __device__ INLAY_INLINE int place(int) const { return stage * stage_bytes; }
    __device__ INLAY_INLINE void release_keys(int visit) {
        warp_sync();
        copy_keys(visit + Tile::stages);
    }
    __device__ INLAY_INLINE void wait_for_values(int) { barrier_wait(bars + stage * 16 + 8, parity); }
    __device__ INLAY_INLINE void release_values(int visit) {
        warp_sync();
        copy_values(visit + Tile::stages);
        if (++stage == Tile::stages) stage = 0, parity ^= 1;
    }
    __device__ INLAY_INLINE void end() {}

private:
    __device__ INLAY_INLINE void copy_keys(int visit) const {
        copy(a.k_map, keys + stage * stage_bytes, bars + stage * 16, box_of_keys, visit);
    }
    __device__ INLAY_INLINE void copy_values(int visit) const {
        copy(a.v_map, values + stage * stage_bytes, bars + stage * 16 + 8, box_of_values, visit);
    }
    __device__ INLAY_INLINE void copy(const TensorMap& map, std::uint32_t to, std::uint32_t bar, int bytes,
                                      int visit) const {
        if (visit < work_tile.end && elect_thread()) {
            barrier_expect(bar, bytes);
            copy_box(to, map, bar, 0, work_tile.blocks.block(visit) * Tile::keys + warp_key, 0, work_tile.key_head,
                     work_tile.batch);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
