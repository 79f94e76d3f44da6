// SPDX-License-Identifier: Apache-2.0
/// Cluster split-K: slices of a sum in up to 8 blocks of a cluster. Each owns about as many rows of the tile, of which
/// the others send it their sums: from registers, if the ring has room for them while its last k-block is multiplied,
/// else through shared memory. Slices are added in order, so runs are bitwise equal.
#pragma once

#include <inlay/tile/cuda/isa/cluster.hpp>
#include <inlay/tile/cuda/wgmma/gemm/epilogue.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class Tile, class Args, class Shared>
struct WgmmaClusterSplitK {
    using TileEpilogue = WgmmaEpilogue<Tile, Args>;
    static constexpr int stride = Tile::n % 32 == 16 ? Tile::n : Tile::n + 16;   ///< floats of a row: no bank conflicts
    static constexpr int tile_bytes = Tile::m * stride * 4;
    /// Sent sums lie in the ring, which is free by then, and received ones behind it.
    static constexpr bool fits = Tile::splits && 2 * tile_bytes <= Shared::barrier_offset;
    /// When registers send straight to the block that owns the rows, all of its stages but its last k-block's are free
    /// while that k-block is still multiplied. Received sums lie in so many of them.
    template <int Bytes>
    static constexpr int stages_of = (Bytes + Tile::stage_bytes - 1) / Tile::stage_bytes;
    static constexpr int pair_stages = stages_of<Tile::m / 2 * Tile::n * 4>,
                         zone_stages = stages_of<(Tile::m + 7) * stride * 4>;
    /// Two slices, of which each owns whole rows of warps: in registers, as a sum that is not shared.
    static constexpr bool pairs = fits && Tile::atoms == 1 && 2 * pair_stages <= Shared::stages;
    /// More slices: rows in the stages, one slice after the other. 3×3 filters were slower by it when it was tried.
    static constexpr bool zones = fits && !Tile::halo && !Tile::evaluates && 2 * zone_stages <= Shared::stages;
    static constexpr bool direct = pairs || zones;

    /// The first row that a slice owns.
    __device__ static int first_row(const Args& a, int slice) {
        return a.by_slices.divide(tile_rows<Tile>(a) * slice);
    }
    __device__ static bool pair(const Args& a) { return pairs && a.slices == 2; }
    /// True if registers send.
    __device__ static bool sends(const Args& a) { return zones ? a.slices > 1 : pair(a); }
    /// True if a warp of a pair sends, whose rows begin with `row`.
    __device__ static bool finishes(const Args& a, int slice, int row) {
        return (2 * row >= tile_rows<Tile>(a)) == (slice == 1);
    }
    /// Called by all consumer threads when the last k-block is all that they still read of the ring.
    __device__ INLAY_INLINE static void begin(const Args& a, const Shared& shared, int slice, int thread) {
        const int rows = first_row(a, slice + 1) - first_row(a, slice);
        if (thread == 0)
            barrier_expect(shared.received(), static_cast<std::uint32_t>(rows * (a.slices - 1) * Tile::n * 4));
        warp_sync();
        cluster_arrive();
    }
    /// Called by all consumer threads, of which this is number `thread`. `table`: of the whole tile.
    template <class Product>
    __device__ static void run(const Args& a, const WgmmaWorkTile& t, const Shared& shared, int slice, const Product& p,
                               int row, int thread, char* memory, const typename TileEpilogue::Entry* table) {
        const int threads = 128 * tile_groups<Tile>();
        if (sends(a)) cluster_wait();   // all blocks have begun their last k-blocks
        if constexpr (pairs)
            if (pair(a)) return deliver_pair(a, shared, slice, p, row);
        if constexpr (zones) {
            deliver(a, shared, slice, p, row, memory);
            named_barrier(1, threads);
            const int slice_bytes = static_cast<int>(bytes_of(a, slice)), zone = zone_of(a, slice);
            finish(a, t, shared, slice, thread, threads, table, [&](int q) {
                return reinterpret_cast<const float*>(memory + zone + q * slice_bytes);
            });
            publish(a, t, slice, thread, threads, table);
            return;
        }
        named_barrier(1, threads);  // the last reads of the ring are done
        leave(p, row, memory);
        named_barrier(1, threads);  // all of it has been written
        if (thread == 0)
            barrier_expect(shared.received(), bytes_of(a, slice) * static_cast<std::uint32_t>(a.slices - 1));
        cluster_barrier();          // in all blocks, whose rings are free too
        if (thread < 32 && elect_thread()) send(a, shared, slice);
        const int slice_bytes = static_cast<int>(bytes_of(a, slice)), mine = first_row(a, slice) * stride * 4;
        finish(a, t, shared, slice, thread, threads, table, [&](int q) {
            return reinterpret_cast<const float*>(
                memory + (q == slice ? mine : tile_bytes + (q < slice ? q : q - 1) * slice_bytes));
        });
        publish(a, t, slice, thread, threads, table);
    }

    /// Sums received by a lane of a warp of a pair: of each of its rows, the other slice's chunks of 16 columns, 32
    /// apart.
    __device__ INLAY_INLINE static const float4* receive(const Args& a, const Shared& shared, int slice, int lane,
                                                         int row, const char* memory) {
        cluster_wait();
        barrier_wait(shared.received(), 0);
        return reinterpret_cast<const float4*>(memory + zone_of(a, slice)) + pair_chunk(a, slice, row) + lane;
    }

private:
    /// The place in the ring of slices of a block's rows: not in the stage of its last k-block.
    __device__ static int zone_of(const Args& a, int slice) {
        const int k_blocks = slice_begin<Tile>(a, slice + 1) - slice_begin<Tile>(a, slice),
                  last = (k_blocks - 1) % Shared::stages;
        return last < (pair(a) ? pair_stages : zone_stages) ? (last + 1) * Tile::stage_bytes : 0;
    }
    /// The first chunk of a warp's rows of a pair: a chunk of each of its lanes after the other.
    __device__ static int pair_chunk(const Args& a, int slice, int row) {
        return (row - first_row(a, slice)) / 16 * (2 * Tile::n / 16) * 32;
    }
    /// Sends a warp's rows to the other block of a pair, lane by lane.
    template <class Product>
    __device__ static void deliver_pair(const Args& a, const Shared& shared, int slice, const Product& p, int row) {
        const int to = 1 - slice;
        const std::uint32_t at = shared.ring + static_cast<std::uint32_t>(zone_of(a, to)) +
                                 16 * static_cast<std::uint32_t>(pair_chunk(a, to, row) + p.lane);
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h)
            INLAY_UNROLL
            for (int j = 0; j < Tile::n / 16; ++j) {
                const float* const x = p.c[0] + 8 * j + 2 * h;
                send_to_block(at + 512 * static_cast<std::uint32_t>(h * (Tile::n / 16) + j), x[0], x[1], x[4], x[5],
                              shared.received(), static_cast<std::uint32_t>(to));
            }
    }
    /// Sends all rows of the block's tile to the blocks that own them.
    template <class Product>
    __device__ static void deliver(const Args& a, const Shared& shared, int slice, const Product& p, int row,
                                   char* memory) {
        const int q = p.lane % 4;
        INLAY_UNROLL
        for (int i = 0; i < Product::atoms; ++i)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) {
                const int r = row + p.lane / 4 + i * 64 + h * 8;
                int to = 0;
                while (r >= first_row(a, to + 1)) ++to;
                const std::uint32_t at = static_cast<std::uint32_t>(zone_of(a, to)) +
                                         static_cast<std::uint32_t>(slice) * bytes_of(a, to) +
                                         static_cast<std::uint32_t>((r - first_row(a, to)) * stride * 4);
                const auto rank = static_cast<std::uint32_t>(to);
                const float* const c = p.c[i] + 2 * h;
                if (p.a.in_order) {
                    const std::uint32_t begin = at + 16 * static_cast<std::uint32_t>(q);
                    INLAY_UNROLL
                    for (int j = 0; j < Tile::n / 16; ++j) {
                        const float* const x = c + 8 * j;
                        if (to == slice)
                            *reinterpret_cast<float4*>(memory + begin + 64 * j) = float4{x[0], x[1], x[4], x[5]};
                        else
                            send_to_block(shared.ring + begin + 64 * j, x[0], x[1], x[4], x[5], shared.received(),
                                          rank);
                    }
                } else {
                    const std::uint32_t begin = at + 8 * static_cast<std::uint32_t>(q);
                    INLAY_UNROLL
                    for (int j = 0; j < Tile::n / 8; ++j) {
                        const float* const x = c + 8 * (j / 2) + 4 * (j % 2);
                        if (to == slice)
                            *reinterpret_cast<float2*>(memory + begin + 32 * j) = float2{x[0], x[1]};
                        else
                            send_to_block(shared.ring + begin + 32 * j,
                                          std::uint64_t(float_bits(x[1])) << 32 | float_bits(x[0]),
                                          shared.received(), rank);
                    }
                }
            }
    }
    /// Stores all rows of the block's tile to shared memory, from which they are sent.
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
    /// Bytes of the rows that a slice owns.
    __device__ static std::uint32_t bytes_of(const Args& a, int slice) {
        return static_cast<std::uint32_t>((first_row(a, slice + 1) - first_row(a, slice)) * stride * 4);
    }
    /// Called by one thread when all blocks of the cluster have written their rows: those of slice i lie behind those
    /// of slices before it.
    __device__ static void send(const Args& a, const Shared& shared, int slice) {
        for (int i = 1; i < a.slices; ++i) {
            const int to = (slice + i) % a.slices, slot = slice < to ? slice : slice - 1;
            const std::uint32_t bytes = bytes_of(a, to);
            copy_to_block(shared.ring + tile_bytes + slot * static_cast<int>(bytes),
                          shared.ring + first_row(a, to) * stride * 4, bytes, shared.received(),
                          static_cast<std::uint32_t>(to));
        }
    }
    /// Publishes the rows that the block has stored, if the sink has records.
    __device__ INLAY_INLINE static void publish(const Args& a, const WgmmaWorkTile& t, int slice, int thread,
                                                int threads, const typename TileEpilogue::Entry* table) {
        if constexpr (TileEpilogue::publishes) {
            const int first = first_row(a, slice);
            named_barrier(1, threads);
            publish_stored_rows(a, t.batch, RowPart::of(a, t.n0, Tile::n), first_row(a, slice + 1) - first, thread,
                                threads, [&](int i) { return table[(first + i) * TileEpilogue::groups].m; });
        }
    }
    /// A loop of its own, which adds the slices of a chunk as it reads them. The epilogue of the block's rows,
    /// `slice_of(q)` those of slice q. Its operands are prefetched before the others' sums are there.
    template <class SliceOf>
    __device__ INLAY_INLINE static void finish(const Args& a, const WgmmaWorkTile& t, const Shared& shared, int slice,
                                               int thread, int threads, const typename TileEpilogue::Entry* table,
                                               const SliceOf& slice_of) {
        using Sums = detail::Sums<TileEpilogue::columns, TileEpilogue::pairs>;
        constexpr int columns = TileEpilogue::columns, across = TileEpilogue::n / columns,
                      kinds = TileEpilogue::pairs ? 2 : 1, batch = 16 / columns;
        using Prefetch = WgmmaEpiloguePrefetch<typename TileEpilogue::Cursors, batch, 1, 100>;
        // Eight columns next to each other in registers lie in fours, those of four lanes beside each other. Half of
        // the threads begin with the second four, so that all banks are read.
        const bool lies_in_fours = columns == 8 && a.in_order, turned = columns == 8 && thread & 4;
        const int apart = lies_in_fours ? 16 : 4, first_four = turned ? apart : 0, second_four = turned ? 0 : apart;
        const int first = first_row(a, slice), rows = first_row(a, slice + 1) - first;
        /// Adds up N chunks, of numbers begin, begin + threads, ...; those out of range are any.
        const auto add = [&]<int N>(int begin, Sums (&sums)[N]) {
            int at[N];
            INLAY_UNROLL
            for (int b = 0; b < N; ++b) {
                const int i = (::min)(begin + b * threads, rows * across - 1), r = i / across,
                          column = (i - r * across) * columns;
                at[b] = r * stride + (TileEpilogue::pairs   ? column / 16 * 32 + column % 16
                                      : lies_in_fours ? column / 32 * 32 + column % 32 / 2
                                                      : column);
                sums[b] = {};
            }
#pragma unroll 1
            for (int q = 0; q < a.slices; ++q) {
                const float* const from = slice_of(q);
                INLAY_UNROLL
                for (int b = 0; b < N; ++b)
                    INLAY_UNROLL
                    for (int g = 0; g < kinds; ++g) {
                        INLAY_UNROLL
                        for (int i = 0; i < columns; i += 4) {
                            const float* const four = from + at[b] + 16 * g + (i == 0 ? first_four : second_four);
                            const float4 x = *reinterpret_cast<const float4*>(four);
                            float* const v = sums[b].v[g].v + i;
                            v[0] += x.x, v[1] += x.y, v[2] += x.z, v[3] += x.w;
                        }
                    }
            }
            if constexpr (columns == 8) {
                INLAY_UNROLL
                for (int b = 0; b < N; ++b) {
                    float* const v = sums[b].v[0].v;
                    INLAY_UNROLL
                    for (int i = 0; i < 4; ++i) {
                        const float low = turned ? v[4 + i] : v[i];
                        v[4 + i] = turned ? v[i] : v[4 + i], v[i] = low;
                    }
                }
            }
        };
        bool waits = true, slow = false;
#pragma unroll 1
        for (int begin = thread; begin < rows * across; begin += batch * threads) {
            Prefetch ahead;
            const typename TileEpilogue::Entry* entry[batch];
            INLAY_UNROLL
            for (int b = 0; b < batch; ++b) {
                const int i = begin + b * threads, r = i / across, column = (i - r * across) * columns;
                entry[b] = nullptr;
                if (i >= rows * across ||
                    TileEpilogue::first_column(t) + column >= TileEpilogue::last_column(a))
                    continue;
                const auto& e = table[(first + r) * TileEpilogue::groups + column / TileEpilogue::group];
                if (e.m < 0) continue;
                slow = slow || !e.even;
                if (!e.even) continue;
                entry[b] = &e;
                ahead.read_columns(e.cursors, b, column % TileEpilogue::group);
                ahead.read_row(e.cursors, 0, b, column % TileEpilogue::group);
            }
            if (waits) barrier_wait(shared.received(), 0);
            waits = false;
            Sums sums[batch];
            add(begin, sums);
            if constexpr (!std::is_void_v<typename TileEpilogue::U>)
                INLAY_UNROLL
                for (int b = 0; b < batch; ++b) {
                    if (!entry[b]) continue;
                    const int i = begin + b * threads, within = i % across * columns % TileEpilogue::group;
                    typename TileEpilogue::Cursors cursors;
                    if constexpr (Prefetch::late) cursors = entry[b]->cursors;
                    ahead.point(cursors, 0, b, sums[b].v, within);
                    const detail::VectorReader<columns, typename TileEpilogue::U> reader;
                    store_vector<columns>(entry[b]->to + within, cursors.eval(a.epilogue, reader, 0));
                }
        }
        if (waits) barrier_wait(shared.received(), 0);
        if (!slow) return;
#pragma unroll 1
        for (int i = thread; i < rows * across; i += threads) {
            const int r = i / across, chunk = i - r * across;
            const typename TileEpilogue::Entry* const e = table + (first + r) * TileEpilogue::groups;
            if (e[chunk * columns / TileEpilogue::group].even) continue;
            Sums sums[1];
            add(i, sums);
            TileEpilogue::generic_epilogue_slow(a, t, e, chunk * columns, sums[0]);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
