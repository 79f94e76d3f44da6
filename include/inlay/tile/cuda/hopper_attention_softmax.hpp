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
    float by[2];                                ///< what sums before the last block were multiplied by
    bool moved = false;                         ///< whether some row of the warp's was, but by 1

    /// Scores become probabilities.
    __device__ INLAY_INLINE void add(float (&s)[Keys / 2], float scale) {
        float top[2];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            top[h] = fmaxf(s[2 * h], s[2 * h + 1]);
            INLAY_UNROLL
            for (int i = 4; i < Keys / 2; i += 4) top[h] = fmaxf(top[h], fmaxf(s[i + 2 * h], s[i + 2 * h + 1]));
            top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], 1));
            top[h] = fmaxf(top[h], __shfl_xor_sync(~0u, top[h], 2));
        }
        rebase(top, scale);
        float shift[2];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h)
            // Where every score so far is -infinity the exponents would be NaN; any finite shift gives zeros.
            shift[h] = most[h] == -infinity ? 0.0f : most[h] * scale;
        INLAY_UNROLL
        for (int i = 0; i < Keys / 2; i += 2) {
            const int h = i / 2 % 2;
            s[i] = exp2_approximate(fmaf(s[i], scale, -shift[h]));
            s[i + 1] = exp2_approximate(fmaf(s[i + 1], scale, -shift[h]));
            sum[h] += s[i] + s[i + 1];
        }
    }
    /// Brings what was added up before to the new maxima.
    template <int N>
    __device__ INLAY_INLINE void rescale(float (&o)[N]) const {
        if (!moved) return;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) o[i] *= by[i / 2 % 2];
    }
    /// Sums over the lanes that share a row, as what a row of the output is to be multiplied by; 0 where there was no
    /// key. The greatest term of any other sum is 1 at least.
    __device__ INLAY_INLINE void finish() {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
            sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
            by[h] = sum[h] < 0.5f ? 0.0f : reciprocal_approximate(sum[h]);
        }
    }

private:
    /// While a maximum grows by less than a factor of 2⁸ in the probabilities the old one serves: they stay exact in
    /// any type, and most blocks need no pass over the output.
    __device__ INLAY_INLINE void rebase(const float (&top)[2], float scale) {
        constexpr float slack = 8.0f;
        const bool grows = (top[0] - most[0]) * scale > slack || (top[1] - most[1]) * scale > slack;
        moved = __any_sync(~0u, grows);
        if (!moved) return;
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            const bool moves = (top[h] - most[h]) * scale > slack;
            by[h] = moves ? exp2_approximate((most[h] - top[h]) * scale) : 1.0f;
            most[h] = moves ? top[h] : most[h];
            sum[h] *= by[h];
        }
    }
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
