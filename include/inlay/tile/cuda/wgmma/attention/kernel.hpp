// SPDX-License-Identifier: Apache-2.0
/// Attention on sm_90a, the structure of FlashAttention-3 (Shah et al. 2024): a producer warp, and consumer warpgroups.
/// The scores of the next block of keys are issued before the product with V of the last one, so that exponentials run
/// beside products.
#pragma once

#include <inlay/tile/cuda/wgmma/attention/cluster_merge.hpp>
#include <inlay/tile/cuda/wgmma/attention/epilogue.hpp>
#include <inlay/tile/cuda/wgmma/attention/folded_softmax.hpp>
#include <inlay/tile/cuda/wgmma/attention/rows.hpp>
#include <inlay/tile/cuda/wgmma/attention/scores.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The producer, of one thread: all copies of a block of threads.
template <class Tile, class Args, class WorkTile>
__device__ INLAY_INLINE void wgmma_attention_produce(const Args& a, const WgmmaAttentionShared<Tile>& shared,
                                                   const WorkTile& t) {
    const auto load = [&]<int Atoms>(std::integral_constant<int, Atoms>, std::uint32_t to,
                                     const TensorMap (&maps)[Tile::boxes], std::uint32_t full, int atom, int row,
                                     int head) {
        INLAY_UNROLL
        for (int i = 0; i < Atoms; ++i)
            copy_box(to + i * atom, maps[i + 1 < Atoms ? 0 : Tile::boxes - 1], full, 64 * i, row, head, t.batch);
    };
    constexpr std::integral_constant<int, Tile::atoms> of_row{};
    constexpr std::integral_constant<int, Tile::atoms_of_v> of_value{};
    constexpr std::uint32_t k_bytes = Tile::keys * Tile::copied_bytes, v_bytes = Tile::keys * Tile::copied_bytes_of_v;
    PipelineState<Tile::stages> at;
    for (int block = 0; block < t.blocks; ++block) {
        const int first = t.block(block) * Tile::keys;
        if (block == 0) {
            barrier_expect(shared.q_full(), static_cast<std::uint32_t>(a.rows * Tile::copied_bytes));
            load(of_row, shared.q, a.q, shared.q_full(), Tile::q_atom, t.first_row, t.head);
        }
        barrier_wait(shared.k_empty(at.stage), at.parity ^ 1);
        barrier_expect(shared.k_full(at.stage), k_bytes);
        load(of_row, shared.k(at.stage), a.k, shared.k_full(at.stage), Tile::key_atom, first, t.key_head);
        barrier_wait(shared.v_empty(at.stage), at.parity ^ 1);
        barrier_expect(shared.v_full(at.stage), v_bytes);
        load(of_value, shared.v(at.stage), a.v, shared.v_full(at.stage), Tile::key_atom, first, t.key_head);
        at.next();
    }
}

/// A consumer warpgroup, with 64 queries at a time.
template <class Tile, class Algebra, class Args>
struct WgmmaAttend {
    using T = typename Tile::T;
    using WorkTile = WgmmaAttentionWorkTile<Tile, Algebra>;
    using Visits = typename WorkTile::Visits;
    const Args& a;
    const WgmmaAttentionShared<Tile>& shared;
    const WorkTile& work_tile;
    const int group, lane;
    int row = 0;                ///< of the queries of the head: the lane's first one

    float s[Tile::keys / 2] = {};           ///< scores
    std::uint32_t p[Tile::key_steps][4] = {};       ///< probabilities
    float o[Tile::own / 2] = {};
    std::conditional_t<Tile::folded, WgmmaFoldedSoftmax<T, Tile::keys>, WgmmaSoftmax<Tile::keys>> softmax{};
    std::uint32_t columns = 0;  ///< of the lane's first query, where they are folded
    PipelineState<Tile::stages> k{}, v{};
    std::uint64_t q = 0, keys = 0, values = 0;      ///< descriptors, of the first stage
    bool k_there = false, v_there = false;      ///< the next stages were seen to have arrived
    typename Visits::Blocks full{};     ///< blocks of keys that need no mask
    using RowKeys = WgmmaRowKeys<typename Algebra::condition>;
    /// Two intervals of a row are found by each warpgroup and kept; one lies in shared memory.
    static constexpr bool searched = Algebra::solved_by_tensors && !WorkTile::Found::used;
    RowKeys row_keys{};         ///< of the rows, where they are `searched`
    using Linear = WgmmaLinearExponents<flash::QuickScore<typename Algebra::score, T>, Algebra>;
    /// Registers keep products, which become exponents as their powers are computed.
    static constexpr bool linear = !Algebra::scales_out && Algebra::scores_of_rows && Linear::possible;
    std::conditional_t<linear, Linear, types<>> exponents{};

    __device__ INLAY_INLINE void run() {
        if constexpr (Tile::ordered)
            if (group == Tile::groups - 1 && work_tile.blocks > 0) named_barrier_arrive(1, 256);
#pragma unroll 1
        for (int tile = 0; tile < (Tile::query_tiles > 1 ? a.query_tiles : 1); ++tile) run(tile);
    }

private:
    __device__ INLAY_INLINE void run(int query_tile) {
        // The rows of the warpgroup may see fewer blocks of keys than those of the block: none before its first one,
        // none from its last one on.
        const int place = 64 * ((query_tile * Tile::groups + group) / Tile::shares), share = group % Tile::shares;
        const int first = work_tile.first_row + place, last = (::min)(first + 64, a.queries) - 1;
        const auto mine = last < first ? typename WorkTile::Turns{0, 0}
                                       : work_tile.turns(work_tile.visits(a, first, last + 1));
        const int begin = mine.begin, end = mine.end;
        row = first + warp_index() % 4 * 16 + lane / 4;
        softmax = {};
        INLAY_UNROLL
        for (int i = 0; i < Tile::own / 2; ++i) o[i] = 0.0f;
        if constexpr (!Visits::prefix || WorkTile::last_first) skip(0, begin);
        if (end > begin) {
            q = matrix_descriptor(shared.q + place * Tile::row_bytes);
            keys = matrix_descriptor(shared.k(0));
            if constexpr (Tile::folded)
                columns = folded_columns<Tile>(shared.q, row - work_tile.first_row);
            values = rows_descriptor(shared.v(0) + share * (Tile::own / 64 * Tile::key_atom), Tile::key_atom);
            k_there = false;
            full = work_tile.full(a, first, last + 1);
            if constexpr (searched) row_keys = RowKeys::found(a, work_tile.batch, work_tile.head, row);
            if constexpr (linear) exponents.begin(a, place_in(work_tile.block(begin)));
            barrier_wait(shared.q_full(), 0);
            attend(begin, end);
        }
        skip(end, work_tile.blocks);
        softmax.gather();
        if constexpr (Tile::cluster) {
            cluster_barrier();      // the last reads of keys and values are done
            if (share != work_tile.rank) return wgmma_attention_send(shared, 1 - work_tile.rank, softmax, o);
            wgmma_attention_receive(shared, softmax, o);
        }
        float by[2];
        const WgmmaScorePlace rows{work_tile.batch, work_tile.head, row, 0};
        finish_rows<Algebra>(a, rows, share == 0, softmax, o, by);
        wgmma_attention_epilogue<Tile>(a, rows, share * Tile::own, lane, o, by);
    }
    /// Leaves blocks of keys as they are; the loader counts on every warp.
    __device__ INLAY_INLINE void skip(int begin, int end) {
        for (int block = begin; !Tile::single && block < end; ++block) {
            begin_turn();
            end_turn(block + 1 == work_tile.blocks);
            barrier_wait(shared.k_full(k.stage), k.parity);
            warp_sync();    // no lane still waits: two phases later the barrier has the same parity again
            give_back(shared.k_empty(k.stage));
            k.next();
            barrier_wait(shared.v_full(v.stage), v.parity);
            warp_sync();
            give_back(shared.v_empty(v.stage));
            v.next();
        }
    }
    /// Products of two blocks at once: the scores of one, and the values of the one before.
    __device__ INLAY_INLINE void attend(int begin, int end) {
        begin_turn();
        issue_scores();
        end_turn(begin + 1 == work_tile.blocks);
        products_wait<0>();
        products_keep(s);
        leave_keys();
        score(begin);
        if constexpr (Tile::folded) softmax.begin(s, columns, p, o);
        else if constexpr (linear) softmax.template begin<T>(s, exponents, p, o);
        else softmax.template begin<T>(s, WgmmaScaledScores{a.scale}, p, o);
        prefetches(end > begin + 1);
#pragma unroll 1
        for (int block = begin + 1; !Tile::single && block < end; ++block) {
            begin_turn();
            issue_scores();
            issue_values();
            end_turn(block + 1 == work_tile.blocks);
            products_wait<1>();
            products_keep(s);
            leave_keys();
            score(block);
            products_wait<0>();
            products_keep(o);
            leave_values();
            if constexpr (Tile::folded) softmax.add(s, columns, p, o);
            else if constexpr (linear) softmax.template add<T>(s, exponents, p, o);
            else softmax.template add<T>(s, WgmmaScaledScores{a.scale}, p, o);
            prefetches(block + 1 < end);
        }
        issue_values();
        products_wait<0>();
        products_keep(o);
        leave_values();
    }
    __device__ INLAY_INLINE void give_back(std::uint32_t empty) const {
        if (lane == 0) barrier_arrive(empty);
    }
    __device__ INLAY_INLINE void leave_keys() {
        if constexpr (Tile::single) return;     // other queries are multiplied with them
        give_back(shared.k_empty(k.stage));
        k.next();
    }
    __device__ INLAY_INLINE void leave_values() {
        if constexpr (Tile::single) return;
        give_back(shared.v_empty(v.stage));
        v.next();
    }
    /// Warpgroup g waits at barrier 1 + g for the one before it.
    __device__ INLAY_INLINE void begin_turn() const {
        if constexpr (Tile::ordered) named_barrier(1 + group, 256);
    }
    __device__ INLAY_INLINE void end_turn(bool last) const {
        if constexpr (Tile::ordered) {
            const int next = group + 1 == Tile::groups ? 0 : group + 1;
            if (!(last && next == 0)) named_barrier_arrive(1 + next, 256);
        }
    }
    /// Polls the next stages before they are needed: an answer takes a while.
    __device__ INLAY_INLINE void prefetches(bool more) {
        k_there = more && barrier_try_wait(shared.k_full(k.stage), k.parity);
        v_there = barrier_try_wait(shared.v_full(v.stage), v.parity);
    }
    __device__ INLAY_INLINE void issue_scores() {
        if (!k_there) barrier_wait(shared.k_full(k.stage), k.parity);
        const std::uint64_t k0 = keys + static_cast<std::uint32_t>(k.stage * (Tile::stage_bytes >> 4));
        // Of many steps there are not registers for all descriptors. They differ in their low halves.
        std::uint32_t q_low = static_cast<std::uint32_t>(q), k_low = static_cast<std::uint32_t>(k0);
        constexpr bool many = Tile::steps >= 12;
        if constexpr (many) {
            descriptor_keep(q_low);
            descriptor_keep(k_low);
        }
        const auto further = [](std::uint64_t d, std::uint32_t low, int n) {
            return many ? d >> 32 << 32 | (low + static_cast<std::uint32_t>(n)) : d + n;
        };
        products_begin();
        INLAY_UNROLL
        for (int i = 0; i < Tile::steps; ++i)
            product<Tile::keys, T>::run(s, further(q, q_low, i / 4 * (Tile::q_atom >> 4) + i % 4 * 2),
                                          further(k0, k_low, i / 4 * (Tile::key_atom >> 4) + i % 4 * 2), i > 0);
        products_commit();
    }
    __device__ INLAY_INLINE void issue_values() {
        if (!v_there) barrier_wait(shared.v_full(v.stage), v.parity);
        const std::uint64_t v0 = values + static_cast<std::uint32_t>(v.stage * (Tile::stage_bytes >> 4));
        products_begin();
        INLAY_UNROLL
        for (int i = 0; i < Tile::key_steps; ++i) product<Tile::own, T>::run_rows(o, p[i], v0 + 128 * i, true);
        products_commit();
    }
    /// The lane's first row and its first key in a block of keys.
    __device__ INLAY_INLINE WgmmaScorePlace place_in(int block) const {
        return {work_tile.batch, work_tile.head, row, block * Tile::keys + lane % 4 * 2};
    }
    /// From products with the work tile's block i to scores.
    __device__ INLAY_INLINE void score(int i) {
        const int block = work_tile.block(i), first = block * Tile::keys, column = lane % 4 * 2;
        const bool masked = !full.contains(block);
        const WgmmaScorePlace at = place_in(block);
        if constexpr (linear) exponents.move(at.key);
        else if constexpr (!Algebra::scales_out)
            evaluate_scores<typename Algebra::score, T, Algebra::scores_of_rows>(s, a, at, masked);
        if (!masked) return;
        if constexpr (Algebra::every_key) mask_absent(s, first, column, a.keys);
        else if constexpr (RowKeys::by_types) RowKeys::of(a, at).mask(s, at.key);
        else if constexpr (WorkTile::Found::used) work_tile.found.of(row - work_tile.first_row).mask(s, at.key);
        else if constexpr (searched) row_keys.mask(s, at.key);
        else mask_each<typename Algebra::condition>(s, a, at);
    }
};

/// A tile of queries of one head.
template <class Tile, class Algebra, class Args>
struct WgmmaAttentionBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::min_blocks, alignment = 1024;
    static constexpr Images images = Images::with_sm90a;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* memory) {
        // Broadcast by a shuffle, so that ptxas keeps it; else it recomputes it for each product.
        const WgmmaAttentionShared<Tile> shared{warp_uniform((shared_address(memory) + 1023u) & ~1023u)};
        if (thread_index() == warp_size) {
            INLAY_UNROLL
            for (int i = 0; i < Tile::boxes; ++i) {
                prefetch_map(a.q[i]);
                prefetch_map(a.k[i]);
                prefetch_map(a.v[i]);
            }
        }
        if constexpr (wgmma_reads_slots<typename Algebra::condition>) after_previous_kernel();
        using WorkTile = WgmmaAttentionWorkTile<Tile, Algebra>;
        char* const behind = memory + (shared.q - shared_address(memory)) + (Tile::shared - 1024);
        const auto work_tile = WorkTile::of(a, work.tile(), reinterpret_cast<WgmmaFoundKeys*>(behind));
        if (thread_index() == 0) shared.init();
        if constexpr (Tile::folded) fold_constants<Tile>(shared);
        if constexpr (Tile::single) {
            after_previous_kernel();
            if (thread_index<unsigned>() < warp_size && elect_thread())
                wgmma_attention_produce<Tile>(a, shared, work_tile);
        }
        block_sync();
        // Broadcast to make it uniform for the warpgroup.
        const int group = warp_uniform(thread_index() / 128);
        if constexpr (!Tile::single) {
            if (group == Tile::groups) {
                lower_registers<Tile::few>();
                after_previous_kernel();
                if (thread_index<unsigned>() % 128 < warp_size && elect_thread())
                    wgmma_attention_produce<Tile>(a, shared, work_tile);
                if constexpr (Tile::cluster) {
                    warp_sync();
                    cluster_barrier();
                }
                return;
            }
            raise_registers<Tile::many>();
            after_previous_kernel();
        }
        WgmmaAttend<Tile, Algebra, Args> attend{a, shared, work_tile, group, lane_index()};
        attend.run();
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
