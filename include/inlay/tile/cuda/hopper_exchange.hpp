// SPDX-License-Identifier: Apache-2.0
/// Parts of a sum that the blocks of a cluster hold, up to 8 of them: each finishes about as many rows of the tile, of
/// which the others send it their sums through shared memory. Parts are added in order, so runs are bitwise equal.
#pragma once

#include <inlay/tile/cuda/hopper_finish.hpp>

namespace inlay::inline INLAY_ABI::cuda {

template <class Tile, class Args, class Shared>
struct HopperExchange {
    using Finish = HopperFinish<Tile, Args>;
    static constexpr int stride = Tile::n + 8;      ///< floats of a row: no bank conflicts
    static constexpr int tile_bytes = Tile::m * stride * 4;
    /// What is sent lies in the ring, which nobody uses any more, and what is received behind it.
    static constexpr bool fits = !Tile::alternate && 2 * tile_bytes <= Shared::barrier_offset;

    /// The first row that a part finishes.
    __device__ static int first_row(const Args& a, int part) { return Tile::m * part / a.parts; }
    /// By all threads that multiplied, of which this is number `thread`. `table`: of the whole tile.
    template <class Product>
    __device__ static void run(const Args& a, const HopperTask& t, const Shared& shared, int part, const Product& p,
                               int row, int thread, char* memory, const typename Finish::Entry* table) {
        constexpr int threads = 128 * Tile::groups;
        named_barrier(1, threads);  // the ring is read by nobody
        leave(p, row, memory);
        named_barrier(1, threads);  // all of it has been left
        if (thread == 0) barrier_expect(shared.received(), bytes_of(a, part) * static_cast<std::uint32_t>(a.parts - 1));
        cluster_barrier();          // in all blocks, whose rings are free too
        if (thread == 0) send(a, shared, part);
        finish(a, t, shared, part, thread, threads, memory, table);
    }

private:
    /// All rows of the block's tile to where they are sent from.
    template <class Product>
    __device__ static void leave(const Product& p, int row, char* memory) {
        const bool in_order = p.a.in_order;
        float* const to =
            reinterpret_cast<float*>(memory) + (row + p.lane / 4) * stride + p.lane % 4 * (in_order ? 4 : 2);
        INLAY_UNROLL
        for (int i = 0; i < Product::atoms; ++i)
            INLAY_UNROLL
            for (int j = 0; j < Tile::n / 8; ++j)
                INLAY_UNROLL
                for (int h = 0; h < 2; ++h) {
                    const int column = in_order ? j / 2 * 16 + j % 2 * 2 : j * 8;
                    *reinterpret_cast<float2*>(to + (i * 64 + h * 8) * stride + column) =
                        float2{p.c[i][4 * j + 2 * h], p.c[i][4 * j + 2 * h + 1]};
                }
        fence_shared_for_engines();
    }
    /// Of the rows that a part finishes.
    __device__ static std::uint32_t bytes_of(const Args& a, int part) {
        return static_cast<std::uint32_t>((first_row(a, part + 1) - first_row(a, part)) * stride * 4);
    }
    /// By one thread, when all blocks of the cluster have left their rows: those of part i lie behind those of parts
    /// before it.
    __device__ static void send(const Args& a, const Shared& shared, int part) {
        for (int i = 1; i < a.parts; ++i) {
            const int to = (part + i) % a.parts, slot = part < to ? part : part - 1;
            const std::uint32_t bytes = bytes_of(a, to);
            copy_to_block(shared.ring + tile_bytes + slot * static_cast<int>(bytes),
                          shared.ring + first_row(a, to) * stride * 4, bytes, shared.received(),
                          static_cast<std::uint32_t>(to));
        }
    }
    /// The block's rows.
    __device__ static void finish(const Args& a, const HopperTask& t, const Shared& shared, int part, int thread,
                                  int threads, const char* memory, const typename Finish::Entry* table) {
        constexpr int columns = Finish::columns, across = Finish::n / columns, kinds = Finish::pairs ? 2 : 1;
        barrier_wait(shared.received(), 0);
        const int first = first_row(a, part), rows = first_row(a, part + 1) - first, slice = rows * stride;
        const float* const mine = reinterpret_cast<const float*>(memory) + first * stride;
        const float* const received = reinterpret_cast<const float*>(memory + tile_bytes);
#pragma unroll 2
        for (int i = thread; i < rows * across; i += threads) {
            const int r = i / across, chunk = i - r * across, column = chunk * columns;
            const int at = r * stride + (Finish::pairs ? column / 16 * 32 + column % 16 : column);
            detail::Sums<columns, Finish::pairs> sums{};
            for (int q = 0; q < a.parts; ++q) {
                const float* const from = q == part ? mine : received + (q < part ? q : q - 1) * slice;
                INLAY_UNROLL
                for (int g = 0; g < kinds; ++g) {
                    const float4 x = *reinterpret_cast<const float4*>(from + at + 16 * g);
                    float* const v = sums.v[g].v;
                    v[0] += x.x, v[1] += x.y, v[2] += x.z, v[3] += x.w;
                }
            }
            const typename Finish::Entry* const e = table + (first + r) * Finish::groups;
            const auto& here = e[column / Finish::group];
            if (here.m < 0 || Finish::first_column(t) + column >= Finish::last_column(a)) continue;
            if (here.even) Finish::store(here, chunk, Finish::finish(a, here.cursors, chunk, sums));
            else Finish::finish_slowly(a, t, e, chunk, sums);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
