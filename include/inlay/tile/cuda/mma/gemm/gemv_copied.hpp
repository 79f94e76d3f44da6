// SPDX-License-Identifier: Apache-2.0
/// The product for a few rows of A that are read as they are stored: 16 bits, whole chunks. Blocks have even
/// shares of the columns, whatever their number; the warps of a block take 128 bytes of the sum in rotation, and load
/// rows of A beside the weights, both straight into the matrix unit's registers, so that no warp waits for another
/// before their sums are added at the end, in order. Bound by memory: moves the weights once, and A once a block.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/tile/cuda/mma/gemm/gemv_operands.hpp>
#include <inlay/tile/gpu/gemm/gemv_result.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The numbers of the kernel.
struct CopiedGemv {
    static constexpr int warps = 16, threads = warp_size * warps, tiles = 2, columns = 16 * tiles, most_rows = 8;
    static constexpr int slots = 2;             ///< that a warp has under way
    static constexpr int pitch = columns + 4;   ///< of a row of a warp's sums: lanes store without bank conflicts
    /// Bytes of each row of the weights that are prefetched while the kernel before still runs: the first round of all
    /// warps. Less leaves memory idle until it has ended, more takes its bandwidth.
    static constexpr int prefetched_bytes = 128 * warps;
    static_assert(columns == 32 && most_rows <= warps, "a warp finishes a row of the block's result");
};

/// Two steps of a warp's sum: chunk lane % 4 of each, of row lane / 4 of A, and of the columns lane / 4 (`w[..][0]`)
/// and lane / 4 + 8 (`w[..][1]`) of each tile. An atom takes two words of a chunk for its k; their place in the sum
/// does not matter, as long as A and the weights are read alike.
template <class T>
struct CopiedSlot {
    static constexpr int steps = 2, step = 4 * chunk_of<T>, length = steps * step, tiles = CopiedGemv::tiles;
    using Weights = const T* [tiles][2];        ///< the lane's chunks of the first step

    uint4 w[steps][tiles][2], x[steps];

    __device__ INLAY_INLINE void load_weights(const Weights& from, int to) {
        INLAY_UNROLL
        for (int j = 0; j < steps; ++j, to += step)
            INLAY_UNROLL
            for (int i = 0; i < tiles; ++i)
                w[j][i][0] = load_streamed(from[i][0] + to), w[j][i][1] = load_streamed(from[i][1] + to);
    }
    /// `real`: true if there is such a row of A.
    __device__ INLAY_INLINE void load_row(const T* from, bool real) {
        INLAY_UNROLL
        for (int j = 0; j < steps; ++j) x[j] = load_now(from + j * step, real);
    }
    /// Loads both if `left` elements of the sum are left from the lane's first on; zeros after these.
    __device__ INLAY_INLINE void load_last(const Weights& from, const T* row, bool real, int left) {
        INLAY_UNROLL
        for (int j = 0; j < steps; ++j) {
            const bool some = j * step < left;
            INLAY_UNROLL
            for (int i = 0; i < tiles; ++i) {
                w[j][i][0] = some ? load_streamed(from[i][0] + j * step) : uint4{};
                w[j][i][1] = some ? load_streamed(from[i][1] + j * step) : uint4{};
            }
            x[j] = load_now(row + j * step, real && some);
        }
    }
    __device__ INLAY_INLINE void multiply(StreamSum<T> (&sum)[tiles]) const {
        INLAY_UNROLL
        for (int j = 0; j < steps; ++j)
            INLAY_UNROLL
            for (int i = 0; i < tiles; ++i) {
                const uint4 &u = w[j][i][0], &v = w[j][i][1], &b = x[j];
                sum[i].add({{u.x, v.x, u.y, v.y}}, {{b.x, b.y}}, {{u.z, v.z, u.w, v.w}}, {{b.z, b.w}});
            }
    }
};

/// Shares of the columns for the blocks of a batch: `each` of them, and one more in the first `longer` blocks.
struct ColumnShares {
    int blocks, each, longer;
};

}  // namespace detail

template <class T, class Args>
struct CopiedGemvBody {
    struct Arguments {
        Args a;
        detail::ColumnShares shares;
    };
    static constexpr int threads = detail::CopiedGemv::threads, min_blocks = 1;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const Args& a = arguments.a;
        const detail::ColumnShares& shares = arguments.shares;
        using namespace detail;
        using G = CopiedGemv;
        using Slot = CopiedSlot<T>;
        constexpr int stride = G::warps * Slot::length;     // from a slot of a warp to its next
        __shared__ float parts[G::warps][G::most_rows * G::pitch];
        const Thread t;
        const int warp = warp_uniform(t.warp);
        const TeamTile tile = a.batch == 1 ? TeamTile{0, work.tile()} : TeamTile::of(work.tile(), shares.blocks);
        const int batch = tile.team, share = tile.member;
        const int n0 = share * shares.each + (::min)(share, shares.longer);
        const int columns = shares.each + (share < shares.longer ? 1 : 0);
        const T* const w = a.w + batch * a.w_batch + static_cast<index_t>(n0) * a.w_row;
        if (t.lane == 0)
            INLAY_UNROLL
            for (int n = 0; n < G::columns; n += G::warps)
                if (n + warp < columns)
                    prefetch_span(w + static_cast<index_t>(n + warp) * a.w_row,
                                  (::min)(G::prefetched_bytes, a.total * static_cast<int>(sizeof(T))));
        warp_sync();
        const int row = t.lane / 4;
        int k = warp * Slot::length + t.lane % 4 * chunk_of<T>;     // of the lane's next chunk
        typename Slot::Weights at;
        INLAY_UNROLL
        for (int i = 0; i < G::tiles; ++i)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) {
                at[i][h] = w + static_cast<index_t>((::min)(i * 16 + h * 8 + row, columns - 1)) * a.w_row + k;
                keep_address(at[i][h]);
            }
        const T* x = a.view.data;
        Extents<Args::rank> c;
        const bool real = row < a.m && a.rows.at(a.rows.row(batch, (::min)(row, a.m - 1)), 0, c);
        if (real) x += inlay::detail::offset(c, a.view.strides) + k;
        keep_address(x);
        const auto forward = [&](int by) {
            INLAY_UNROLL
            for (int i = 0; i < G::tiles; ++i) at[i][0] += by, at[i][1] += by;
            x += by, k += by;
        };

        const int whole = a.total / Slot::length, own = (whole - warp + G::warps - 1) / G::warps;
        Slot slot[G::slots];
        const auto load_weights = [&](int d, int to) { slot[d].load_weights(at, to); };
        const auto load_row = [&](int d, int to) { slot[d].load_row(x + to, real); };
        const auto load = [&](int d, int to) { load_weights(d, to), load_row(d, to); };
        const auto fill = [&](const auto& with) {
            INLAY_UNROLL
            for (int d = 0; d < G::slots; ++d)
                if (d < own) with(d, d * stride);
        };
        // Constants are loaded while the kernel before still runs; else rows alternate with the weights they are for.
        if (a.w_constant) {
            reads_constants();
            fill(load_weights);
            wait_for_previous_kernel();
            fill(load_row);
        } else {
            wait_for_previous_kernel();
            fill(load);
        }
        forward((::min)(own, G::slots) * stride);
        let_next_kernel_begin();
        const bool finishes = warp < a.m && t.lane < columns;
        ElementPrefetch<Args> element;
        if (finishes) element.read(a, batch, warp, n0 + t.lane);

        // Without a branch while all slots are filled anew: the compiler then waits once for all that is under way,
        // else after each load for that one.
        StreamSum<T> sum[G::tiles];
        int s = 0;
#pragma unroll 1
        for (; own - s >= 2 * G::slots; s += G::slots) {
            INLAY_UNROLL
            for (int d = 0; d < G::slots; ++d) slot[d].multiply(sum), load(d, d * stride);
            forward(G::slots * stride);
        }
        INLAY_UNROLL
        for (int d = 0; d < G::slots; ++d) {
            if (s + d >= own) continue;
            slot[d].multiply(sum);
            if (s + d + G::slots < own) load(d, 0), forward(stride);
        }
        INLAY_UNROLL
        for (int d = 0; d < G::slots; ++d)
            if (s + G::slots + d < own) slot[d].multiply(sum);
        // The rest of less than a slot, by the warp that is next.
        if (whole % G::warps == warp && a.total % Slot::length != 0) {
            slot[0].load_last(at, x, real, a.total - k);
            slot[0].multiply(sum);
        }

        INLAY_UNROLL
        for (int i = 0; i < G::tiles; ++i)
            INLAY_UNROLL
            for (int j = 0; j < 4; ++j) {
                const Place of = Atom<T>::place_c(t.lane, j);
                parts[warp][of.column * G::pitch + i * 16 + of.row] = sum[i][j];
            }
        block_sync();
        if (!finishes) return;
        float all[4] = {};      // four chains: none waits for the others
        INLAY_UNROLL
        for (int i = 0; i < G::warps; ++i) all[i % 4] += parts[i][warp * G::pitch + t.lane];
        element.write(a, batch, warp, n0 + t.lane, all[0] + all[1] + (all[2] + all[3]));
    }
};

/// At most `gemv_rows` rows of an input that is copied (`plan/gemm/gemv.hpp`), fp16 or bf16.
template <class Args>
void gemv_copied(Launcher& l, const Args& a) {
    using T = typename Args::value_type;
    using G = detail::CopiedGemv;
    static_assert(sizeof(T) == 2 && Args::affine);
    const auto up = [](index_t x, index_t y) { return (x + y - 1) / y; };
    // As many blocks as fill the multiprocessors as many times as the fewest blocks would.
    const index_t units = l.device().multiprocessors, batch = a.batch;
    const index_t rounds = up(up(a.n, G::columns) * batch, units);
    const int shares = static_cast<int>(smaller(static_cast<index_t>(a.n), rounds * units / batch));
    l.launch<CopiedGemvBody<T, Args>>({.blocks = batch * shares, .threads = G::threads, .overlaps = true},
                                      {a, {shares, a.n / shares, a.n % shares}});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
