// SPDX-License-Identifier: Apache-2.0
/// Parts of a sum that the blocks of a cluster hold, up to 8 of them: each finishes about as many rows of the tile, of
/// which the others send it their sums through shared memory. Parts are added in order, so runs are bitwise equal.
#pragma once

#include <inlay/tile/cuda/hopper_finish.hpp>

namespace inlay::inline INLAY_ABI::cuda {

template <class Tile, class Args, class Shared>
struct HopperExchange {
    using Finish = HopperFinish<Tile, Args>;
    static constexpr int stride = Tile::n % 32 == 16 ? Tile::n : Tile::n + 16;   ///< floats of a row: no bank conflicts
    static constexpr int tile_bytes = Tile::m * stride * 4;
    /// What is sent lies in the ring, which nobody uses any more, and what is received behind it.
    static constexpr bool fits = !Tile::alternate && 2 * tile_bytes <= Shared::barrier_offset;

    /// The first row that a part finishes.
    __device__ static int first_row(const Args& a, int part) { return tile_rows<Tile>(a) * part / a.parts; }
    /// By all threads that multiplied, of which this is number `thread`. `table`: of the whole tile.
    template <class Product>
    __device__ static void run(const Args& a, const HopperTask& t, const Shared& shared, int part, const Product& p,
                               int row, int thread, char* memory, const typename Finish::Entry* table) {
        const int threads = 128 * tile_groups<Tile>();
        named_barrier(1, threads);  // the ring is read by nobody
        leave(p, row, memory);
        named_barrier(1, threads);  // all of it has been left
        if (thread == 0) barrier_expect(shared.received(), bytes_of(a, part) * static_cast<std::uint32_t>(a.parts - 1));
        cluster_barrier();          // in all blocks, whose rings are free too
        if (thread < 32 && elect_thread()) send(a, shared, part);
        finish(a, t, shared, part, thread, threads, memory, table);
    }

private:
    /// All rows of the block's tile to where they are sent from.
    template <class Product>
    __device__ static void leave(const Product& p, int row, char* memory) {
        float* const to = reinterpret_cast<float*>(memory) + (row + p.lane / 4) * stride;
        const int q = p.lane % 4;
        const auto each_pair = [&](const auto& leaves) {
            INLAY_UNROLL
            for (int i = 0; i < Product::atoms; ++i)
                INLAY_UNROLL
                for (int h = 0; h < 2; ++h)
                    INLAY_UNROLL
                    for (int j = 0; j < Tile::n / 16; ++j)
                        leaves(to + (i * 64 + h * 8) * stride + 16 * j, p.c[i] + 8 * j + 2 * h);
        };
        if (p.a.in_order)
            each_pair([&](float* x, const float* c) {
                *reinterpret_cast<float4*>(x + 4 * q) = float4{c[0], c[1], c[4], c[5]};
            });
        else
            each_pair([&](float* x, const float* c) {
                *reinterpret_cast<float2*>(x + 2 * q) = float2{c[0], c[1]};
                *reinterpret_cast<float2*>(x + 8 + 2 * q) = float2{c[4], c[5]};
            });
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
    /// The block's rows. What they read is read before the others' sums are there.
    __device__ static void finish(const Args& a, const HopperTask& t, const Shared& shared, int part, int thread,
                                  int threads, const char* memory, const typename Finish::Entry* table) {
        using Sums = detail::Sums<Finish::columns, Finish::pairs>;
        constexpr int columns = Finish::columns, across = Finish::n / columns, kinds = Finish::pairs ? 2 : 1, batch = 4;
        using Ahead = HopperAhead<typename Finish::Cursors, batch, 1, 100>;
        const int first = first_row(a, part), rows = first_row(a, part + 1) - first, slice = rows * stride;
        const float* const mine = reinterpret_cast<const float*>(memory) + first * stride;
        const float* const received = reinterpret_cast<const float*>(memory + tile_bytes);
        /// Adds up N chunks, those of chunk numbers begin, begin + threads, ...; those that are none are any.
        const auto add = [&]<int N>(int begin, Sums (&sums)[N]) {
            int at[N];
            INLAY_UNROLL
            for (int b = 0; b < N; ++b) {
                const int i = ::min(begin + b * threads, rows * across - 1), r = i / across,
                          column = (i - r * across) * columns;
                at[b] = r * stride + (Finish::pairs ? column / 16 * 32 + column % 16 : column);
                sums[b] = {};
            }
#pragma unroll 1
            for (int q = 0; q < a.parts; ++q) {
                const float* const from = q == part ? mine : received + (q < part ? q : q - 1) * slice;
                INLAY_UNROLL
                for (int b = 0; b < N; ++b)
                    INLAY_UNROLL
                    for (int g = 0; g < kinds; ++g) {
                        const float4 x = *reinterpret_cast<const float4*>(from + at[b] + 16 * g);
                        float* const v = sums[b].v[g].v;
                        v[0] += x.x, v[1] += x.y, v[2] += x.z, v[3] += x.w;
                    }
            }
        };
        bool waits = true, slow = false;
#pragma unroll 1
        for (int begin = thread; begin < rows * across; begin += batch * threads) {
            Ahead ahead;
            const typename Finish::Entry* entry[batch];
            INLAY_UNROLL
            for (int b = 0; b < batch; ++b) {
                const int i = begin + b * threads, r = i / across, column = (i - r * across) * columns;
                entry[b] = nullptr;
                if (i >= rows * across || Finish::first_column(t) + column >= Finish::last_column(a)) continue;
                const auto& e = table[(first + r) * Finish::groups + column / Finish::group];
                if (e.m < 0) continue;
                slow = slow || !e.even;
                if (!e.even) continue;
                entry[b] = &e;
                ahead.read_columns(e.cursors, b, column % Finish::group);
                ahead.read_row(e.cursors, 0, b, column % Finish::group);
            }
            if (waits) barrier_wait(shared.received(), 0);
            waits = false;
            Sums sums[batch];
            add(begin, sums);
            if constexpr (!std::is_void_v<typename Finish::U>)
                INLAY_UNROLL
                for (int b = 0; b < batch; ++b) {
                    if (!entry[b]) continue;
                    const int i = begin + b * threads, within = i % across * columns % Finish::group;
                    typename Finish::Cursors cursors;
                    if constexpr (Ahead::late) cursors = entry[b]->cursors;
                    ahead.point(cursors, 0, b, sums[b].v, within);
                    store_vector<columns>(entry[b]->to + within,
                                          cursors.eval(a.epilogue, detail::VectorReader<columns, typename Finish::U>{}, 0));
                }
        }
        if (waits) barrier_wait(shared.received(), 0);
        if (!slow) return;
#pragma unroll 1
        for (int i = thread; i < rows * across; i += threads) {
            const int r = i / across, chunk = i - r * across;
            const typename Finish::Entry* const e = table + (first + r) * Finish::groups;
            if (e[chunk * columns / Finish::group].even) continue;
            Sums sums[1];
            add(i, sums);
            Finish::finish_slowly(a, t, e, chunk, sums[0]);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
