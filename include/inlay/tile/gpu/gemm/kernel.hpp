// SPDX-License-Identifier: Apache-2.0
/// C = A · Wᵀ for one tile of C: mainloop over stages that are filled ahead, split-K, epilogue.
#pragma once

#include <inlay/tile/gpu/gemm/evaluate.hpp>
#include <inlay/tile/gpu/gemm/sums.hpp>
#include <inlay/tile/gpu/epilogue/generic.hpp>
#include <inlay/tile/gpu/epilogue/row_stats.hpp>
#include <inlay/tile/gpu/gemm/split_k.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The ring of pipeline stages of a block, and its producers.
template <class Tile, class Args>
struct Pipeline {
    using Table = RunTable<Tile, Args>;
    static constexpr bool copies = Table::copies;
    using LoadA = std::conditional_t<copies, CopyA<Tile, Args>, EvaluateA<Tile, Args>>;
    /// Of a k-block, copied by `copy`.
    static constexpr int chunks = (copies ? LoadA::count : 0) + LoadB<Tile>::count;
    /// Registers of copies under way, those of `copy` first. No member: an array of empty ones changes the code that nvcc
    /// makes of the others.
    using Slots = CopySlot[chunks + LoadA::held];
    const Args& a;
    const GemmWorkTile& work_tile;
    const Thread& t;
    const std::uint32_t memory;
    const int stage_bytes, ring;    // bytes of a stage, and of all
    const int end;                  // of the block's slice of the sum
    Table table;
    LoadA load_a;
    LoadB<Tile> load_b;
    Steps next, raw;                // the k-block that is loaded next, and the one that is evaluated next
    bool enters = true, more;       // a run begins with the next k-block; there is one
    bool loading = false;
    int loaded = 0;                 // steps
    int to = 0, source_at = 0;         // bytes to the stages of both

    __device__ Pipeline(const Args& args, const GemmWorkTile& task_, const Thread& thread, char* shared)
        : a(args), work_tile(task_), t(thread), memory(shared_address(shared)), stage_bytes(Table::stage_bytes(a)),
          ring(a.stages * stage_bytes), end((::min)(a.total, (work_tile.slice + 1) * a.slice_length)),
          table(shared + ring, a.slots),
          load_a(table, t), load_b(a, work_tile, t) {
        next.kk = raw.kk = work_tile.slice * a.slice_length;
        more = next.kk < end;
        table.start(a, work_tile, t);
    }
    __device__ INLAY_INLINE int after(int stage) const { return stage + stage_bytes == ring ? 0 : stage + stage_bytes; }

    /// Begins to load the next k-block, if its run is placed.
    __device__ INLAY_INLINE void begin(Slots& slots, bool placed) {
        loading = more && placed;
        load_a.on = load_b.on = false;
        if constexpr (LoadA::held > 0) {
            INLAY_UNROLL
            for (int i = chunks; i < chunks + LoadA::held; ++i) copy_async_where(slots[i], false, 0, nullptr, 0);
        }
        if (!loading) return;
        if (enters) {
            next.enter(table, a.slots);
            load_b.enter(next);
        }
        load_a.begin(a, table, memory + to, next, slots + chunks);
        load_b.begin(memory + to + stage_bytes - Tile::b_bytes, next);
    }
    /// Copies part `part` of `parts` of its chunks.
    __device__ INLAY_INLINE void copy(Slots& slots, int part, int parts) {
        INLAY_UNROLL
        for (int i = 0; i < chunks; ++i) {
            if (i * parts / chunks != part) continue;
            constexpr int of_a = chunks - LoadB<Tile>::count;
            if (i < of_a) load_a.copy(slots[i], memory + to, i);
            else load_b.copy(slots[i], memory + to + stage_bytes - Tile::b_bytes, i - of_a);
        }
    }
    /// Lands its copies and closes their group; at the end of a run, places the next one. A barrier stands between this
    /// and `begin`.
    __device__ INLAY_INLINE void finish(Slots& slots) {
        INLAY_UNROLL
        for (CopySlot& slot : slots) land(slot);
        copy_commit();
        if (loading) {
            to = after(to);
            ++loaded;
            enters = next.left() <= Tile::k;
            if (!enters) next.j += Tile::k;
        }
        if (!more || !enters) return;
        const int kk = next.kk + next.facts.run;
        more = kk < end;
        if (!more) return;
        if constexpr (copies) block_sync();  // the run before it is read by all
        table.place(a, work_tile, t, next.slot + 1 == a.slots ? 0 : next.slot + 1, kk, end);
    }
    /// Waits for the oldest k-block under way.
    __device__ INLAY_INLINE void wait() const {
        if (a.stages == Tile::stages) copy_wait<Tile::stages - 2>();
        else copy_wait<0>();
    }
    /// Evaluates the next k-block, whose copies have arrived.
    __device__ INLAY_INLINE void evaluate(char* shared) {
        if (raw.left() > Tile::k) raw.j += Tile::k;
        else raw.enter(table, a.slots);
        load_a.evaluate(a, table, shared + source_at, raw);
        source_at = after(source_at);
    }
};

/// Multiplies the block's slice of the sum. Steps are loaded `stages` - 1 ahead, an input that is copied between the
/// products of another step; a pointwise input is evaluated one step ahead, before those products, or behind them where
/// its copies pass through registers and are under way until then.
template <class Tile, class Args>
__device__ INLAY_INLINE void multiply_steps(const Args& a, Pipeline<Tile, Args>& pipe, WarpProduct<Tile>& product,
                                            char* shared) {
    constexpr bool copies = Pipeline<Tile, Args>::copies;
    constexpr int rows = WarpProduct<Tile>::rows;
    typename Pipeline<Tile, Args>::Slots slots;
    int at = 0;
    for (int step = -a.stages; step < pipe.loaded; ++step) {
        pipe.begin(slots, step > -a.stages);
        const bool between = copies && rows > 1 && step >= 0;    // a stage of one row of atoms has no place between
        const bool behind = !copies && copies_in_registers && step >= 0;
        if (!between) {
            pipe.copy(slots, 0, 1);
            if (!behind) pipe.finish(slots);
        }
        if constexpr (!copies)
            if (step >= -1 && !behind) {
                pipe.wait();
                if (step + 1 < pipe.loaded) pipe.evaluate(shared);
            }
        if (step >= 0) {
            raise_priority();
            product.multiply(
                [&](int r) {
                    if constexpr (copies) pipe.copy(slots, r, rows - 1);
                },
                [&] {
                    lower_priority();
                    if (between || behind) pipe.finish(slots);
                    if constexpr (copies) pipe.wait();
                    else if constexpr (copies_in_registers)
                        if (step + 1 < pipe.loaded) pipe.evaluate(shared);
                    block_sync();
                    at = pipe.after(at);
                    return pipe.memory + at;
                });
        } else {
            if constexpr (copies) pipe.wait();
            block_sync();
            if (step == -1) product.begin(pipe.memory);
        }
    }
    copy_wait<0>();
    block_sync();
}

/// A tile of C, or a slice of its sum.
template <class Tile, class Args, Images In>
struct GemmBody {
    using Arguments = Args;
    static constexpr int threads = Tile::threads, min_blocks = Tile::blocks, alignment = 256;
    static constexpr Images images = In;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Args& a, Tiles work, char* shared) {
        const Thread t;
        const GemmWorkTile work_tile = GemmWorkTile::of<Tile>(a, work.tile());
        WarpProduct<Tile> product(t, RunTable<Tile, Args>::stage_bytes(a) - Tile::b_bytes);
        if constexpr (runs_in_loop<Tiles>) product.clear();
        after_previous_kernel();
        {
            Pipeline<Tile, Args> pipe(a, work_tile, t, shared);
            multiply_steps<Tile>(a, pipe, product, shared);
        }
        float* const out = reinterpret_cast<float*>(shared);
        ReducedSums<Tile> sums(product, out, t);
        if (a.slices > 1) {
            const int tile = work.tile() % (a.m_tiles * a.n_tiles) + work_tile.batch * a.m_tiles * a.n_tiles;
            if (!meet_slices(sums, a.partial, a.semaphores, tile, work_tile.slice, a.slices, t)) return;
        }
        sums.store(out, t);
        block_sync();
        EpilogueTile<Tile, Args>::run(a, work_tile, t, shared);
        if constexpr (publishes_rows<typename Args::Sink>) {
            block_sync();
            publish_stored_rows(a, work_tile.batch, RowPart::of(a, work_tile.n0, Tile::n), Tile::m, t.id, Tile::threads,
                                [&](int i) { return work_tile.m0 + i < a.m ? work_tile.m0 + i : -1; });
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
