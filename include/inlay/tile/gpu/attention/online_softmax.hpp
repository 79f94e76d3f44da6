// SPDX-License-Identifier: Apache-2.0
/// Online softmax of a warp's rows (Milakov and Gimelshein 2018) and the product with V. Everything stays in registers,
/// in the places of the atom's C.
#pragma once

#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// The softmax so far of the rows that a lane holds in each tile of 16.
template <class Atom, int MTiles>
struct Softmax {
    float most[MTiles][Atom::c_rows];   ///< the score that exponents are relative to
    float sum[MTiles][Atom::c_rows];    ///< of this lane's columns only

    __device__ Softmax() {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h) most[m][h] = -infinity, sum[m][h] = 0.0f;
    }
    /// Sums over the lanes that share a row.
    __device__ INLAY_INLINE void finish() {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < Atom::c_rows; ++h)
                sum[m][h] = Atom::reduce_row(sum[m][h], [](float x, float y) { return x + y; });
    }
};

/// The value subtracted from scaled scores. If every score so far is -infinity the exponents would be NaN: any finite
/// shift gives the right zeros.
__device__ INLAY_INLINE float shift_of(float most, float scale) {
    return most == -infinity ? 0.0f : most * scale;
}

/// The greatest score of each row among the warp's keys.
template <class Atom, int MTiles, int KeyTiles>
__device__ INLAY_INLINE void row_maxima(const typename Atom::C (&s)[MTiles][KeyTiles],
                                        float (&most)[MTiles][Atom::c_rows]) {
    constexpr int columns = Atom::c_columns;
    const auto of_tile = [](const float* r) {
        float x = fmaxf(r[0], r[1]);
        INLAY_UNROLL
        for (int i = 2; i < columns; ++i) x = fmaxf(x, r[i]);
        return x;
    };
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < Atom::c_rows; ++h) {
            float x = of_tile(s[m][0].r + columns * h);
            INLAY_UNROLL
            for (int n = 1; n < KeyTiles; ++n) x = fmaxf(x, of_tile(s[m][n].r + columns * h));
            most[m][h] = Atom::reduce_row(x, [](float a, float b) { return fmaxf(a, b); });
        }
}

/// Brings sums and output to the new maxima. While a maximum grows by less than a factor of 2⁸ in the probabilities the
/// old one serves: they stay exact in any type, and most blocks need no pass over the output.
template <class Atom, int MTiles, int OutTiles>
__device__ INLAY_INLINE void rescale(Softmax<Atom, MTiles>& state, typename Atom::C (&o)[MTiles][OutTiles],
                                     const float (&most)[MTiles][Atom::c_rows], float scale) {
    constexpr float slack = 8.0f;
    bool grows = false;
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < Atom::c_rows; ++h) grows |= (most[m][h] - state.most[m][h]) * scale > slack;
    if (!any_lane(grows)) return;
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < Atom::c_rows; ++h) {
            const float old = state.most[m][h];
            const bool moves = (most[m][h] - old) * scale > slack;
            const float by = moves ? exp2_approximate((old - most[m][h]) * scale) : 1.0f;
            state.most[m][h] = moves ? most[m][h] : old;
            state.sum[m][h] *= by;
            INLAY_UNROLL
            for (int n = 0; n < OutTiles; ++n)
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_columns; ++r) o[m][n].r[Atom::c_columns * h + r] *= by;
        }
}

/// The shifts of all rows.
template <class Atom, int MTiles>
__device__ INLAY_INLINE void shifts_of(const Softmax<Atom, MTiles>& state, float scale,
                                       float (&shift)[MTiles][Atom::c_rows]) {
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < Atom::c_rows; ++h) shift[m][h] = shift_of(state.most[m][h], scale);
}

/// Scores of one tile of keys become probabilities, and count in the sums.
template <class Atom, int MTiles, int KeyTiles>
__device__ INLAY_INLINE void probabilities(typename Atom::C (&s)[MTiles][KeyTiles], Softmax<Atom, MTiles>& state,
                                           const float (&shift)[MTiles][Atom::c_rows], float scale, int n) {
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int r = 0; r < Atom::c_count; ++r) {
            const float p = exp2_approximate(fmaf(s[m][n].r[r], scale, -shift[m][r / Atom::c_columns]));
            s[m][n].r[r] = p;
            state.sum[m][r / Atom::c_columns] += p;
        }
}

/// True for atoms whose long sums are added in parts.
template <class Atom>
inline constexpr bool sums_in_parts = Atom::steps_per_sum <= 8;

/// o += P V over Steps steps of keys. `v`: the lane's address of the first key and the first column.
template <class T, class Atom, int Pitch, int Steps, int MTiles, int OutTiles, class P>
__device__ INLAY_INLINE void add_values(typename Atom::C (&o)[MTiles][OutTiles], const P (&p)[Steps][MTiles],
                                        std::uint32_t v) {
    using F = Fragments<Atom>;
    constexpr bool parts = sums_in_parts<Atom>;
    static_assert(!parts || Steps <= Atom::steps_per_sum);
    INLAY_UNROLL
    for (int n = 0; n < OutTiles; n += 2) {
        typename Atom::C part[2][MTiles];
        INLAY_UNROLL
        for (int i = 0; i < Steps; ++i) {
            typename Atom::B b[2];
            const std::uint32_t at = v + i * Atom::k * Pitch + n * Atom::n * static_cast<int>(sizeof(T));
            if (n + 1 < OutTiles) F::template load_values<Pitch, true>(b, at);
            else F::template load_values<Pitch, false>(b, at);
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < OutTiles; ++j) {
                const auto value = F::prepared(b[j]);
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m) Atom::mma(parts ? part[j][m] : o[m][n + j], p[i][m], value);
            }
        }
        if constexpr (parts) {
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < OutTiles; ++j)
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_count; ++r) o[m][n + j].r[r] += part[j][m].r[r];
        }
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
