// SPDX-License-Identifier: Apache-2.0
/// Attention epilogue of sm_90a: the four lanes that share rows trade columns until each has 8 in a row, on which
/// epilogue and sink run. Nothing goes through shared memory, and no warp waits for another one.
#pragma once

#include <inlay/tile/cuda/wgmma/attention/tile.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Lane q of four has columns 2·q and the next of four groups of 8; then all 8 of group q.
__device__ INLAY_INLINE Vec<float, 8> trade_groups(float2 (&x)[4], int q) {
    const auto trade = [](float2& mine, float2& other, bool upper, int with) {
        const float2 sent = upper ? mine : other;
        const float2 got{shuffle_xor(sent.x, with), shuffle_xor(sent.y, with)};
        if (upper) mine = got;
        else other = got;
    };
    trade(x[0], x[1], q & 1, 1);
    trade(x[2], x[3], q & 1, 1);
    trade(x[0], x[2], q & 2, 2);
    trade(x[1], x[3], q & 2, 2);
    Vec<float, 8> v;
    INLAY_UNROLL
    for (int i = 0; i < 4; ++i) v.v[2 * i] = x[i].x, v.v[2 * i + 1] = x[i].y;
    return v;
}

/// Of 8 columns each.
struct EveryGroup {
    __device__ INLAY_INLINE constexpr bool operator()(int) const { return true; }
};

/// A loop of its own: sums stay in registers, where lanes trade columns, and cross no shared memory. `o`: a warp's sums
/// of columns from `column` on, of which rows are to be multiplied by `by`; `place`: of the lane's rows;
/// `stores(g)`: true if group g of 8 columns is stored.
template <class Tile, class Args, class Place, class Stores = EveryGroup>
__device__ INLAY_INLINE void wgmma_attention_epilogue(const Args& a, const Place& place, int column, int lane,
                                                     const float (&o)[Tile::own / 2], const float (&by)[2],
                                                     const Stores& stores = {}) {
    // An item: 8 columns of the first row, or of the second.
    constexpr int groups = Tile::own / 8, items = 2 * groups;
    const int q = lane % 4;
    INLAY_UNROLL
    for (int first = 0; first < items; first += 4) {
        float2 x[4];
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const int item = first + i, h = item / groups, at = item < items ? item % groups * 4 + 2 * h : 0;
            x[i] = item < items ? float2{o[at] * by[h], o[at + 1] * by[h]} : float2{0.0f, 0.0f};
        }
        const Vec<float, 8> v = trade_groups(x, q);
        const int item = first + q, h = item >= groups;
        if (item >= items || !place.exists(a, h) || !stores(item - h * groups)) continue;
        const ScoreRow row = place.row(h);
        const Extents<4> c{{row.batch, row.head, row.query, column + (item - h * groups) * 8}};
        store_epilogue<8>(a.epilogue, a.sink, c, 8, &v);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
