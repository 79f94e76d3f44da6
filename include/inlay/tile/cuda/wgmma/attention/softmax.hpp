// SPDX-License-Identifier: Apache-2.0
/// The online softmax (Milakov and Gimelshein 2018) of a warp's 16 rows of scores, in the registers that a product of
/// warpgroups leaves (`isa/wgmma.hpp`): a lane has a share of row lane / 4 and of the row 8 further.
#pragma once

#include <inlay/tile/cuda/isa/convert.hpp>
#include <inlay/tile/cuda/isa/wgmma.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Scores as registers have them, whose exponents of 2 are these times a number.
struct WgmmaScaledScores {
    float scale;

    __device__ INLAY_INLINE float value(float s, int, int) const { return s; }
    __device__ INLAY_INLINE float exponent_of_value(float value) const { return value * scale; }
    __device__ INLAY_INLINE float exponent(float s, int, int, float shift) const { return fmaf(s, scale, -shift); }
};

template <int Keys>
struct WgmmaSoftmax {
    /// The maximum that exponents are relative to, an exponent of 2. It starts at the least finite number, so
    /// that a row of hidden keys gives zeros.
    static constexpr float least = -1e38f;
    float shift[2] = {least, least};
    float sum[2] = {0.0f, 0.0f};                ///< of this lane's columns only, until they are gathered

    /// The probabilities of the first block of keys, as the first operand of the next product, in T. `by`: exponents
    /// from registers, as `WgmmaScaledScores`.
    template <class T, class Exponents, int N>
    __device__ INLAY_INLINE void begin(const float (&s)[Keys / 2], const Exponents& by,
                                       std::uint32_t (&p)[Keys / 16][4], float (&o)[N]) {
        rebase(s, by, o);
        soften<T>(s, by, p, sum);
    }
    /// Those of a further block. Maxima are not searched first: if sums show that a score exceeds its maximum by much,
    /// they are computed again.
    template <class T, class Exponents, int N>
    __device__ INLAY_INLINE void add(const float (&s)[Keys / 2], const Exponents& by,
                                     std::uint32_t (&p)[Keys / 16][4], float (&o)[N]) {
        float more[2];
        soften<T>(s, by, p, more);
        if (any_lane(!(more[0] < most && more[1] < most))) {
            rebase(s, by, o);
            soften<T>(s, by, p, more);
        }
        sum[0] += more[0];
        sum[1] += more[1];
    }
    /// Sums over the lanes that share a row.
    __device__ INLAY_INLINE void gather() {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            sum[h] += shuffle_xor(sum[h], 1);
            sum[h] += shuffle_xor(sum[h], 2);
        }
    }
    /// Merges the sum of other keys of row h, relative to `other`: returns the factors of both outputs.
    __device__ INLAY_INLINE void join(int h, float other, float more, float& mine, float& theirs) {
        const float to = fmaxf(shift[h], other);
        mine = exp2_approximate(shift[h] - to);
        theirs = exp2_approximate(other - to);
        sum[h] = fmaf(sum[h], mine, more * theirs);
        shift[h] = to;
    }
    /// The factor of a row of the output, of gathered sums; 0 if there was no key.
    __device__ INLAY_INLINE void finish(float (&by)[2]) const {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) by[h] = sum[h] == 0.0f ? 0.0f : reciprocal_approximate(sum[h]);
    }

protected:
    /// While a lane's probabilities of a block stay below this the old maximum serves: they are exact in any type, and
    /// most blocks need neither the row's maximum nor a pass over the output.
    static constexpr float most = 4096.0f;

    /// The greatest score of row h, in all lanes that share it.
    __device__ INLAY_INLINE static float top_of(const float (&s)[Keys / 2], int h) {
        return top_of(s, h, WgmmaScaledScores{});
    }
    template <class Exponents>
    __device__ INLAY_INLINE static float top_of(const float (&s)[Keys / 2], int h, const Exponents& by) {
        const auto pair = [&](int i) { return fmaxf(by.value(s[i], i, h), by.value(s[i + 1], i + 1, h)); };
        float top = pair(2 * h);
        INLAY_UNROLL
        for (int i = 4; i < Keys / 2; i += 4) top = fmaxf(top, pair(i + 2 * h));
        top = fmaxf(top, shuffle_xor(top, 1));
        return fmaxf(top, shuffle_xor(top, 2));
    }
    /// Makes exponents relative to `to`, and brings sums and output to that.
    template <int N>
    __device__ INLAY_INLINE void move_to(const float (&to)[2], float (&o)[N]) {
        float by[2];
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            by[h] = exp2_approximate(shift[h] - to[h]);
            shift[h] = to[h];
            sum[h] *= by[h];
        }
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) o[i] *= by[i / 2 % 2];
    }
    /// The powers of 2, in T, and their sums; `exponent(i, h)`: of register i, which is of row h.
    template <class T, class F>
    __device__ INLAY_INLINE static void exponentials(std::uint32_t (&p)[Keys / 16][4], float (&total)[2],
                                                     F&& exponent) {
        INLAY_UNROLL
        for (int i = 0; i < Keys / 2; i += 2) {
            const int h = i / 2 % 2;
            const float x = exp2_approximate(exponent(i, h)), y = exp2_approximate(exponent(i + 1, h));
            p[i / 8][i / 2 % 4] = rounded_pair<T>(x, y);
            total[h] = i < 4 ? x + y : total[h] + (x + y);
        }
    }

private:
    /// Makes exponents relative to the greatest scores of the rows.
    template <class Exponents, int N>
    __device__ INLAY_INLINE void rebase(const float (&s)[Keys / 2], const Exponents& by, float (&o)[N]) {
        const auto top = [&](int h) { return fmaxf(by.exponent_of_value(top_of(s, h, by)), shift[h]); };
        const float to[2] = {top(0), top(1)};
        move_to(to, o);
    }
    template <class T, class Exponents>
    __device__ INLAY_INLINE void soften(const float (&s)[Keys / 2], const Exponents& by,
                                        std::uint32_t (&p)[Keys / 16][4], float (&total)[2]) const {
        exponentials<T>(p, total, [&](int i, int h) { return by.exponent(s[i], i, h, shift[h]); });
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
