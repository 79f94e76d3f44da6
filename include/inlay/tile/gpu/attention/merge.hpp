// SPDX-License-Identifier: Apache-2.0
/// Outputs of a block's warps, merged in a fixed order in shared memory, from the places of the atom's C.
#pragma once

#include <inlay/tile/gpu/attention/softmax_state.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// A run of neighbouring columns.
template <int Run>
using RunOf = std::conditional_t<Run == 2, float2, float4>;

/// A lane's columns of a row of the result, times `by`, to shared memory, where `add` onto what lies there.
template <class Atom>
__device__ INLAY_INLINE void put_columns(float* row, const float* from, float by, bool add) {
    constexpr int run = Atom::c_run;
    INLAY_UNROLL
    for (int i = 0; i < Atom::c_columns; i += run) {
        auto& to = *reinterpret_cast<RunOf<run>*>(row + result_place<Atom>(0, i).column);
        RunOf<run> x;
        if constexpr (run == 2) {
            x = make_float2(from[i] * by, from[i + 1] * by);
            if (add) x.x += to.x, x.y += to.y;
        } else {
            x = make_float4(from[i] * by, from[i + 1] * by, from[i + 2] * by, from[i + 3] * by);
            if (add) x.x += to.x, x.y += to.y, x.z += to.z, x.w += to.w;
        }
        to = x;
    }
}

/// Places in shared memory of what warps leave there: sums with V [vectors][rows][out_pitch], then maxima and scalar
/// sums [KeyWarps][rows] of each, of which the first are those of all, and numbers of passes before [rows] of each.
template <class Tile, class State, int KeyWarps, class Numbers>
struct MergedRows {
    static constexpr int rows = Tile::tile_rows, pitch = Tile::ValueRow::out_pitch;
    static constexpr int bytes =
        4 * rows * (State::vectors * pitch + (State::maxima + State::sums) * KeyWarps + Numbers::count);
    float* out;

    __device__ INLAY_INLINE float* vector(int v) const { return out + v * rows * pitch; }
    __device__ INLAY_INLINE float* most(int i) const { return vector(State::vectors) + i * KeyWarps * rows; }
    __device__ INLAY_INLINE float* sum(int i) const { return most(State::maxima + i); }
    __device__ INLAY_INLINE float* number(int i) const { return sum(State::sums) + i * rows; }
};

/// Unfinished outputs of all warps to shared memory; all threads of the block call it. `tile0`: the warp's first tile
/// of columns.
template <class Tile, int KeyWarps, class State, class Numbers, int MTiles, int OutTiles, class Places>
__device__ INLAY_INLINE void epilogue_warps(const MergedRows<Tile, State, KeyWarps, Numbers>& to,
                                            typename Tile::Atom::C (&o)[State::vectors][MTiles][OutTiles],
                                            State& state, float scale, int warp_row, int key_warp, int tile0,
                                            const Places& at) {
    using Atom = typename Tile::Atom;
    constexpr int rows = Tile::tile_rows;
    constexpr bool softmax = State::softmax, merges = KeyWarps > 1;
    const auto place = result_place<Atom>(lane_index(), 0);
    const bool writes = place.column == 0 && tile0 == 0;
    const auto each_row = [&](auto&& f) {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) f(m, h, warp_row + m * 16 + c_row<Atom>(h) + place.row);
    };
    const auto put_sums = [&] {
        each_row([&](int m, int h, int row) {
            INLAY_UNROLL
            for (int i = 0; i < State::sums; ++i) to.sum(i)[key_warp * rows + row] = state.row[m][h].sum[i];
        });
    };
    block_sync();  // the last reads of K and V are done
    if (writes) {
        each_row([&](int m, int h, int row) {
            INLAY_UNROLL
            for (int i = 0; i < State::maxima; ++i) to.most(i)[key_warp * rows + row] = state.row[m][h].most[i];
        });
        if constexpr (softmax || !merges) put_sums();
        if constexpr (Numbers::count > 0)
            each_row([&](int m, int h, int row) {
                INLAY_UNROLL
                for (int i = 0; i < Numbers::count; ++i) to.number(i)[row] = at.numbers.row[m][h].of[i];
            });
    }
    block_sync();
    const auto most_of = [&](int i, int row) {
        float x = to.most(i)[row];
        INLAY_UNROLL
        for (int k = 1; k < KeyWarps; ++k) x = fmaxf(x, to.most(i)[k * rows + row]);
        return x;
    };
    float by[MTiles][Atom::c_rows][online::detail::room_for<typename State::Recurrence::weights>];
    each_row([&](int m, int h, int row) {
        if constexpr (!merges) {
            for (float& x : by[m][h]) x = 1.0f;
        } else if constexpr (softmax) {
            by[m][h][0] = rebased(state.row[m][h].most[0], most_of(0, row), scale);
        } else {
            float most[online::detail::room_for<typename State::Recurrence::maxima>];
            for (float& x : most) x = -infinity;
            INLAY_UNROLL
            for (int i = 0; i < State::maxima; ++i) most[i] = most_of(i, row);
            state.row[m][h].advance(most, by[m][h], at.leaves(m, h));
        }
    });
    INLAY_UNROLL
    for (int k = 0; k < KeyWarps; ++k) {
        if (key_warp == k)
            each_row([&](int m, int h, int row) {
                INLAY_UNROLL
                for (int v = 0; v < State::vectors; ++v)
                    INLAY_UNROLL
                    for (int n = 0; n < OutTiles; ++n) {
                        constexpr int all = Tile::ValueRow::out_tiles;
                        if (all % OutTiles != 0 && tile0 + n >= all) break;
                        float* const at_row = to.vector(v) + row * to.pitch + (tile0 + n) * Atom::n + place.column;
                        put_columns<Atom>(at_row, o[v][m][n].r + h * Atom::c_columns, by[m][h][State::weight(v)],
                                          k > 0);
                    }
            });
        block_sync();
    }
    if constexpr (merges && softmax) {
        for (int row = thread_index(); row < rows; row += Tile::threads) {
            const float top = most_of(0, row);
            float total = 0.0f;
            INLAY_UNROLL
            for (int k = 0; k < KeyWarps; ++k)
                total += to.sum(0)[k * rows + row] * rebased(to.most(0)[k * rows + row], top, scale);
            to.most(0)[row] = top;
            to.sum(0)[row] = total;
        }
        block_sync();
    } else if constexpr (merges) {
        if (writes) put_sums();
        block_sync();
        for (int row = thread_index(); row < rows; row += Tile::threads) {
            INLAY_UNROLL
            for (int i = 0; i < State::maxima; ++i) to.most(i)[row] = most_of(i, row);
            INLAY_UNROLL
            for (int i = 0; i < State::sums; ++i) {
                INLAY_UNROLL
                for (int k = 1; k < KeyWarps; ++k) to.sum(i)[row] += to.sum(i)[k * rows + row];
            }
        }
        block_sync();
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
