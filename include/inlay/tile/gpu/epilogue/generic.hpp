// SPDX-License-Identifier: Apache-2.0
/// Passes rows of a finished tile through epilogue and sink. The places of a group of columns of a row in every tensor
/// are found once and kept in shared memory; chunks of 8 columns then load and store 16 bytes at a time without an
/// index. A tile with a group that is split, has a step or is not aligned goes chunk by chunk instead.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/plan/access/copied.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/gemm/runs.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// True if leaves are consecutive and aligned.
template <int N>
struct AskDense {
    bool dense = true;

    template <int, class T>
    __device__ INLAY_INLINE void leaf(row_cursor<T>& c) {
        dense = dense && dense_leaf<N>(c);
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) {}
};
/// Lets `Out` read a chunk.
template <int N>
struct ReadSums {
    const Vec<float, N>* sums;      ///< and behind it those of `OutGate`

    template <int, class T>
    __device__ INLAY_INLINE void leaf(row_cursor<T>& c) const {
        if constexpr (std::is_same_v<T, Vec<float, N>>) c.p = sums;
    }
    __device__ INLAY_INLINE void gate(inlay::detail::gate_cursor<Vec<float, N>>& c) const { c.p = sums + 1; }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};

/// Finds the places of n columns of a result from coordinate c on in every tensor of the epilogue and behind the sink.
/// True if all are consecutive and aligned for chunks of N.
template <int N, class U, class E, class S, class Cursors, int R>
__device__ INLAY_INLINE bool place_columns(const E& epilogue, const S& sink, const Extents<R>& c, int n,
                                           Cursors& cursors, U*& to) {
    Walk<R> w{c, R - 1, n};
    cursors.place(epilogue, w, nullptr);
    AskDense<N> ask;
    each_leaf<0>(cursors, ask);
    NoteRun<U> stored;
    sink.root.place(sink.outs, Walk<R>{c, R - 1, n}, 0, stored);
    to = stored.p;
    return ask.dense && n % N == 0 && w.run == n && stored.run == n && stored.step == 1 &&
           is_aligned(to, vector_alignment<U, N>);
}
/// The sums of a chunk of columns: with `OutGate`, two.
template <int N, bool Gated>
struct Sums {
    Vec<float, N> v[Gated ? 2 : 1];
};
/// The columns of a row of sums for those of the result from `column` on.
template <int N, bool Gated>
__device__ INLAY_INLINE Sums<N, Gated> sums_at(const float* row, int column) {
    static_assert(N == 8);
    Sums<N, Gated> s;
    const float* const from = row + (Gated ? column / 16 * 32 + column % 16 : column);
    INLAY_UNROLL
    for (int i = 0; i < (Gated ? 2 : 1); ++i) {
        const float4* const p = reinterpret_cast<const float4*>(from + 16 * i);
        const float4 x = p[0], y = p[1];
        float* const v = s.v[i].v;
        v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w;
        v[4] = y.x, v[5] = y.y, v[6] = y.z, v[7] = y.w;
    }
    return s;
}
/// Columns of the result for n columns of the product.
template <class Args>
__device__ INLAY_INLINE int columns_of(int n) {
    return gated<typename Args::Epilogue::expression> ? n / 2 : n;
}

/// A tile of sums in shared memory: its place in the product, its rows, chunks of a row, elements from a row to the
/// next; and the number of threads of its epilogue.
struct ReducedTile {
    int batch, m0, n0, rows, across, stride, threads;
};
/// The epilogue of any tile, chunk by chunk. Threads of a block call it together. `coordinates`: room for one a row, in
/// shared memory.
template <class Args, class Coordinate>
__device__ INLAY_INLINE void epilogue_by_chunks(const Args& a, const ReducedTile tile, const float* sums,
                                              Coordinate* coordinates) {
    constexpr int columns = 8;
    constexpr bool pairs = gated<typename Args::Epilogue::expression>;
    const int thread = thread_index();
    for (int r = thread; r < tile.rows; r += tile.threads)
        if (tile.m0 + r < a.m) coordinates[r] = a.place(tile.batch, tile.m0 + r);
    block_sync();
    const int first = columns_of<Args>(tile.n0), width = columns_of<Args>(a.n) - first;
    const int rows = (::min)(tile.rows, a.m - tile.m0), down = tile.threads / tile.across,
              along = tile.threads % tile.across;
    int r = thread / tile.across, chunk = thread % tile.across;
#pragma unroll 1
    while (r < rows) {
        const int column = chunk * columns, some = (::min)(columns, width - column);
        if (some > 0) {
            Coordinate c = coordinates[r];
            c.back(0) += first + column;
            const auto read = sums_at<columns, pairs>(sums + r * tile.stride, column);
            using U = stored_by<typename Args::Sink>;
            store_epilogue<columns, U>(a.epilogue, a.sink, c, some, read.v);
        }
        r += down, chunk += along;
        if (chunk >= tile.across) chunk -= tile.across, ++r;
    }
}

/// The same as a function, one for all tiles of a product: kernels whose input is evaluated are 3 to 5 % faster without
/// this code in them (convolutions, H200), those that copy it up to 10 % slower where their tiles are partial.
template <class Args, class Coordinate>
__device__ INLAY_DEVICE_CALL void call_epilogue_by_chunks(const Args& a, const ReducedTile tile, const float* sums,
                                                   Coordinate* coordinates) {
    epilogue_by_chunks(a, tile, sums, coordinates);
}

}  // namespace detail

/// Sums of mma lie in shared memory row by row; those of wgmma stay in registers and have a loop of their own.
template <class Tile, class Args>
struct EpilogueTile {
    static constexpr int columns = 8;       // of a chunk
    static constexpr bool pairs = gated<typename Args::Epilogue::expression>;
    static constexpr int n = pairs ? Tile::n / 2 : Tile::n;     // of the result
    static constexpr int across = n / columns, chunks = Tile::m * across;
    static_assert(!pairs || Tile::n % 32 == 0);
    /// Columns of a group: heads of 40, 80 and 160 are whole groups of the tiles that are multiples of them.
    static constexpr int group = n % 40 == 0 ? 40 : n % 64 == 0 ? 64 : columns, groups = n / group;
    using Coordinate = decltype(std::declval<const Args&>().place(index_t(0), index_t(0)));
    using Epilogue = typename Args::Epilogue;
    using Cursors = CursorsOf<typename Epilogue::expression, Epilogue, Vec<float, columns>>;
    using U = detail::stored_by<typename Args::Sink>;
    struct Entry {
        Cursors cursors;
        U* to;
    };
    static constexpr int sums_bytes = Tile::m * Tile::out_stride * 4;
    /// True where every thread has as many chunks, and the places of groups fit beside the sums.
    static constexpr bool grouped = group > columns && chunks % Tile::threads == 0 && !std::is_void_v<U> &&
                                    sums_bytes + Tile::m * groups * static_cast<int>(sizeof(Entry)) <=
                                        Tile::atom::shared_bytes;
    static constexpr int coordinates_bytes = Tile::m * static_cast<int>(sizeof(Coordinate));
    static constexpr int entries_bytes = grouped ? Tile::m * groups * static_cast<int>(sizeof(Entry)) : 0;
    /// Bytes of shared memory.
    static constexpr int bytes = sums_bytes + (coordinates_bytes > entries_bytes ? coordinates_bytes : entries_bytes);

    /// `memory`: the sums, and room behind them.
    __device__ static void run(const Args& a, const GemmWorkTile& work_tile, const Thread& t, char* memory) {
        const float* const sums = reinterpret_cast<const float*>(memory);
        if constexpr (grouped) {
            Entry* const entries = reinterpret_cast<Entry*>(memory + sums_bytes);
            bool dense = work_tile.m0 + Tile::m <= a.m && work_tile.n0 + Tile::n <= a.n;
            if (dense)
                for (int i = t.id; i < Tile::m * groups; i += Tile::threads)
                    dense = place(a, work_tile, i / groups, i % groups * group, entries[i]) && dense;
            if (block_sync_all(dense)) return by_groups(a, t, sums, entries);
        }
        const detail::ReducedTile tile{work_tile.batch, work_tile.m0,          work_tile.n0,      Tile::m,
                                        across,     Tile::out_stride, Tile::threads};
        Coordinate* const coordinates = reinterpret_cast<Coordinate*>(memory + sums_bytes);
        if constexpr (is_copied_of<typename Tile::value_type, typename Args::In>)
            detail::epilogue_by_chunks(a, tile, sums, coordinates);
        else detail::call_epilogue_by_chunks(a, tile, sums, coordinates);
    }

private:
    __device__ static bool place(const Args& a, const GemmWorkTile& work_tile, int row, int column, Entry& e) {
        auto c = a.place(work_tile.batch, work_tile.m0 + row);
        c.back(0) += detail::columns_of<Args>(work_tile.n0) + column;
        Entry placed;
        const bool even = detail::place_columns<columns>(a.epilogue, a.sink, c, group, placed.cursors, placed.to);
        e = placed;
        return even;
    }
    /// Several chunks at once, so that their loads overlap.
    __device__ static void by_groups(const Args& a, const Thread& t, const float* sums, Entry* entries) {
        constexpr int each = chunks / Tile::threads, batch = each % 5 == 0 ? 5 : each % 4 == 0 ? 4 : 1;
#pragma unroll 1
        for (int i = t.id; i < chunks; i += batch * Tile::threads) {
            Vec<float, columns> v[batch];
            INLAY_UNROLL
            for (int b = 0; b < batch; ++b) {
                const int k = i + b * Tile::threads, r = k / across, column = k % across * columns;
                const auto chunk = detail::sums_at<columns, pairs>(sums + r * Tile::out_stride, column);
                Cursors cursors = entries[r * groups + column / group].cursors;
                detail::ReadSums<columns> read{chunk.v};
                detail::each_leaf<0>(cursors, read);
                v[b] = cursors.eval(a.epilogue, detail::VectorReader<columns, U>{}, column % group);
            }
            INLAY_UNROLL
            for (int b = 0; b < batch; ++b) {
                const int k = i + b * Tile::threads, r = k / across, column = k % across * columns;
                store_vector<columns>(entries[r * groups + column / group].to + column % group, v[b]);
            }
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
