// SPDX-License-Identifier: Apache-2.0
/// The online softmax where scores are exponents of 2 and the product has already made them relative: a row of Q has
/// three columns more than are copied, of which K has constants, and they bring the maximum that is subtracted. A
/// probability is then one special function of its score, without an operation before it.
#pragma once

#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/wgmma/attention/softmax.hpp>
#include <inlay/tile/cuda/wgmma/attention/tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The value that three columns of T bring to a product: `high` and `low` have the elements of a row of Q, and those of
/// K are `unit`, 1 and 1. That is a number of 24 bits, up to 2²⁶, or the nearest multiple of 2⁻²⁴ in fp16: the greatest
/// score becomes 0, and its probability the 1 that no type rounds.
template <class T>
struct FoldedShift {
    static constexpr float unit = 2048.0f, most = 67108864.0f;
    std::uint32_t high, low;
    float shift;            ///< the value they subtract

    __device__ INLAY_INLINE explicit FoldedShift(float wanted) {
        const float x = fabsf(wanted) <= most ? -wanted : 0.0f, first = rounded(x / unit), rest = x - first * unit,
                    second = rounded(rest), third = rounded(rest - second);
        high = rounded_pair<T>(first, second);
        low = rounded_pair<T>(third, 0.0f);
        shift = -(first * unit + (second + third));
    }
    /// The elements of K.
    __device__ INLAY_INLINE static uint4 constants() {
        return {rounded_pair<T>(unit, 1.0f), rounded_pair<T>(1.0f, 0.0f), 0, 0};
    }

private:
    __device__ INLAY_INLINE static float rounded(float x) {
        const std::uint16_t bits = rounded_bits<T>(x);
        if constexpr (std::is_same_v<T, fp16>) return half_to_float(bits);
        else return float_of_bits(static_cast<std::uint32_t>(bits) << 16);
    }
};

/// The 16 bytes behind the copied columns of row r of a tile, whose rows are of 128 bytes.
template <class Tile>
__device__ INLAY_INLINE std::uint32_t folded_columns(std::uint32_t tile, int r) {
    return tile + static_cast<std::uint32_t>(r * Tile::row_bytes + (Tile::d / 8 ^ r % 8) * 16);
}
/// Called by all threads of a block before the first product: zeros behind Q, constants behind K in every stage. No
/// copy writes there.
template <class Tile>
__device__ INLAY_INLINE void fold_constants(const WgmmaAttentionShared<Tile>& shared) {
#pragma unroll 1
    for (int i = thread_index(); i < Tile::rows + Tile::stages * Tile::keys; i += Tile::threads) {
        const int key = i - Tile::rows, stage = key / Tile::keys;
        const bool q = key < 0;
        store_shared(q ? folded_columns<Tile>(shared.q, i) : folded_columns<Tile>(shared.k(stage), key % Tile::keys),
                     q ? uint4{0, 0, 0, 0} : FoldedShift<typename Tile::T>::constants());
    }
    fence_shared_for_engines();
}

/// `columns`: those of the lane's first row of Q.
template <class T, int Keys>
struct WgmmaFoldedSoftmax : WgmmaSoftmax<Keys> {
    /// The probabilities of the first block of keys, as the first operand of the next product.
    template <int N>
    __device__ INLAY_INLINE void begin(const float (&s)[Keys / 2], std::uint32_t columns,
                                       std::uint32_t (&p)[Keys / 16][4], float (&o)[N]) {
        rebase(s, columns, p, this->sum, o);
    }
    /// Those of a further block. Maxima are not searched first: if sums show that a score exceeds its maximum by much,
    /// or while the product cannot subtract that, they are computed again, and the columns of Q written anew.
    template <int N>
    __device__ INLAY_INLINE void add(const float (&s)[Keys / 2], std::uint32_t columns,
                                     std::uint32_t (&p)[Keys / 16][4], float (&o)[N]) {
        float more[2];
        WgmmaSoftmax<Keys>::template exponentials<T>(p, more, [&](int i, int) { return s[i]; });
        if (any_lane(!(more[0] < enough_ && more[1] < enough_))) rebase(s, columns, p, more, o);
        this->sum[0] += more[0];
        this->sum[1] += more[1];
    }

private:
    static constexpr float most = WgmmaSoftmax<Keys>::most, none = -1.0f;
    /// Sums from here on are inspected: any of them while the product subtracts nothing, at the start, or because the
    /// maximum of some row is too great for the columns, or there is none yet.
    float enough_ = none;

    /// Makes exponents relative to the greatest scores of the rows, brings sums and output to that, and computes the
    /// probabilities of this block.
    template <int N>
    __device__ INLAY_INLINE void rebase(const float (&s)[Keys / 2], std::uint32_t columns,
                                        std::uint32_t (&p)[Keys / 16][4], float (&more)[2], float (&o)[N]) {
        float from[2], to[2];
        bool fits = true;
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            from[h] = enough_ == none ? 0.0f : this->shift[h];
            to[h] = fmaxf(this->top_of(s, h) + from[h], this->shift[h]);
            fits = fits && fabsf(FoldedShift<T>(to[h]).shift - to[h]) <= 1.0f;
        }
        const bool fold = all_lanes(fits);
        enough_ = fold ? most : none;
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            const FoldedShift<T> folded(to[h]);
            if (fold) to[h] = folded.shift;
            if (thread_index<unsigned>() % 4 == 0) {
                store_shared(columns + 1024 * h, fold ? folded.high : 0u);
                store_shared(columns + 1024 * h + 4, fold ? folded.low : 0u);
            }
            from[h] -= to[h];
        }
        fence_shared_for_engines();
        warp_sync();
        this->move_to(to, o);
        WgmmaSoftmax<Keys>::template exponentials<T>(p, more, [&](int i, int h) { return s[i] + from[h]; });
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
