// SPDX-License-Identifier: Apache-2.0
/// The online softmax (Milakov and Gimelshein 2018) of a warp's 16 rows of scores, in the registers that a product of
/// warpgroups leaves (`ptx/wgmma.hpp`): a lane has a share of row lane / 4 and of the row 8 further.
#pragma once

#include <inlay/tile/cuda/attention_job.hpp>
#include <inlay/tile/cuda/ptx/convert.hpp>
#include <inlay/tile/cuda/ptx/wgmma.hpp>

namespace inlay::inline INLAY_ABI::cuda {

template <int Keys>
struct HopperSoftmax {
    static constexpr float infinity = __builtin_huge_valf();
    float most[2] = {-infinity, -infinity};     ///< the score that exponents are relative to
    float sum[2] = {0.0f, 0.0f};                ///< of this lane's columns only
    float top[2];

    /// The greatest scores of the lane's own columns.
    __device__ INLAY_INLINE void look(const float (&s)[Keys / 2]) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            top[h] = fmaxf(s[2 * h], s[2 * h + 1]);
            INLAY_UNROLL
            for (int i = 4; i < Keys / 2; i += 4) top[h] = fmaxf(top[h], fmaxf(s[i + 2 * h], s[i + 2 * h + 1]));
        }
    }
    /// Makes exponents relative to the greatest scores of the rows where they exceed what served so far, and brings
    /// sums and output to that.
    template <int N>
    __device__ INLAY_INLINE void rebase(float scale, float (&o)[N]) {
        if (!__any_sync(~0u, exceeds(0, scale) || exceeds(1, scale))) return;
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], 1));
            top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], 2));
            const bool moves = exceeds(h, scale);
            const float by = moves ? exp2_approximate((most[h] - top[h]) * scale) : 1.0f;
            most[h] = moves ? top[h] : most[h];
            sum[h] *= by;
            INLAY_UNROLL
            for (int i = 2 * h; i < N; i += 4) o[i] *= by, o[i + 1] *= by;
        }
    }
    /// The probabilities of a block of keys as the first operand of the next product, in T.
    template <class T>
    __device__ INLAY_INLINE void add(const float (&s)[Keys / 2], float scale, std::uint32_t (&p)[Keys / 16][4]) {
        float shift[2];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h)
            // Where every score so far is -infinity the exponents would be NaN; any finite shift gives zeros.
            shift[h] = most[h] == -infinity ? 0.0f : most[h] * scale;
        INLAY_UNROLL
        for (int i = 0; i < Keys / 2; i += 2) {
            const int h = i / 2 % 2;
            const float x = exp2_approximate(fmaf(s[i], scale, -shift[h])),
                        y = exp2_approximate(fmaf(s[i + 1], scale, -shift[h]));
            p[i / 8][i / 2 % 4] = rounded_pair<T>(x, y);
            sum[h] += x + y;
        }
    }
    /// Sums over the lanes that share a row, as what a row of the output is to be multiplied by; 0 where there was no
    /// key.
    __device__ INLAY_INLINE void finish(float (&by)[2]) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
            sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
            by[h] = sum[h] == 0.0f ? 0.0f : reciprocal_approximate(sum[h]);
        }
    }

private:
    /// While a maximum grows by less than a factor of 2⁸ in the probabilities the old one serves: they stay exact in
    /// any type, and most blocks need neither the row's maximum nor a pass over the output.
    __device__ INLAY_INLINE bool exceeds(int h, float scale) const { return (top[h] - most[h]) * scale > 8.0f; }
};

/// Keys that a mask hides, and those past the last one, become -infinity. `query`: of the lane's first score, and
/// `key` of the warp's; `column`: the lane's first one.
template <class Mask, int N>
__device__ INLAY_INLINE void mask_scores(float (&s)[N], int query, int key, int column, int queries, int keys) {
    INLAY_UNROLL
    for (int h = 0; h < 2; ++h) {
        const int end = static_cast<int>(Mask::end(query + 8 * h, queries, keys)) - key;
        INLAY_UNROLL
        for (int i = 2 * h; i < N; i += 4) {
            if (Mask::identity && i / 4 * 8 + 8 <= end) continue;   // the same for all lanes
            INLAY_UNROLL
            for (int r = 0; r < 2; ++r) {
                bool visible = i / 4 * 8 + r < end - column;
                if constexpr (!flash::is_prefix_mask<Mask>)
                    visible =
                        visible && Mask::visible(query + 8 * h, key + column + i / 4 * 8 + r, queries, keys);
                if (!visible) s[i + r] = -__builtin_huge_valf();
            }
        }
    }
}

}  // namespace inlay::inline INLAY_ABI::cuda
