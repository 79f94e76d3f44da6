// SPDX-License-Identifier: Apache-2.0
/// Attention epilogue: rows of blocks that shared the keys are merged in a fixed order and finished, and pass through
/// epilogue and sink in chunks of eight columns. The last block to arrive merges a tile.
#pragma once

#include <inlay/plan/attention/schedules.hpp>
#include <inlay/tile/gpu/attention/merge.hpp>
#include <inlay/tile/gpu/attention/work_tile.hpp>
#include <inlay/tile/gpu/block/arrival.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Parts that a block leaves in memory for the one that merges its tile, in floats: sums with V
/// [vectors][rows][columns], maxima and scalar sums [rows] of each.
template <class Tile, class Reductions>
struct Partial {
    static constexpr int rows = Tile::rows, columns = Tile::ValueRow::columns;
    static constexpr index_t floats =
        rows * (Reductions::vectors * columns + Reductions::maxima + Reductions::sums);
    static constexpr int most = Reductions::vectors * rows * columns;
    static constexpr int sum = most + Reductions::maxima * rows;
};

/// Leaves the block's share in memory; true for the last block of the tile, to which all shares are visible.
template <class Tile, class State, int KeyWarps, class Numbers, class Work>
__device__ INLAY_INLINE bool leave_part(const MergedRows<Tile, State, KeyWarps, Numbers>& from, const Work& work_tile,
                                        const GridShape& w) {
    using Part = Partial<Tile, State>;
    const int t = thread_index();
    float* const to = w.partial + (static_cast<index_t>(work_tile.tile) * w.splits + work_tile.split) * Part::floats;
    constexpr int quads = Part::columns / 4;
    INLAY_UNROLL
    for (int v = 0; v < State::vectors; ++v)
        for (int i = t; i < Tile::rows * quads; i += Tile::threads)
            reinterpret_cast<float4*>(to + v * Tile::rows * Part::columns)[i] =
                *reinterpret_cast<const float4*>(from.vector(v) + i / quads * from.pitch + i % quads * 4);
    for (int row = t; row < Tile::rows; row += Tile::threads) {
        INLAY_UNROLL
        for (int i = 0; i < State::maxima; ++i) to[Part::most + i * Tile::rows + row] = from.most(i)[row];
        INLAY_UNROLL
        for (int i = 0; i < State::sums; ++i) to[Part::sum + i * Tile::rows + row] = from.sum(i)[row];
    }
    return last_of(w.arrived + work_tile.tile, w.splits, *reinterpret_cast<bool*>(from.out));
}

/// Eight columns of the sums with V of a row, and its maxima and scalar sums.
template <class State>
struct RowColumns {
    Vec<float, 8> v[State::vectors];
    typename State::Row row;
};

__device__ INLAY_INLINE void add_columns(Vec<float, 8>& v, const float4 (&x)[2], float by) {
    INLAY_UNROLL
    for (int i = 0; i < 2; ++i)
        v.v[4 * i] += x[i].x * by, v.v[4 * i + 1] += x[i].y * by, v.v[4 * i + 2] += x[i].z * by,
            v.v[4 * i + 3] += x[i].w * by;
}
__device__ INLAY_INLINE void add_part(Vec<float, 8>& v, const float* part, float by) {
    const float4* const from = reinterpret_cast<const float4*>(part);
    const float4 x[2] = {load_l2(from), load_l2(from + 1)};
    add_columns(v, x, by);
}

/// Merges the shares of all blocks of a tile, in their order. `at`: leaves of the row.
template <class Tile, class State, class Work, class At>
__device__ INLAY_INLINE RowColumns<State> merged(const Work& work_tile, const GridShape& w, int row, int column,
                                                 const At& at) {
    using Part = Partial<Tile, State>;
    const float* const parts = w.partial + static_cast<index_t>(work_tile.tile) * w.splits * Part::floats;
    RowColumns<State> r;
    INLAY_UNROLL
    for (int v = 0; v < State::vectors; ++v) r.v[v] = 0.0f;
    if constexpr (State::softmax) {
        // Many shares are under way at once: one after the other each would wait for the second-level cache.
        constexpr int at_once = shares_at_once;
        float top = -infinity, total = 0.0f;
#pragma unroll 1
        for (int first = 0; first < w.splits; first += at_once) {
            float most[at_once], sum[at_once];
            float4 x[at_once][2];
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const float* const part = parts + (first + i) * Part::floats;
                const bool there = first + i < w.splits;
                most[i] = there ? load_l2(part + Part::most + row) : -infinity;
                sum[i] = there ? load_l2(part + Part::sum + row) : 0.0f;
                INLAY_UNROLL
                for (int h = 0; h < 2; ++h) {
                    const float* const at_columns = part + row * Part::columns + column + 4 * h;
                    x[i][h] = there ? load_l2(reinterpret_cast<const float4*>(at_columns)) : float4{};
                }
            }
            float to = top;
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i) to = fmaxf(to, most[i]);
            const float by_before = rebased(top, to, w.scale);
            r.v[0] *= by_before, total *= by_before, top = to;
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const float by = rebased(most[i], to, w.scale);
                total += sum[i] * by;
                add_columns(r.v[0], x[i], by);
            }
        }
        r.row.most[0] = top;
        r.row.sum[0] = total;
    } else {
        for (int s = 0; s < w.splits; ++s) {
            const float* const part = parts + s * Part::floats;
            typename State::Row other;
            INLAY_UNROLL
            for (int i = 0; i < State::maxima; ++i)
                other.most[i] = load_l2(part + Part::most + i * Tile::rows + row);
            INLAY_UNROLL
            for (int i = 0; i < State::sums; ++i) other.sum[i] = load_l2(part + Part::sum + i * Tile::rows + row);
            constexpr int weights = online::detail::room_for<typename State::Recurrence::weights>;
            float by[weights], by_other[weights];
            r.row.combine(other, by, by_other, at);
            INLAY_UNROLL
            for (int v = 0; v < State::vectors; ++v) {
                r.v[v] *= by[State::weight(v)];
                add_part(r.v[v], part + (v * Tile::rows + row) * Part::columns + column,
                         by_other[State::weight(v)]);
            }
        }
    }
    return r;
}

/// Brings sums of powers that are relative to a maximum in registers to the number that their expression has.
template <class Algebra, class State, class At>
__device__ INLAY_INLINE void make_relative(RowColumns<State>& r, const At& at) {
    using M = typename PowerOfRow<Algebra>::relative;
    if constexpr (Algebra::scales_out) r.row.most[0] *= static_cast<float>(Algebra::scale);
    if constexpr (!std::is_same_v<M, KeyMax<Score>>) {
        const float most = r.row.most[0];
        using Leaves = online::detail::State<typename State::Recurrence, float, At>;
        const float to = online::evaluate<M, float>(Leaves{r.row.most, r.row.most, r.row.sum, nullptr, at});
        constexpr auto log2_base = static_cast<float>(PowerOfRow<Algebra>::log2_base);
        const float by = most == -infinity ? 0.0f : exp2_approximate((most - to) * log2_base);
        r.row.sum[0] *= by;
        r.v[0] *= by;
    }
}

/// The result of a row at eight columns, which takes the place of its first sum with V.
template <class Algebra, class State, class At>
__device__ INLAY_INLINE void finish_row(RowColumns<State>& r, const At& at) {
    if constexpr (Algebra::softmax) {
        const float total = r.row.sum[0];
        r.v[0] *= total == 0.0f ? 0.0f : 1.0f / total;  // no key at all: 0
    } else {
        INLAY_UNROLL
        for (int i = 0; i < 8; ++i) {
            float vector[State::vectors];
            INLAY_UNROLL
            for (int v = 0; v < State::vectors; ++v) vector[v] = r.v[v].v[i];
            r.v[0].v[i] = r.row.template output<0>(vector, at);
        }
    }
}

/// The number of a row to its output, [batch, heads, queries].
template <class Algebra, class Row, class Outs, class At>
__device__ INLAY_INLINE void store_number(const Row& row, const Outs& outs, const Extents<4>& c, const At& at) {
    const auto& to = get<Algebra::number::row_slot>(outs);
    using T = std::remove_cvref_t<decltype(*to.data)>;
    to.data[c[0] * to.strides[0] + c[1] * to.strides[1] + c[2] * to.strides[2]] =
        to_storage<T>(row.template output<1>(nullptr, at));
}

/// A loop of its own, which merges splits and finishes rows. The rows of a block's warps through epilogue and sink.
template <class Tile, class Algebra, class State, int KeyWarps, class Numbers, class Work, class Args>
__device__ INLAY_INLINE void epilogue_block(const MergedRows<Tile, State, KeyWarps, Numbers>& from,
                                            const Work& work_tile, const Args& a) {
    const bool split = a.grid.splits > 1;
    if (split && !leave_part(from, work_tile, a.grid)) return;
    const QueryRows queries = work_tile.query_rows();
    constexpr int eights = Tile::ValueRow::columns / 8, d = Tile::ValueRow::d;
#pragma unroll 1
    for (int i = thread_index(); i < Tile::rows * eights; i += Tile::threads) {
        const int row = i / eights, column = i % eights * 8;
        Extents<4> c;
        if (!queries.at(row, c)) break;
        c[3] = column;
        RowLeaves<std::remove_cvref_t<decltype(a.env)>, Numbers> leaves{a.env, {c[0], c[1], c[2]}, {}, 0.0f};
        if constexpr (Numbers::count > 0) {
            INLAY_UNROLL
            for (int k = 0; k < Numbers::count; ++k) leaves.numbers.of[k] = from.number(k)[row];
        }
        RowColumns<State> r;
        if (split) {
            r = merged<Tile, State>(work_tile, a.grid, row, column, leaves);
        } else {
            INLAY_UNROLL
            for (int v = 0; v < State::vectors; ++v)
                r.v[v] = load_vector<8>(from.vector(v) + row * from.pitch + column);
            INLAY_UNROLL
            for (int k = 0; k < State::maxima; ++k) r.row.most[k] = from.most(k)[row];
            INLAY_UNROLL
            for (int k = 0; k < State::sums; ++k) r.row.sum[k] = from.sum(k)[row];
        }
        if constexpr (State::softmax && !(Algebra::softmax && !Algebra::stores_number)) make_relative<Algebra>(r, leaves);
        if constexpr (Algebra::stores_number)
            if (column == 0) store_number<Algebra>(r.row, a.sink.outs, c, leaves);
        finish_row<Algebra>(r, leaves);
        const int n = d - column < 8 ? d - column : 8;
        store_epilogue<8>(a.epilogue, a.sink, c, n, r.v);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
