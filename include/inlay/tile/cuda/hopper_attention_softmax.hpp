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
    /// What exponents are relative to: a score times the scale. Nothing is less than at the start, and it is finite, so
    /// that a row of hidden keys gives zeros.
    static constexpr float least = -1e38f;
    float shift[2] = {least, least};
    float sum[2] = {0.0f, 0.0f};                ///< of this lane's columns only, until they are gathered
    int top[2];
    int limit[2] = {always, always};            ///< the bits of a score from which on the shift moves

    /// The greatest scores of the lane's own columns as integers, three in an instruction: the greatest where one is
    /// positive, else something negative.
    __device__ INLAY_INLINE void look(const float (&s)[Keys / 2]) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            top[h] = ::max(__float_as_int(s[2 * h]), __float_as_int(s[2 * h + 1]));
            INLAY_UNROLL
            for (int i = 4; i < Keys / 2; i += 4)
                top[h] = ::max(::max(top[h], __float_as_int(s[i + 2 * h])), __float_as_int(s[i + 2 * h + 1]));
        }
    }
    /// Makes exponents relative to the greatest scores of the rows where they exceed what served so far, and brings
    /// sums and output to that.
    template <int N>
    __device__ INLAY_INLINE void rebase(const float (&s)[Keys / 2], float scale, float (&o)[N]) {
        if (!__any_sync(~0u, top[0] >= limit[0] || top[1] >= limit[1])) return;
        float most[2], by[2];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            most[h] = fmaxf(s[2 * h], s[2 * h + 1]);
            INLAY_UNROLL
            for (int i = 4; i < Keys / 2; i += 4) most[h] = fmaxf(most[h], fmaxf(s[i + 2 * h], s[i + 2 * h + 1]));
        }
        const auto exceeds = [&](int h) { return fmaf(most[h], scale, -shift[h]) > slack; };
        if (!__any_sync(~0u, exceeds(0) || exceeds(1))) return;
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            most[h] = fmaxf(most[h], __shfl_xor_sync(~0u, most[h], 1));
            most[h] = fmaxf(most[h], __shfl_xor_sync(~0u, most[h], 2));
            const float to = exceeds(h) ? most[h] * scale : shift[h];
            by[h] = exp2_approximate(shift[h] - to);
            shift[h] = to;
            sum[h] *= by[h];
            const float from = (to + slack) * reciprocal_approximate(scale);
            limit[h] = from > 0.0f ? __float_as_int(from) : always;
        }
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) o[i] *= by[i / 2 % 2];
    }
    /// The probabilities of a block of keys as the first operand of the next product, in T.
    template <class T>
    __device__ INLAY_INLINE void add(float (&s)[Keys / 2], float scale, std::uint32_t (&p)[Keys / 16][4]) {
        INLAY_UNROLL
        for (int i = 0; i < Keys / 2; ++i) s[i] = exp2_approximate(fmaf(s[i], scale, -shift[i / 2 % 2]));
        INLAY_UNROLL
        for (int i = 0; i < Keys / 2; i += 2) {
            p[i / 8][i / 2 % 4] = rounded_pair<T>(s[i], s[i + 1]);
            sum[i / 2 % 2] += s[i] + s[i + 1];
        }
    }
    /// Sums over the lanes that share a row.
    __device__ INLAY_INLINE void gather() {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
            sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
        }
    }
    /// Takes in the sum of other keys of row h, relative to `other`: factors of what either has of the output.
    __device__ INLAY_INLINE void join(int h, float other, float more, float& mine, float& theirs) {
        const float to = fmaxf(shift[h], other);
        mine = exp2_approximate(shift[h] - to);
        theirs = exp2_approximate(other - to);
        sum[h] = fmaf(sum[h], mine, more * theirs);
    }
    /// Of gathered sums: what a row of the output is to be multiplied by; 0 where there was no key.
    __device__ INLAY_INLINE void finish(float (&by)[2]) const {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) by[h] = sum[h] == 0.0f ? 0.0f : reciprocal_approximate(sum[h]);
    }

private:
    /// While a maximum grows by less than a factor of 2⁸ in the probabilities the old one serves: they stay exact in
    /// any type, and most blocks need neither the row's maximum nor a pass over the output.
    static constexpr float slack = 8.0f;
    /// Of a negative limit the order of integers is not that of scores.
    static constexpr int always = -2147483647 - 1;
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
