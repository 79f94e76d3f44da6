// SPDX-License-Identifier: Apache-2.0
/// GEMV: the product for a few rows of A. Rows in 16 bits that are read as they are stored have a kernel of their own
/// (`gemv_copied.hpp`). Here others are staged in shared memory by every block, a few thousand elements of the sum
/// ahead, and weights streamed past them once, 16 bytes a lane, from memory straight into the matrix unit. A warp
/// computes sixteen columns over a slice of the sum; the warps of a block add their slices in order. Bound by memory:
/// moves the weights once.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/tile/cuda/mma/gemm/gemv_copied.hpp>
#include <inlay/tile/cuda/mma/gemm/gemv_operands.hpp>
#include <inlay/tile/gpu/gemm/runs.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A block takes its columns, and the sum of each in phases, one after the other; the weights of a batch are loaded
/// while the batch before is multiplied, across all of these.
template <class T, bool Copied, class Args>
struct GemvBody {
    using G = detail::Gemv<T, Copied>;
    struct Arguments {
        Args a;
        int blocks;     ///< of a batch item
        int teams;      ///< of the warps of a block; those of one share sixteen columns
        int stages;
    };
    static constexpr int threads = G::threads, min_blocks = 1;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char* shared) {
        const Args& a = arguments.a;
        const int blocks = arguments.blocks, teams = arguments.teams, stages = arguments.stages;
        using namespace detail;
        using Weights = WeightStream<T>;
        constexpr int length = Weights::batch * Weights::step;  // elements of the sum in a batch
        __shared__ float parts[G::warps][G::columns * G::most_rows];
        const Thread t;
        const TeamTile tile = a.batch == 1 ? TeamTile{0, work.tile()} : TeamTile::of(work.tile(), blocks);
        const int batch = tile.team, block = tile.member;
        const T* const w = a.w + batch * a.w_batch;
        const bool aligned = Copied || (is_aligned(w, 16) && a.w_row % chunk_of<T> == 0);
        const int batches = teams;      // of a warp in a phase
        const int team = t.warp * teams / G::warps, columns = teams * G::columns, stride = blocks * columns;
        const int quad = t.lane / 4, place = t.lane % 4 * chunk_of<T>;
        const int own = (t.warp * teams - team * G::warps) * length;

        // Loads batch b of the phase at k0 for the columns from `first` on, or the first one after these.
        const auto fetch = [&](Weights& to, int first, int k0, int b) {
            if (b == batches) b = 0, k0 += G::depth;
            if (k0 >= a.total) k0 = 0, first += stride;
            const int n = first + team * G::columns, k = k0 + own + b * length;
            if (aligned && n < a.n)
                to.load(w + static_cast<index_t>((::min)(n + quad, a.n - 1)) * a.w_row + (k + place),
                        w + static_cast<index_t>((::min)(n + quad + 8, a.n - 1)) * a.w_row + (k + place), a.total - k,
                        place);
        };
        // Weights that no kernel writes are under way before the kernel before has ended.
        Weights even, odd;
        if (a.w_constant) reads_constants();
        else after_previous_kernel();
        fetch(even, block * columns, 0, 0);
        if (a.w_constant) after_previous_kernel();

        StagedRows<T, Copied, Args> rows(a, batch, shared);
        // Rows that have room for the whole sum are staged once, for all columns.
        const int phases = (a.total + G::depth - 1) / G::depth, ring = (::min)(stages, phases);
        const bool kept = phases <= stages;
        for (int i = 0; i < stages - 1; ++i) {
            if (i < phases) rows.stage(i, i * G::depth);
            copy_commit();
        }
        int stage = 0;
#pragma unroll 1
        for (int first = block * columns; first < a.n; first += stride) {
            const int n0 = first + team * G::columns;
#pragma unroll 1
            for (int i = t.id; i < a.m * columns; i += G::threads) {
                const int n = first + i % columns;
                if (n < a.n) ask_for_result(a, batch, i / columns, n);
            }
            StreamSum<T> sum;
#pragma unroll 1
            for (int k0 = 0; k0 < a.total; k0 += G::depth) {
                // A barrier: the phase is staged, and that before it is read by all.
                const auto begin = [&] {
                    if (stages == G::most_stages) copy_wait<G::most_stages - 2>();
                    else copy_wait<0>();
                    block_sync();
                    int ahead = k0 + (stages - 1) * G::depth;
                    bool some = first == block * columns || !kept;
                    if (ahead >= a.total) ahead -= phases * G::depth, some = first + stride < a.n && !kept;
                    if (some) rows.stage(stage == 0 ? stages - 1 : stage - 1, ahead);
                    copy_commit();
                };
                const T* const x =
                    reinterpret_cast<const T*>(shared + (stage * a.m + quad) * G::row_bytes) + own + place;
                const auto multiply = [&](Weights& now, int b) {
                    const int k = k0 + own + b * length;
                    if (n0 >= a.n || k >= a.total) return;
                    if (!aligned)
                        now.gather(w + static_cast<index_t>((::min)(n0 + quad, a.n - 1)) * a.w_row + (k + place),
                                   w + static_cast<index_t>((::min)(n0 + quad + 8, a.n - 1)) * a.w_row + (k + place),
                                   a.total - k - place);
                    now.multiply(sum, x + b * length, quad < a.m);
                };
#pragma unroll 1
                for (int b = 0; b < batches; b += 2) {
                    fetch(odd, first, k0, b + 1);
                    if (b == 0) begin();
                    multiply(even, b);
                    if (b + 1 < batches) {
                        fetch(even, first, k0, b + 2);
                        multiply(odd, b + 1);
                    } else {
                        even = odd;
                    }
                }
                stage = stage + 1 == ring ? 0 : stage + 1;
            }
            INLAY_UNROLL
            for (int i = 0; i < 4; ++i) {
                const Place at = Weights::Atom::place_c(t.lane, i);
                parts[t.warp][at.column * G::columns + at.row] = sum[i];
            }
            block_sync();
            const int k_warps = G::warps / teams;
#pragma unroll 1
            for (int i = t.id; i < a.m * columns; i += G::threads) {
                const int r = i / columns, j = i % columns, n = first + j;
                if (n >= a.n) continue;
                float all_parts = 0;
                for (int k = 0; k < k_warps; ++k)
                    all_parts += parts[j / G::columns * k_warps + k][r * G::columns + j % G::columns];
                write_result(a, batch, r, n, all_parts);
            }
            // A phase of the next columns has a barrier before its slices are stored.
        }
        copy_wait<0>();
    }
};

namespace detail {

/// At most `gemv_rows` rows that are staged: evaluated, or copied fp32.
template <class Args>
void gemv_staged(Launcher& l, const Args& a) {
    using T = typename Args::value_type;
    constexpr bool copied = Args::affine;
    using G = Gemv<T, copied>;
    const auto up = [](index_t x, index_t y) { return static_cast<int>((x + y - 1) / y); };
    const index_t units = l.device().multiprocessors;
    // As few warps for a sum as give the busiest multiprocessor the fewest columns.
    int teams = G::warps, least = 0, blocks = 1;
    for (int i = G::warps; i > 0; --i) {
        if (G::warps % i) continue;
        const int tiles = up(a.n, i * G::columns), load = up(static_cast<index_t>(tiles) * a.batch, units) * i;
        if (least == 0 || load < least) teams = i, least = load, blocks = tiles;
    }
    blocks = smaller(blocks, up(units, a.batch));
    const int room = l.device().shared_bytes - G::static_bytes, stage = a.m * G::row_bytes;
    const int stages = larger(2, smaller(G::most_stages, room / stage));
    const int kept = smaller(stages, up(a.total, G::depth)) * stage;
    l.launch<GemvBody<T, copied, Args>>({.blocks = static_cast<index_t>(a.batch) * blocks,
                                         .threads = G::threads,
                                         .shared = static_cast<std::size_t>(kept),
                                         .overlaps = true},
                                        {a, blocks, teams, stages});
}

}  // namespace detail

/// At most `gemv_rows` rows of a product that streams its weights (`plan/gemm/gemv.hpp`).
template <class Args>
void gemv(Launcher& l, const Args& a) {
    if constexpr (Args::affine && sizeof(typename Args::value_type) == 2) gemv_copied(l, a);
    else detail::gemv_staged(l, a);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
