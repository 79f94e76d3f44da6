// SPDX-License-Identifier: Apache-2.0
/// The epilogue of finished sums, 8 columns of a row at a time, or 4. The places of a row's columns in every tensor are
/// found before the sums are there, once for a group of columns, and kept in shared memory; operands are prefetched
/// then, and read while the last products run. A lane has neighbouring columns if rows of W were copied in that order;
/// else lanes trade pairs. Four lanes have whole sectors of memory.
#pragma once

#include <inlay/tile/cuda/wgmma/gemm/mainloop.hpp>
#include <inlay/tile/gpu/epilogue/prefetch.hpp>
#include <inlay/tile/gpu/epilogue/row_stats.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The epilogue of columns of row m, -1 for none, from `column` on, wherever they lie. A function, one for all tiles of
/// a product: this is rare.
template <class Args, int N, bool Gated>
__device__ INLAY_OUTLINE void generic_epilogue(const Args& a, int batch, int m, int column, int end,
                                              const Sums<N, Gated>& sums) {
    const int n = (::min)(N, end - column);
    if (m < 0 || n <= 0) return;
    auto c = a.place(batch, m);
    c.back(0) += column;
    store_epilogue<N, stored_by<typename Args::Sink>>(a.epilogue, a.sink, c, n, sums.v);
}

}  // namespace detail

template <class Tile, class Args>
struct WgmmaEpilogue {
    using Columns = WgmmaColumns<Tile, Args>;
    static constexpr int columns = Columns::each;       // of a lane's chunk
    static constexpr bool cut = inlay::detail::splits_columns<typename Args::Sink::sink>;
    static constexpr bool pairs = Columns::pairs;
    static constexpr int n = pairs ? Tile::n / 2 : Tile::n;     // of the result
    static constexpr int group = cut ? wgmma_group(n) : n;      // columns
    static constexpr int groups = n / group;
    using Epilogue = typename Args::Epilogue;
    using Cursors = CursorsOf<typename Epilogue::expression, Epilogue, Vec<float, columns>>;
    using U = detail::stored_by<typename Args::Sink>;
    /// A row of a group. Even: every leaf is dense, and the columns go to consecutive places.
    struct Entry {
        Cursors cursors;
        U* to;
        int m;              ///< the row of the matrix, -1: none
        bool even;
    };
    static constexpr bool publishes = publishes_rows<typename Args::Sink>;
    static constexpr int chunks = n / (4 * columns), rows = 2 * Tile::atoms;        // of a lane
    /// Registers for evaluating, and for the work beside it, which is more where rows are published.
    static constexpr int busy =
        (publishes ? 32 : 0) +
        (((Tile::evaluates || Tile::accumulators > 96) && !detail::only_arithmetic<Cursors>) ||
                !detail::found_without_reading<typename Cursors::list>
             ? 96
             : 64);
    using Ahead = WgmmaEpiloguePrefetch<Cursors, chunks, rows, Tile::many - busy - Tile::accumulators>;
    static constexpr int table_bytes =
        Tile::m * groups * static_cast<int>(sizeof(Entry)) * (Tile::ping_pong ? Tile::groups : 1);

    __device__ static int first_column(const WgmmaWorkTile& t) { return pairs ? t.n0 / 2 : t.n0; }
    __device__ static int last_column(const Args& a) { return pairs ? a.n / 2 : a.n; }
    /// Group g of row `row` of a tile. Places outside the matrix clamp to its first row or column, so that reads need
    /// no branch. `columns`: leaves that no row moves are prefetched.
    __device__ static void place(const Args& a, const WgmmaWorkTile& t, int row, int g, bool columns, Entry& e) {
        const int m = wgmma_row<Tile>(a, t, row), begin = first_column(t) + g * group, end = last_column(a);
        const int column = begin < end ? begin : 0, n = (::min)(group, end - column);
        e.m = begin < end ? m : -1;
        e.even = false;
        if constexpr (!std::is_void_v<U>) {
            auto c = a.place(t.batch, (::max)(m, 0));
            c.back(0) += column;
            Cursors cursors;
            U* to;
            e.even = detail::place_columns<WgmmaEpilogue::columns>(a.epilogue, a.sink, c, n, cursors, to);
            if (e.m >= 0) Ahead::template prefetch<group>(cursors, n, columns);
            e.cursors = cursors;
            e.to = to;
        }
    }
    /// The chunk of a row that begins with the tile's column `column`, of even and uneven entries.
    __device__ static void generic_epilogue_slow(const Args& a, const WgmmaWorkTile& t, const Entry* row, int column,
                                         const detail::Sums<columns, pairs>& sums) {
        detail::generic_epilogue(a, t.batch, row[column / group].m, first_column(t) + column, last_column(a), sums);
    }

    /// Publishes the rows that a warp has stored, `rows` those of the tile from its first one on. A function: this is
    /// rare. Not of a lane, whose registers would go to memory for the call.
    __device__ INLAY_OUTLINE static void publish_warp(const Args& a, int batch, int n0, const Entry* rows) {
        publish_stored_rows(a, batch, RowPart::of(a, n0, Tile::n), 16 * Tile::atoms, lane_index(), warp_size,
                            [&](int i) { return rows[(i / 16 * 64 + i % 16) * groups].m; });
    }

    /// The rows of a lane, of which the sums are in registers: of each atom one from row `first_row` of the tile on,
    /// and that 8 further. `table`: of the tile. Not `whole`: other blocks have slices of these sums, and nothing is
    /// stored here.
    struct Lane {
        const Args& a;
        const WgmmaWorkTile& t;
        const Entry* const table;
        const int q;            ///< of four lanes that have a row
        const int first;        ///< the lane's first column
        const int limit;        ///< columns that are left, from that one on
        bool even;
        Ahead ahead;

        __device__ INLAY_INLINE Lane(const Args& args, const WgmmaWorkTile& tile, bool whole, int lane, int first_row,
                                     const Entry* entries)
            : a(args),
              t(tile),
              table(entries + (first_row + lane / 4) * groups),
              q(args.in_order || columns == 8 ? lane % 4 : lane % 2 * 2 + lane / 2 % 2),
              first(Columns::first(q)),
              limit(last_column(args) - first_column(tile) - first),
              even(whole) {
            if (!whole) return;
            INLAY_UNROLL
            for (int r = 0; r < rows; ++r)
                for (int g = 0; g < groups; ++g) even = even && row(r)[g].even;
            even = all_lanes(even);
            if (!even) return;
            const Cursors cursors = table->cursors;     // a member behind a pointer would be compared with null
            INLAY_UNROLL
            for (int b = 0; b < chunks; ++b)
                if (apart * b < limit) ahead.read_columns(cursors, b, first + apart * b);
        }
        /// Reads the operands of its first rows.
        __device__ INLAY_INLINE void read() {
            if (!even) return;
            INLAY_UNROLL
            for (int r = 0; r < Ahead::rows; ++r) read_row(r);
        }
        /// The epilogue of the rows, when the sums are there. `more`: added to each group of 16 columns if it is not
        /// null, of the lane's rows one after the other, 32 apart.
        __device__ INLAY_INLINE void run(const float (&c)[Tile::atoms][Tile::n / 2], const float4* more = nullptr) {
            if constexpr (!std::is_void_v<U>)
                if (even && a.in_order) {
                    // Twice in the code, so that tiles without `more` have fewer instructions between sums and stores.
                    // For few sums that saves less than the fetch of more code costs.
                    if constexpr (Tile::accumulators > 40)
                        if (more == nullptr) return run_evenly(c, nullptr);
                    return run_evenly(c, more);
                }
            run_parked(c, more);
            if constexpr (publishes) {
                warp_sync();
                publish_warp(a, t.batch, t.n0, table - lane_index() / 4 * groups);
            }
        }

    private:
        static constexpr int apart = Columns::apart;
        /// Chunks of one pass of the epilogue: a divisor of those of a row, up to 20 columns.
        static constexpr int most_at_once = chunks % 5 == 0 && columns == 4   ? 5
                                            : chunks % (16 / columns) == 0 ? 16 / columns
                                                                           : 1;

        __device__ INLAY_INLINE const Entry* row(int r) const { return table + (r / 2 * 64 + r % 2 * 8) * groups; }
        /// The lane's chunk b of a row: its group, and its place in it.
        __device__ INLAY_INLINE const Entry& entry(int r, int b) const {
            return row(r)[groups == 1 ? 0 : (first + apart * b) / group];
        }
        __device__ INLAY_INLINE int within(int b) const {
            return groups == 1 ? first + apart * b : (first + apart * b) % group;
        }
        /// The same if the matrix has the chunk, else a chunk of its group: it is read in any case. A conditional load
        /// would have to keep the old value in registers.
        __device__ INLAY_INLINE int readable(int b) const { return apart * b < limit ? within(b) : 0; }
        __device__ INLAY_INLINE void read_row(int r) {
            INLAY_UNROLL
            for (int b = 0; b < chunks; ++b)
                ahead.read_row(entry(r, b).cursors, r % Ahead::rows, b, readable(b));
        }
        template <class More>
        __device__ INLAY_INLINE void run_evenly(const float (&c)[Tile::atoms][Tile::n / 2], More more) {
            // Several chunks at once if something is read, so that loads overlap.
            constexpr int batch = !Ahead::late                                     ? 1
                                  : Tile::accumulators > 96 && Tile::evaluates ? 8 / columns
                                                                               : most_at_once;
            INLAY_UNROLL
            for (int r = 0; r < rows; ++r) {
                const Entry& whole = *row(r);
                U* const to = whole.to + first;
                const int end = groups > 1 || whole.m >= 0 ? limit : 0;
                LaneRowSums<U, publishes> row_sums;
                INLAY_UNROLL
                for (int b0 = 0; b0 < chunks; b0 += batch) {
                    Vec<float, columns> v[batch];
                    INLAY_UNROLL
                    for (int i = 0; i < batch; ++i) {
                        const int b = b0 + i;
                        const auto of_chunk = sums(c, more, r, b);
                        Cursors cursors;
                        if constexpr (Ahead::late) cursors = entry(r, b).cursors;
                        ahead.point(cursors, r % Ahead::rows, b, of_chunk.v, readable(b));
                        v[i] = cursors.eval(a.epilogue, detail::VectorReader<columns, U>{}, 0);
                    }
                    INLAY_UNROLL
                    for (int b = b0; b < b0 + batch; ++b) {
                        const Vec<float, columns>& chunk = v[b - b0];
                        row_sums.add(b, apart * b < limit, chunk);
                        if constexpr (groups == 1) {
                            store_vector_if<columns>(apart * b < end, to + apart * b, chunk);
                        } else {
                            const Entry& e = entry(r, b);
                            store_vector_if<columns>(apart * b < end && e.m >= 0, e.to + within(b), chunk);
                        }
                    }
                }
                if constexpr (publishes) row_sums.publish(a, t.batch, whole.m, RowPart::of(a, t.n0, Tile::n));
                if (r + Ahead::rows < rows) read_row(r + Ahead::rows);
            }
        }
        /// Rows that are uneven, or whose columns are not in order.
        __device__ INLAY_INLINE void run_parked(const float (&c)[Tile::atoms][Tile::n / 2], const float4* more) const {
            // Sums wait in memory: this takes the registers, and its code stands once.
            detail::Sums<columns, pairs> parked[rows * chunks];
            INLAY_UNROLL
            for (int i = 0; i < rows * chunks; ++i) parked[i] = sums(c, more, i / chunks, i % chunks);
            constexpr int batch = most_at_once;
#pragma unroll 1
            for (int i = 0; i < rows * chunks; i += batch) {
                const int r = i / chunks, b0 = i - r * chunks;
                if (apart * b0 >= last_column(a) - first_column(t)) continue;
                detail::Sums<columns, pairs> of_chunk[batch];
                INLAY_UNROLL
                for (int k = 0; k < batch; ++k) {
                    of_chunk[k] = parked[i + k];
                    if constexpr (!Columns::as_half_argument)
                        if (!a.in_order) trade(of_chunk[k]);
                }
                if constexpr (!std::is_void_v<U>)
                    if (even) {
                        run_batch(r, b0, of_chunk);
                        continue;
                    }
                INLAY_UNROLL
                for (int k = 0; k < batch; ++k) parked[i + k] = of_chunk[k];
#pragma unroll 1
                for (int k = 0; k < batch; ++k) generic_epilogue_slow(a, t, row(r), first + apart * (b0 + k), parked[i + k]);
            }
        }
        /// Chunks of an even row, from b0 on.
        template <int N>
        __device__ INLAY_INLINE void run_batch(int r, int b0, const detail::Sums<columns, pairs> (&of_chunk)[N]) const {
            Vec<float, columns> v[N];
            INLAY_UNROLL
            for (int k = 0; k < N; ++k) {
                Cursors cursors = entry(r, b0 + k).cursors;
                detail::ReadSums<columns> read{of_chunk[k].v};
                detail::each_leaf<0>(cursors, read);
                v[k] = cursors.eval(a.epilogue, detail::VectorReader<columns, U>{}, readable(b0 + k));
            }
            INLAY_UNROLL
            for (int k = 0; k < N; ++k)
                if (const Entry& e = entry(r, b0 + k); apart * (b0 + k) < limit && e.m >= 0)
                    store_vector<columns>(e.to + within(b0 + k), v[k]);
        }
    };

private:
    /// The lane's chunk i of its row r.
    using Accumulators = float[Tile::atoms][Tile::n / 2];
    template <class More>
    __device__ INLAY_INLINE static detail::Sums<columns, pairs> sums(const Accumulators& c, More more, int r, int i) {
        if constexpr (pairs) return {{chunk_of(c, more, r, 2 * i), chunk_of(c, more, r, 2 * i + 1)}};
        else return {{chunk_of(c, more, r, i)}};
    }
    template <class More>
    __device__ INLAY_INLINE static Vec<float, columns> chunk_of(const Accumulators& c, More more, int r, int i) {
        Vec<float, columns> v;
        if constexpr (Columns::as_half_argument) {
            INLAY_UNROLL
            for (int j = 0; j < columns; ++j) v.v[j] = c[r / 2][4 * (4 * i + j % 4) + r % 2 * 2 + j / 4];
        } else {
            constexpr int fours = columns / 4;
            INLAY_UNROLL
            for (int j = 0; j < fours; ++j) {
                const float* const first = c[r / 2] + 8 * (fours * i + j) + r % 2 * 2;
                float* const four = v.v + 4 * j;
                four[0] = first[0], four[1] = first[1], four[2] = first[4], four[3] = first[5];
                if constexpr (!std::is_null_pointer_v<More>)
                    if (more) {
                        const float4 x = more[(r * (Tile::n / 16) + fours * i + j) * 32];
                        four[0] += x.x, four[1] += x.y, four[2] += x.z, four[3] += x.w;
                    }
            }
        }
        return v;
    }
    /// If rows of W were not copied in order, a lane has a pair of each 8 columns: of four lanes each gets those of one
    /// of four eights; or two lanes each half of one of two, the first lane and the third one those of the first 8.
    __device__ INLAY_INLINE static void trade(detail::Sums<columns, pairs>& sums) {
        INLAY_UNROLL
        for (int bit = 1; bit < columns / 2; bit *= 2) {
            const bool upper = thread_index<unsigned>() & static_cast<unsigned>(bit);
            INLAY_UNROLL
            for (int g = 0; g < (pairs ? 2 : 1); ++g)
                INLAY_UNROLL
            for (int j = 0; j < columns; ++j) {
                if (j / 2 & bit) continue;
                float &first = sums.v[g].v[j], &second = sums.v[g].v[j + 2 * bit];
                const float got = shuffle_xor(upper ? first : second, bit);
                first = upper ? got : first, second = upper ? second : got;
            }
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
