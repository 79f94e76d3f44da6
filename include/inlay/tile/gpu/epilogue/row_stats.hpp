// SPDX-License-Identifier: Apache-2.0
/// Statistics of the rows of a tile, for a `WithRowStats` sink: a part of each row's record. Where the sums of a row
/// are in the registers of four lanes, these take its moments as they store it (`LaneRowSums`). Otherwise lanes read
/// the tile back that their block has just stored, which is in the cache, eight lanes a row.
#pragma once

#include <inlay/expr/row_record.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/tile/gpu/block/moments.hpp>
#include <inlay/tile/gpu/chunk/vector.hpp>
#include <inlay/tile/gpu/epilogue/generic.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class Sink>
inline constexpr bool publishes_rows = inlay::detail::is_row_stats<typename Sink::sink>;

/// True if the tiles of a product publish its rows: records have room for a part of each, and tiles side by side have
/// whole rows, which those of a group of channels have not. Else a pass over the output publishes one part.
template <class Args>
INLAY_FN bool publishes_in_tiles(const Args& a) {
    using S = typename Args::Sink::sink;
    const index_t columns = gated<typename Args::Epilogue::expression> ? a.n / 2 : a.n;
    return a.n_tiles <= row_record_parts(get<S::slot>(a.sink.outs).extents.back(0)) &&
           columns == get<inlay::detail::row_stats_source<S>>(a.sink.outs).extents.back(0);
}

/// Columns of a row that one tile has.
struct RowPart {
    int number, first, width, columns;      ///< width: of every part but the last; columns: of the whole row

    template <class Args>
    __device__ static RowPart of(const Args& a, int n0, int tile_n) {
        const int width = detail::columns_of<Args>(tile_n);
        return {n0 / tile_n, detail::columns_of<Args>(n0), width, detail::columns_of<Args>(a.n)};
    }
    __device__ INLAY_INLINE int own() const { return (::min)(width, columns - first); }
};

/// Writes a part of the record of the row at coordinate c; the first part's lane also writes what the record begins
/// with.
template <class Sink, int R>
__device__ INLAY_INLINE void write_row_part(const Sink& sink, Extents<R> c, const RowPart& part, const MeanM2& m) {
    const auto& records = get<Sink::sink::slot>(sink.outs);
    c.back(0) = 0;
    float* const to = &records(c);
    const index_t step = records.strides.back(0);
    if (part.number == 0) {
        to[0] = static_cast<float>(part.width);
        to[step] = static_cast<float>(part.columns);
    }
    to[(2 + 2 * part.number) * step] = m.mean;
    to[(3 + 2 * part.number) * step] = m.m2;
}

namespace detail {

inline constexpr int lanes_of_row = 8;

/// The moments of n columns from p on, in each of `lanes_of_row` neighbouring lanes that call it together; of no
/// columns, nothing is read.
template <class T>
__device__ INLAY_INLINE MeanM2 stored_moments(const T* p, index_t step, int n) {
    constexpr int chunk = 8;
    ShiftedSums s{n > 0 ? to_float(*p) : 0.0f};
    for (int j = lane_index() % lanes_of_row * chunk; j < n; j += lanes_of_row * chunk) {
        const int some = (::min)(chunk, n - j);
        const Vec<float, chunk> x = load_lanes<chunk>(p + j * step, step, 0, some);
        INLAY_UNROLL
        for (int i = 0; i < chunk; ++i) {
            const float d = i < some ? x.v[i] - s.k : 0.0f;
            s.sum += d;
            s.squares += d * d;
        }
    }
    INLAY_UNROLL
    for (int by = lanes_of_row / 2; by > 0; by /= 2) {
        s.sum += shuffle_xor(s.sum, by);
        s.squares += shuffle_xor(s.squares, by);
    }
    return s.moments(fmaxf(static_cast<float>(n), 1.0f));
}

}  // namespace detail

/// Publishes a part of `rows` rows that the calling warps have stored; a barrier among them stands before. `thread`:
/// among `threads`, whole warps. `row_of(i)`: the row of the matrix, -1 for none.
template <class Args, class RowOf>
__device__ void publish_stored_rows(const Args& a, int batch, const RowPart& part, int rows, int thread, int threads,
                                    const RowOf& row_of) {
    constexpr int lanes = detail::lanes_of_row;
    const auto& y = get<inlay::detail::row_stats_source<typename Args::Sink::sink>>(a.sink.outs);
    if (!publishes_in_tiles(a)) return;
    for (int begin = 0; begin < rows; begin += threads / lanes) {
        const int i = begin + thread / lanes, m = i < rows ? row_of(i) : -1;
        auto c = a.place(batch, (::max)(m, 0));
        c.back(0) += part.first;
        const MeanM2 moments = detail::stored_moments(&y(c), y.strides.back(0), m >= 0 ? part.own() : 0);
        if (m >= 0 && thread % lanes == 0) write_row_part(a.sink, c, part, moments);
    }
}

/// Sums of a row over four neighbouring lanes, about the first value of the first of them. U: the type in which the
/// row is stored, whose values count.
template <class U, bool Publishes>
struct LaneRowSums {
    template <int N>
    __device__ INLAY_INLINE void add(int, bool, const Vec<float, N>&) {}
    template <class Args>
    __device__ INLAY_INLINE void publish(const Args&, int, int, const RowPart&) const {}
};
template <class U>
struct LaneRowSums<U, true> {
    ShiftedSums s{0.0f};

    /// Chunk b of the row, the first one before the others; `there`: the matrix has it.
    template <int N>
    __device__ INLAY_INLINE void add(int b, bool there, const Vec<float, N>& chunk) {
        Vec<float, N> x;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) x.v[i] = to_float(from_float<U>(chunk.v[i]));
        if (b == 0) s.k = shuffle(x.v[0], lane_index() / 4 * 4);
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) {
            const float d = there ? x.v[i] - s.k : 0.0f;
            s.sum += d;
            s.squares += d * d;
        }
    }
    /// Of row m, -1 for none.
    template <class Args>
    __device__ INLAY_INLINE void publish(const Args& a, int batch, int m, const RowPart& part) const {
        ShiftedSums all = s;
        INLAY_UNROLL
        for (int by = 1; by < 4; by *= 2) {
            all.sum += shuffle_xor(all.sum, by);
            all.squares += shuffle_xor(all.squares, by);
        }
        if (m < 0 || lane_index() % 4 != 0 || !publishes_in_tiles(a)) return;
        write_row_part(a.sink, a.place(batch, m), part, all.moments(static_cast<float>(part.own())));
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
