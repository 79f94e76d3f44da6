// SPDX-License-Identifier: Apache-2.0
/// Attention on sm_90a whose values are columns of its keys, in the "seesaw" of FlashMLA (DeepSeek 2025): while one
/// warpgroup computes the exponentials of its block of keys, the other multiplies. `tile.hpp` describes the parts.
#pragma once

#include <inlay/tile/cuda/wgmma/attention/epilogue.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/merge.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/softmax.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/tile.hpp>
#include <inlay/tile/cuda/wgmma/attention/rows.hpp>
#include <inlay/tile/cuda/wgmma/attention/scores.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The producer, of one thread. The half of a stage that is free first is that of the stage's own warpgroup, and copied
/// first.
template <class Tile, class Args, class WorkTile>
__device__ INLAY_INLINE void wgmma_latent_produce(const Args& a, const WgmmaLatentShared<Tile>& shared,
                                                const WorkTile& t) {
    constexpr auto bytes = [](int atoms) { return static_cast<std::uint32_t>(atoms * Tile::atom_bytes); };
    if (t.blocks == 0) return;
    barrier_expect(shared.q_full(), bytes(Tile::atoms));
    INLAY_UNROLL
    for (int i = 0; i < Tile::atoms; ++i)
        copy_box(shared.q + i * Tile::atom_bytes, a.q, shared.q_full(), 64 * i, t.first, t.key_head, t.batch);
    std::uint32_t parity = 0;
    for (int block = 0; block < t.blocks; ++block) {
        const int stage = block % 2, key = t.block(block) * Tile::keys;
        const auto copy = [&](int atom, std::uint32_t full) {
            copy_box(shared.k(stage) + atom * Tile::atom_bytes, a.k, full, 64 * atom, key, t.key_head, t.batch);
        };
        INLAY_UNROLL
        for (int i = 0; i < 2; ++i) {
            const int half = stage ^ i;
            const std::uint32_t full = shared.full(stage, half);
            barrier_wait(shared.empty(stage, half), parity ^ 1);
            barrier_expect(full, bytes(Tile::half + i));
            INLAY_UNROLL
            for (int j = 0; j < Tile::half; ++j) copy(half * Tile::half + j, full);
            if (i == 1) copy(Tile::atoms - 1, full);
        }
        parity ^= static_cast<std::uint32_t>(stage);
    }
}

/// A consumer warpgroup: half `Half` of the columns of V, and the scores of the blocks of keys in the stage of this
/// number.
template <class Tile, class Algebra, class Args, int Half>
struct WgmmaLatentAttend {
    using T = typename Tile::T;
    using WorkTile = WgmmaLatentWorkTile<Tile, Algebra>;
    using RowKeys = WgmmaRowKeys<typename Algebra::condition>;
    static constexpr int mine = Half, theirs = 1 - Half;    ///< stages
    const Args& a;
    const WgmmaLatentShared<Tile>& shared;
    const WorkTile& work_tile;
    const int lane, row;        ///< row: of the tile, the lane's first one

    float s[Tile::keys / 2] = {};           ///< scores
    std::uint32_t p[Tile::key_steps][4] = {};       ///< probabilities
    float o[Tile::own / 2] = {};
    WgmmaTurnSoftmax<Tile::keys> softmax{};
    std::uint32_t parity = 0;

    __device__ INLAY_INLINE void run() {
        if (work_tile.blocks > 0) barrier_wait(shared.q_full(), 0);
        attend();
        softmax.gather();
        share_sums();
        const WgmmaLatentSlices<Tile> slices{work_tile.rank, a.log2_slices};
        if (a.log2_slices > 0) {
            if (thread_index() == 0) barrier_expect(shared.sent(), slices.sent_bytes());
            cluster_barrier();      // the last reads of Q and keys are done
            slices.send(shared, softmax, o);
            slices.receive(shared, softmax, o);
        }
        const WgmmaHeadPlace rows = place(0);
        float by[2];
        finish_rows<Algebra>(a, rows, Half == 0 && work_tile.rank == 0, softmax, o, by);
        wgmma_attention_epilogue<Tile>(a, rows, Half * Tile::own, lane, o, by,
                                       [&](int group) { return slices.stores(group); });
    }

private:
    __device__ INLAY_INLINE WgmmaHeadPlace place(int key) const {
        return {work_tile.batch, work_tile.head + row, work_tile.end, key};
    }
    __device__ INLAY_INLINE void attend() {
        int block = 0;
        if constexpr (Half == 0) {
#pragma unroll 1
            for (; block < work_tile.blocks; block += 2, parity ^= 1) {
                issue_scores();
                products_wait<0>();
                products_keep(s);
                const bool moves = weigh(block);
                hand_over();
                if (moves) softmax.move(o);
                issue_mine();
                end_values(mine);
                if (block + 1 == work_tile.blocks) break;
                adopt();
                issue_theirs();
                end_values(theirs);
            }
        } else {
#pragma unroll 1
            for (; block + 1 < work_tile.blocks; block += 2, parity ^= 1) {
                issue_scores();
                products_wait<0>();
                products_keep(s);
                adopt();
                issue_theirs();
                const bool moves = weigh(block + 1);
                hand_over();
                end_values(theirs);
                if (moves) softmax.move(o);
                issue_mine();
                end_values(mine);
            }
            if (block < work_tile.blocks) {
                adopt();
                issue_theirs();
                end_values(theirs);
            }
        }
    }
    /// Scores of this warpgroup's block, in the order in which its columns are copied.
    __device__ INLAY_INLINE void issue_scores() {
        // There are not registers for all descriptors. They differ in their low halves.
        const std::uint64_t q = matrix_descriptor(shared.q), k = matrix_descriptor(shared.k(mine));
        std::uint32_t q_low = static_cast<std::uint32_t>(q), k_low = static_cast<std::uint32_t>(k);
        descriptor_keep(q_low);
        descriptor_keep(k_low);
        const auto of_atom = [&](int atom, bool add) {
            INLAY_UNROLL
            for (int i = 0; i < Tile::steps; ++i) {
                const auto n = static_cast<std::uint32_t>(atom * (Tile::atom_bytes >> 4) + 2 * i);
                product<Tile::keys, T>::run(s, q >> 32 << 32 | (q_low + n), k >> 32 << 32 | (k_low + n), add || i > 0);
            }
        };
        INLAY_UNROLL
        for (int i = 0; i < 2; ++i) {
            const int half = mine ^ i;
            barrier_wait(shared.full(mine, half), parity);
            products_begin();
            INLAY_UNROLL
            for (int j = 0; j < Tile::half; ++j) of_atom(half * Tile::half + j, i + j > 0);
        }
        of_atom(Tile::atoms - 1, true);
        products_commit();
    }
    /// From products with the work tile's block i to probabilities. True if the output is to be moved.
    __device__ INLAY_INLINE bool weigh(int i) {
        score(i);
        return softmax.template add<T>(s, a.scale, p);
    }
    /// Stores the probabilities for the other warpgroup.
    __device__ INLAY_INLINE void hand_over() {
        named_barrier(2 + Half, 128);       // all warps' products have read the columns that are overwritten
        const std::uint32_t to = shared.tail(mine) + static_cast<std::uint32_t>(row * 128 + lane % 4 * 4);
        INLAY_UNROLL
        for (int j = 0; j < Tile::key_steps; ++j) {
            INLAY_UNROLL
            for (int r = 0; r < 4; ++r)
                store_shared(to + static_cast<std::uint32_t>(r % 2 * 1024 + ((2 * j + r / 2) ^ row % 8) * 16), p[j][r]);
        }
        if (lane % 4 == 0) {
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) store_shared(of_row(shared.shift(mine), h), softmax.shift[h]);
        }
        fence_shared_for_engines();
        warp_sync();
        if (lane == 0) barrier_arrive(shared.weighted(mine));
    }
    __device__ INLAY_INLINE std::uint32_t of_row(std::uint32_t numbers, int h) const {
        return numbers + static_cast<std::uint32_t>(4 * row + 32 * h);
    }
    __device__ INLAY_INLINE float number(std::uint32_t numbers, int h) const {
        return float_of_bits(load_shared(of_row(numbers, h)));
    }
    /// Waits for the other warpgroup's probabilities, and brings the output to what they are relative to.
    __device__ INLAY_INLINE void adopt() {
        barrier_wait(shared.weighted(theirs), parity);
        if (softmax.adopt(number(shared.shift(theirs), 0), number(shared.shift(theirs), 1))) softmax.move(o);
    }
    __device__ INLAY_INLINE std::uint64_t values(int stage) const {
        return rows_descriptor(shared.k(stage) + Half * Tile::half * Tile::atom_bytes, Tile::atom_bytes);
    }
    __device__ INLAY_INLINE void issue_mine() {
        products_begin();
        INLAY_UNROLL
        for (int i = 0; i < Tile::key_steps; ++i)
            product<Tile::own, T>::run_rows(o, p[i], values(mine) + 128 * i, true);
        products_commit();
    }
    __device__ INLAY_INLINE void issue_theirs() {
        barrier_wait(shared.full(theirs, Half), parity);
        const std::uint64_t weights = matrix_descriptor(shared.tail(theirs));
        products_begin();
        INLAY_UNROLL
        for (int i = 0; i < Tile::key_steps; ++i)
            product<Tile::own, T>::run_rows(o, weights + 2 * i, values(theirs) + 128 * i, true);
        products_commit();
    }
    __device__ INLAY_INLINE void end_values(int stage) {
        products_wait<0>();
        products_keep(o);
        if (lane == 0) barrier_arrive(shared.empty(stage, Half));
    }
    /// From products with the work tile's block i to scores.
    __device__ INLAY_INLINE void score(int i) {
        const int block = work_tile.block(i), first = block * Tile::keys, column = lane % 4 * 2;
        const bool masked = !work_tile.full.contains(block);
        const WgmmaHeadPlace at = place(first + column);
        if constexpr (!Algebra::scales_out)
            evaluate_scores<typename Algebra::score, T, Algebra::scores_of_rows>(s, a, at, masked);
        if (!masked) return;
        if constexpr (Algebra::every_key) mask_absent(s, first, column, a.keys);
        else if constexpr (RowKeys::by_types || Algebra::solved_by_tensors) RowKeys::of(a, at).mask(s, at.key);
        else mask_each<typename Algebra::condition>(s, a, at);
    }
    /// Sums over the blocks of both warpgroups, relative to the same numbers.
    __device__ INLAY_INLINE void share_sums() {
        if (lane % 4 == 0) {
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) store_shared(of_row(shared.sum(Half), h), softmax.sum[h]);
        }
        named_barrier(1, 256);
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) softmax.sum[h] += number(shared.sum(1 - Half), h);
    }
};

/// A tile of heads of one key head.
template <class Tile, class Algebra, class Args>
struct WgmmaLatentBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = 1, alignment = 1024;
    static constexpr Images images = Images::with_sm90a;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        // Broadcast by a shuffle, so that ptxas keeps it; else it recomputes it for each product.
        const WgmmaLatentShared<Tile> shared{warp_uniform((shared_address(memory) + 1023u) & ~1023u)};
        if (thread_index() == 0) {
            prefetch_map(a.q);
            prefetch_map(a.k);
            shared.init();
        }
        if constexpr (wgmma_reads_slots<typename Algebra::condition>) after_previous_kernel();
        const auto work_tile = WgmmaLatentWorkTile<Tile, Algebra>::of(a, work.tile());
        block_sync();
        const int group = warp_uniform(thread_index() / 128);
        if (group == 2) {
            lower_registers<Tile::few>();
            after_previous_kernel();
            if (thread_index<unsigned>() % 128 < warp_size && elect_thread())
                wgmma_latent_produce<Tile>(a, shared, work_tile);
            if (a.log2_slices > 0) {
                warp_sync();
                cluster_barrier();
            }
            return;
        }
        raise_registers<Tile::many>();
        after_previous_kernel();
        const int lane = lane_index(), row = warp_index() % 4 * 16 + lane / 4;
        if (group == 0) WgmmaLatentAttend<Tile, Algebra, Args, 0>{a, shared, work_tile, lane, row}.run();
        else WgmmaLatentAttend<Tile, Algebra, Args, 1>{a, shared, work_tile, lane, row}.run();
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
