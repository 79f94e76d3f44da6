// SPDX-License-Identifier: Apache-2.0
/// Two blocks of a cluster that have the same queries of an attention and half of the keys each: a warpgroup of one
/// sends its output to that of the other that has the same columns.
#pragma once

#include <inlay/tile/cuda/isa/cluster.hpp>
#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/wgmma/attention/softmax.hpp>
#include <inlay/tile/cuda/wgmma/attention/tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The place of a thread's word i: over keys and values, whose last reads are done.
template <class Tile>
__device__ INLAY_INLINE std::uint32_t wgmma_attention_sent(const WgmmaAttentionShared<Tile>& shared, int i) {
    return shared.k(0) + (i * 128 + thread_index() % 128) * 8;
}

/// Sends to block `rank`. Sums are those of the lanes that share a row.
template <class Tile, class Softmax, int N>
__device__ INLAY_INLINE void wgmma_attention_send(const WgmmaAttentionShared<Tile>& shared, int rank,
                                                   const Softmax& softmax, const float (&o)[N]) {
    const auto word = [&](int i, float x, float y) {
        send_to_block(wgmma_attention_sent(shared, i), std::uint64_t(float_bits(y)) << 32 | float_bits(x),
                      shared.sent(), static_cast<std::uint32_t>(rank));
    };
    word(0, softmax.shift[0], softmax.shift[1]);
    word(1, softmax.sum[0], softmax.sum[1]);
    INLAY_UNROLL
    for (int i = 0; i < N; i += 2) word(2 + i / 2, o[i], o[i + 1]);
}

/// Adds the other half's to this one's.
template <class Tile, class Softmax, int N>
__device__ INLAY_INLINE void wgmma_attention_receive(const WgmmaAttentionShared<Tile>& shared, Softmax& softmax,
                                                      float (&o)[N]) {
    const auto word = [&](int i) {
        const std::uint32_t at = wgmma_attention_sent(shared, i);
        return float2{float_of_bits(load_shared(at)), float_of_bits(load_shared(at + 4))};
    };
    barrier_wait(shared.sent(), 0);
    const float2 shift = word(0), sum = word(1);
    float mine[2], theirs[2];
    softmax.join(0, shift.x, sum.x, mine[0], theirs[0]);
    softmax.join(1, shift.y, sum.y, mine[1], theirs[1]);
    INLAY_UNROLL
    for (int i = 0; i < N; i += 2) {
        const int h = i / 2 % 2;
        const float2 x = word(2 + i / 2);
        o[i] = fmaf(o[i], mine[h], x.x * theirs[h]);
        o[i + 1] = fmaf(o[i + 1], mine[h], x.y * theirs[h]);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
