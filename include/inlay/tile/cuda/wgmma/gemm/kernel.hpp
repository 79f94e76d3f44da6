// SPDX-License-Identifier: Apache-2.0
/// C = A · Wᵀ on sm_90a, work tile after work tile: producers of one or two warps copy, those beside them evaluate, and
/// consumer warpgroups run mainloop and epilogue.
#pragma once

#include <inlay/tile/cuda/wgmma/gemm/cluster_split_k.hpp>
#include <inlay/tile/cuda/wgmma/gemm/evaluate.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Stages and bytes of a kernel.
template <class Tile, class Args>
struct WgmmaLayout {
    using TileEpilogue = WgmmaEpilogue<Tile, Args>;
    static constexpr int stages = Tile::stages(TileEpilogue::table_bytes);
    static_assert(stages >= 3, "inlay: a tile leaves no room for three stages");
    using Shared = WgmmaShared<Tile, stages>;
    using SplitK = WgmmaClusterSplitK<Tile, Args, Shared>;
    static constexpr int bytes = Shared::table_offset + TileEpilogue::table_bytes + 1024;
    static_assert(bytes <= Tile::most_bytes);
};

/// The consumer role of a block's warpgroup `group`.
template <class Tile, class Args, class Layout, class Tiles, class Shared>
__device__ INLAY_INLINE void wgmma_mainloop(const Args& a, Tiles tiles, const Shared& shared, int group,
                                        char* memory) {
    using TileEpilogue = typename Layout::TileEpilogue;
    using Entry = typename TileEpilogue::Entry;
    using SplitK = typename Layout::SplitK;
    const int thread = thread_index() % 128, warp = thread / warp_size;
    Entry* table = reinterpret_cast<Entry*>(memory + Shared::table_offset);
    if constexpr (Tile::ping_pong) table += group * Tile::m * TileEpilogue::groups;
    constexpr bool finds = detail::found_without_reading<typename TileEpilogue::Cursors::list>;
    bool waits = true;
    if constexpr (!finds) after_previous_kernel(), waits = false;
    WgmmaTileScheduler<Tile, Args, Tiles> scheduler(a, tiles);
    WgmmaMainloop<Tile, Args, Shared> mainloop(a, shared, group);
    const int first_row = mainloop.first_atom * 64 + warp * 16;
    for (int tile = 0; scheduler.more(); scheduler.next(), ++tile) {
        const WgmmaWorkTile t = scheduler.work_tile();
        if constexpr (Tile::ping_pong) {
            if (tile % Tile::groups != group) {
                mainloop.skip(t);
                continue;
            }
        }
        // Places of the rows of this epilogue, found while the first stages are on their way: the warp's, or the
        // block's share.
        const bool split = SplitK::fits && a.slices > 1, pair = split && SplitK::pair(a), together = split && !pair;
        bool mine = !split;
        if constexpr (SplitK::pairs)
            if (pair) {
                int of_warp = first_row;
                forget(of_warp);        // else half of the following values are hoisted before all tiles, and spill
                // Broadcast to make it warp-uniform: else the loop has no uniform registers.
                mine = warp_uniform(static_cast<int>(SplitK::finishes(a, scheduler.slice, of_warp))) != 0;
            }
        const int first = together ? SplitK::first_row(a, scheduler.slice) : 0,
                  count = together ? SplitK::first_row(a, scheduler.slice + 1) - first
                          : mine   ? Tile::atoms * 16
                                   : 0,
                  begin = together ? 128 * group + thread : mainloop.lane,
                  stride = together ? 128 * tile_groups<Tile>() : 32;
#pragma unroll 1
        for (int i = begin; i < count * TileEpilogue::groups; i += stride) {
            const int r = i / TileEpilogue::groups, g = i - r * TileEpilogue::groups,
                      row = together ? first + r : first_row + r / 16 * 64 + r % 16;
            TileEpilogue::place(a, t, row, g, together && r == 0, table[row * TileEpilogue::groups + g]);
        }
        warp_sync();
        if (waits) after_previous_kernel();
        waits = false;
        typename TileEpilogue::Lane epilogue(a, t, mine, mainloop.lane, first_row, table);
        const auto last = [&] {
            if constexpr (SplitK::direct)
                if (split && SplitK::sends(a)) SplitK::begin(a, shared, scheduler.slice, 128 * group + thread);
        };
        mainloop.run(t, tile / Tile::groups, last, [&] { epilogue.read(); });
        if constexpr (SplitK::fits)
            if (!mine)      // the cluster's only tile
                return SplitK::run(a, t, shared, scheduler.slice, mainloop, first_row, 128 * group + thread, memory,
                                   table);
        if constexpr (SplitK::pairs)
            epilogue.run(mainloop.c, pair ? SplitK::receive(a, shared, scheduler.slice, mainloop.lane, first_row, memory)
                                       : nullptr);
        else
            epilogue.run(mainloop.c);
        warp_sync();
    }
    if (waits) after_previous_kernel();     // this warpgroup had no tile
}

/// Tiles of C one after the other, or a slice of one's sum.
template <class Tile, class Args>
struct WgmmaGemmBody {
    using Arguments = Args;
    using Scheduler = PersistentTiles;
    static constexpr int threads = Tile::threads, min_blocks = 1, alignment = 1024;
    static constexpr Images images = Images::with_sm90a;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles tiles, char* dynamic) {
        using Layout = WgmmaLayout<Tile, Args>;
        using Shared = typename Layout::Shared;
        const std::uint32_t start = shared_address(dynamic), ring = (start + 1023u) & ~1023u;
        // Broadcast to make it warp-uniform; ptxas recomputes it every k-block otherwise.
        const Shared shared{warp_uniform(ring)};
        char* const memory = dynamic + (ring - start);
        // Broadcast to make it warp-uniform.
        const int warp = warp_uniform(warp_index()), role = warp / 4;
        // Producers find their first tile while others initialise the barriers, and each role waits for the kernel
        // before once it has its addresses.
        if (role < Tile::before) {
            if constexpr (Tile::groups == 2) lower_registers<Tile::few>();
            constexpr int copiers = Tile::evaluates ? 1 : 2, last = 4 * Tile::before - 1;
            if (warp >= copiers) {
                if (warp == last && elect_thread()) shared.init();
                if (warp == last - 1 && elect_thread()) {
                    prefetch_map(a.w_map);
                    prefetch_map(a.a_map[0]);
                    if (Tile::source_operands > 1 || a.first_blocks < a.blocks) prefetch_map(a.a_map[1]);
                }
                warp_sync();
                barriers_made();
                if constexpr (Tile::evaluates) WgmmaEvaluate<Tile, Args, Shared>(a, shared, memory).run(tiles);
                else after_previous_kernel();
            } else if constexpr (Tile::evaluates) {
                wgmma_produce_both<Tile>(a, tiles, shared);
            } else if (warp == 0) {
                wgmma_produce<Tile>(a, tiles, WgmmaProducerA<Tile, Args, Shared>{a, shared}, 0);
            } else {
                wgmma_produce<Tile>(a, tiles, WgmmaProducerW<Tile, Args, Shared>{a, shared}, early_steps<Shared>(a));
            }
            warp_sync();
            if (Layout::SplitK::fits && a.slices > 1) cluster_barrier();
        } else {
            if constexpr (Tile::groups == 2) raise_registers<Tile::many>();
            barriers_made();
            wgmma_mainloop<Tile, Args, Layout>(a, tiles, shared, role - Tile::before, memory);
        }
        // Blocks of a cluster read and write each other's memory until all have finished; if registers send, a block
        // has received all writes of others.
        if (Layout::SplitK::fits && a.slices > 1 && !Layout::SplitK::sends(a)) cluster_barrier();
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
