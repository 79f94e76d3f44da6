// SPDX-License-Identifier: Apache-2.0
/// Finished sums through epilogue and sink, 4 columns of a row at a time. Where a row's columns lie in every tensor is
/// found before the sums are there, once for a group of columns, and kept in shared memory; what they will read is asked
/// for then. A lane has 4 in a row where rows of W were copied in that order; else lanes trade pairs. Four lanes have
/// 16 columns, whole sectors of memory.
#pragma once

#include <inlay/tile/cuda/hopper_product.hpp>
#include <inlay/tile/cuda/matmul_finish.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

/// Asks for what a row of a group reads.
template <int N>
struct Prefetch {
    int n;

    template <int, class T>
    __device__ INLAY_INLINE void leaf(row_cursor<T>& c) const {
        if constexpr (!std::is_void_v<std::remove_cv_t<T>> && sizeof(T) <= 4) {
            if (c.step != 1) return;
            const char* const p = reinterpret_cast<const char*>(c.p);
            const int bytes = n * static_cast<int>(sizeof(T));
            INLAY_UNROLL
            for (int i = 0; i < N * static_cast<int>(sizeof(T)); i += 128)
                if (i < bytes) prefetch_line(p + i);
        }
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};

}  // namespace detail

/// Of two pairs, columns 2·q and the next of the first and of the second 8 of 16, four columns of which the lanes have
/// all: lanes 0 and 2 of four those of the first 8, lanes 1 and 3 of the second.
__device__ INLAY_INLINE Vec<float, 4> trade_pairs(float2 first, float2 second, int q) {
    const bool odd = q & 1;
    const float2 mine = odd ? second : first, other = odd ? first : second;
    const float2 got{__shfl_xor_sync(~0u, other.x, 1), __shfl_xor_sync(~0u, other.y, 1)};
    const float2 left = odd ? got : mine, right = odd ? mine : got;
    Vec<float, 4> v;
    v.v[0] = left.x, v.v[1] = left.y, v.v[2] = right.x, v.v[3] = right.y;
    return v;
}

template <class Tile, class Args>
struct HopperFinish {
    static constexpr int columns = 4;       // of a chunk, which a lane has
    static constexpr bool cut = inlay::detail::cuts_rows<typename Args::Sink::sink>;
    static constexpr bool pairs = gated<typename Args::Epilogue::expression>;
    static constexpr int n = pairs ? Tile::n / 2 : Tile::n;     // of the result
    /// Columns of a group: heads of 40, 80 and 160 are whole groups of the tiles that are multiples of them.
    static constexpr int group = !cut ? n : n % hopper_head == 0 ? hopper_head : 8;
    static constexpr int groups = n / group;
    using Epilogue = typename Args::Epilogue;
    using Cursors = CursorsOf<typename Epilogue::expression, Epilogue, Vec<float, columns>>;
    using U = typename detail::one_storage<std::remove_cvref_t<decltype(std::declval<const Args&>().sink.outs)>>::type;
    /// A row of a group. Even: every leaf is dense, and the columns go to consecutive places.
    struct Entry {
        Cursors cursors;
        U* to;
        int m;              ///< the row of the matrix, -1: none
        bool even;
    };
    static constexpr int table_bytes =
        Tile::m * groups * static_cast<int>(sizeof(Entry)) * (Tile::alternate ? Tile::groups : 1);

    __device__ static int first_column(const HopperTask& t) { return pairs ? t.n0 / 2 : t.n0; }
    __device__ static int last_column(const Args& a) { return pairs ? a.n / 2 : a.n; }
    /// Group g of row `row` of a tile. What lies outside the matrix is placed where its first row or column is, so that
    /// who reads it need not branch.
    __device__ static void place(const Args& a, const HopperTask& t, int row, int g, Entry& e) {
        const int m = hopper_row<Tile>(a, t, row), begin = first_column(t) + g * group, end = last_column(a);
        const int column = begin < end ? begin : 0, n = ::min(group, end - column);
        e.m = begin < end ? m : -1;
        e.even = false;
        if constexpr (!std::is_void_v<U>) {
            auto c = a.place(t.batch, ::max(m, 0));
            c.back(0) += column;
            Cursors cursors;
            U* to;
            e.even = detail::place_columns<columns>(a.epilogue, a.sink, c, n, cursors, to);
            detail::Prefetch<group> prefetch{n};
            if (e.m >= 0) detail::each_leaf<0>(cursors, prefetch);
            e.cursors = cursors;
            e.to = to;
        }
    }
    /// Chunk `chunk` of a row, whose entry is even.
    __device__ INLAY_INLINE static Vec<float, columns> finish(const Args& a, Cursors cursors, int chunk,
                                                              const detail::Sums<columns, pairs>& sums) {
        detail::ReadSums<columns> read{sums.v};
        detail::each_leaf<0>(cursors, read);
        return cursors.eval(a.epilogue, detail::VectorReader<columns>{}, chunk * columns % group);
    }
    __device__ INLAY_INLINE static void store(const Entry& e, int chunk, const Vec<float, columns>& v) {
        if constexpr (!std::is_void_v<U>) store_vector<columns>(e.to + chunk * columns % group, v);
    }
    /// The same without an assumption.
    __device__ static void finish_slowly(const Args& a, const HopperTask& t, const Entry* row, int chunk,
                                         const detail::Sums<columns, pairs>& sums) {
        const int m = row[chunk * columns / group].m, column = first_column(t) + chunk * columns,
                  n = ::min(columns, last_column(a) - column);
        if (m < 0 || n <= 0) return;
        auto c = a.place(t.batch, m);
        c.back(0) += column;
        write_chunk<columns>(a.sink, c, n, read_chunk<columns>(a.epilogue, c, n, sums.v));
    }

    /// The rows of a warp, of which the sums are in registers: those of each atom from `first_row` on. `table`: of the
    /// tile.
    template <class Product>
    __device__ static void run(const Args& a, const HopperTask& t, const Product& p, int first_row,
                               const Entry* table) {
        constexpr int chunks = n / 16, rows = 2 * Product::atoms;     // of a lane
        const int q = a.in_order ? p.lane % 4 : p.lane % 2 * 2 + p.lane / 2 % 2, row = first_row + p.lane / 4;
        bool even = true;
        INLAY_UNROLL
        for (int r = 0; r < rows; ++r)
            for (int g = 0; g < groups; ++g) {
                const Entry& e = table[(row + r / 2 * 64 + r % 2 * 8) * groups + g];
                even = even && e.even;
            }
        if (__all_sync(~0u, even)) {
            INLAY_UNROLL
            for (int r = 0; r < rows; ++r) {
                const Entry* const entries = table + (row + r / 2 * 64 + r % 2 * 8) * groups;
                const Entry whole = entries[0];
                // Several chunks at once, so that their loads overlap.
                constexpr int batch = Tile::accumulators > 96 ? (Tile::evaluates ? 2 : 4) : chunks < 10 ? chunks : 10;
                static_assert(chunks % batch == 0);
                INLAY_UNROLL
                for (int b0 = 0; b0 < chunks; b0 += batch) {
                    Vec<float, columns> v[batch];
                    INLAY_UNROLL
                    for (int b = 0; b < batch; ++b) {
                        const int chunk = (b0 + b) * 4 + q, at = first_column(t) + chunk * columns < last_column(a) ? chunk : 0;
                        const auto of_chunk = sums(a, p.c[r / 2], r % 2, b0 + b);
                        if constexpr (groups == 1) v[b] = finish(a, whole.cursors, at, of_chunk);
                        else v[b] = finish(a, entries[at * columns / group].cursors, at, of_chunk);
                    }
                    INLAY_UNROLL
                    for (int b = 0; b < batch; ++b) {
                        const int chunk = (b0 + b) * 4 + q;
                        if (first_column(t) + chunk * columns >= last_column(a)) continue;
                        if constexpr (groups == 1) {
                            if (whole.m >= 0) store(whole, chunk, v[b]);
                        } else if (const Entry& e = entries[chunk * columns / group]; e.m >= 0) {
                            store(e, chunk, v[b]);
                        }
                    }
                }
            }
        } else {
            // Sums that wait for their turn wait in memory: this takes the registers.
            detail::Sums<columns, pairs> parked[rows * chunks];
            INLAY_UNROLL
            for (int i = 0; i < rows * chunks; ++i)
                parked[i] = sums(a, p.c[i / chunks / 2], i / chunks % 2, i % chunks);
#pragma unroll 1
            for (int i = 0; i < rows * chunks; ++i) {
                const int r = i / chunks, b = i - r * chunks;
                finish_slowly(a, t, table + (row + r / 2 * 64 + r % 2 * 8) * groups, b * 4 + q, parked[i]);
            }
        }
    }

private:
    /// The lane's chunk of 16 columns of the upper or the lower of its rows of an atom.
    __device__ INLAY_INLINE static detail::Sums<columns, pairs> sums(const Args& a, const float (&c)[Tile::n / 2],
                                                                     int lower, int i) {
        if constexpr (pairs) return {{group_of_16(a, c, lower, 2 * i), group_of_16(a, c, lower, 2 * i + 1)}};
        else return {{group_of_16(a, c, lower, i)}};
    }
    __device__ INLAY_INLINE static Vec<float, columns> group_of_16(const Args& a, const float (&c)[Tile::n / 2],
                                                                   int lower, int i) {
        const float2 first{c[8 * i + 2 * lower], c[8 * i + 2 * lower + 1]},
            second{c[8 * i + 4 + 2 * lower], c[8 * i + 5 + 2 * lower]};
        if (!a.in_order) return trade_pairs(first, second, static_cast<int>(threadIdx.x) % 4);
        Vec<float, columns> v;
        v.v[0] = first.x, v.v[1] = first.y, v.v[2] = second.x, v.v[3] = second.y;
        return v;
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
