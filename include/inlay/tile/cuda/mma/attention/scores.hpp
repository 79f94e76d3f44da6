// SPDX-License-Identifier: Apache-2.0
/// The work of a warp on a block of keys: scores, online softmax (Milakov and Gimelshein 2018), and the product with V.
/// Everything stays in registers, in the places of the atom's C.
#pragma once

#include <inlay/tile/cuda/mma/attention/fragments.hpp>
#include <inlay/tile/cuda/mma/attention/tile.hpp>
#include <inlay/tile/gpu/attention/softmax.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Q of a warp: either in registers, loaded once, or read from shared memory for every block of keys.
template <class Tile, bool InRegisters = Tile::q_in_registers>
struct Queries {
    using A = typename Atom<typename Tile::T>::A;
    std::uint32_t lane;

    __device__ explicit Queries(std::uint32_t lane_) : lane(lane_) {}
    __device__ INLAY_INLINE void load() {}
    __device__ INLAY_INLINE A step(int m, int i) const {
        A a;
        load_matrices(a.r, lane + m * 16 * Tile::pitch + i * 32);
        return a;
    }
    __device__ INLAY_INLINE void half_step(int m, std::uint32_t (&a)[2]) const {
        load_matrices(a, lane + m * 16 * Tile::pitch + Tile::steps * 32);
    }
};
template <class Tile>
struct Queries<Tile, true> {
    using A = typename Atom<typename Tile::T>::A;
    Queries<Tile, false> from;
    A a[Tile::m_tiles][room_for<Tile::steps>];
    std::uint32_t last[Tile::m_tiles][2];

    __device__ explicit Queries(std::uint32_t lane) : from(lane) {}
    __device__ INLAY_INLINE void load() {
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m) {
            INLAY_UNROLL
            for (int i = 0; i < Tile::steps; ++i) a[m][i] = from.step(m, i);
            if constexpr (Tile::half_step) from.half_step(m, last[m]);
        }
    }
    __device__ INLAY_INLINE A step(int m, int i) const { return a[m][i]; }
    __device__ INLAY_INLINE void half_step(int m, std::uint32_t (&r)[2]) const { r[0] = last[m][0], r[1] = last[m][1]; }
};

template <class Tile>
using ScoreTile = FragmentC[Tile::m_tiles][Tile::key_tiles];

/// s += Q Kᵀ over Steps steps of D. `k`: the lane's address of the warp's first key.
template <class Tile, int Steps, class Q>
__device__ INLAY_INLINE void add_scores(ScoreTile<Tile>& s, const Q& q, std::uint32_t k, int first) {
    using T = typename Tile::T;
    using B = typename Atom<T>::B;
    INLAY_UNROLL
    for (int step = 0; step < Steps; ++step) {
        const int i = first + step;
        decltype(prepared<T>(q.step(0, 0))) a[Tile::m_tiles];
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m) a[m] = prepared<T>(q.step(m, i));
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; n += 2) {
            std::uint32_t r[4];
            if (n + 1 < Tile::key_tiles) {
                load_matrices(r, k + n * 8 * Tile::pitch + i * 32);
            } else {
                std::uint32_t two[2];
                load_matrices(two, k + n * 8 * Tile::pitch + i * 32);
                r[0] = two[0], r[1] = two[1];
            }
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < Tile::key_tiles; ++j) {
                const auto b = prepared<T>(B{{r[2 * j], r[2 * j + 1]}});
                INLAY_UNROLL
                for (int m = 0; m < Tile::m_tiles; ++m) Atom<T>::mma(s[m][n + j], a[m], b);
            }
        }
    }
}

/// Q Kᵀ of a warp's keys. `k`: the address of its first key.
template <class Tile, class Q>
__device__ INLAY_INLINE void scores(ScoreTile<Tile>& s, const Q& q, std::uint32_t k, int lane) {
    using T = typename Tile::T;
    constexpr int cut = Atom<T>::steps_per_sum;
    const std::uint32_t at = k + lane_of_columns<Tile::pitch>(lane);
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n) s[m][n] = {};
    if constexpr (Tile::steps <= cut) {
        add_scores<Tile, Tile::steps>(s, q, at, 0);
    } else {
        const auto add = [&](const ScoreTile<Tile>& part) {
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int n = 0; n < Tile::key_tiles; ++n)
                    INLAY_UNROLL
                    for (int r = 0; r < 4; ++r) s[m][n].r[r] += part[m][n].r[r];
        };
#pragma unroll 1
        for (int i = 0; i + cut <= Tile::steps; i += cut) {
            ScoreTile<Tile> part = {};
            add_scores<Tile, cut>(part, q, at, i);
            add(part);
        }
        if constexpr (Tile::steps % cut != 0) {
            ScoreTile<Tile> part = {};
            add_scores<Tile, Tile::steps % cut>(part, q, at, Tile::steps / cut * cut);
            add(part);
        }
    }
    if constexpr (Tile::half_step) {
        std::uint32_t a[Tile::m_tiles][2];
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m) q.half_step(m, a[m]);
        const std::uint32_t tail = k + lane * Tile::pitch + Tile::steps * 32;
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; n += 4) {
            std::uint32_t b[4];
            if (n + 4 <= Tile::key_tiles) {
                load_matrices(b, tail + n * 8 * Tile::pitch);
            } else {
                std::uint32_t two[2];
                load_matrices(two, tail + n * 8 * Tile::pitch);
                b[0] = two[0], b[1] = two[1];
            }
            INLAY_UNROLL
            for (int j = 0; j < 4 && n + j < Tile::key_tiles; ++j)
                INLAY_UNROLL
                for (int m = 0; m < Tile::m_tiles; ++m) mma_m16n8k8<T>(s[m][n + j].r, a[m], b[j]);
        }
    }
}

/// The softmax of a warp's rows so far: of lane / 4 and lane / 4 + 8 of each tile of 16.
template <int MTiles>
struct Softmax {
    float most[MTiles][2];  ///< the score that exponents are relative to
    float sum[MTiles][2];   ///< of this lane's columns only

    __device__ Softmax() {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) most[m][h] = -infinity, sum[m][h] = 0.0f;
    }
    /// Sums over the lanes that share a row.
    __device__ INLAY_INLINE void finish() {
        INLAY_UNROLL
        for (int m = 0; m < MTiles; ++m)
            INLAY_UNROLL
            for (int h = 0; h < 2; ++h) {
                sum[m][h] += shuffle_xor(sum[m][h], 1);
                sum[m][h] += shuffle_xor(sum[m][h], 2);
            }
    }
};

/// The value subtracted from scaled scores. If every score so far is -infinity the exponents would be NaN: any finite
/// shift gives the right zeros.
__device__ INLAY_INLINE float shift_of(float most, float scale) {
    return most == -infinity ? 0.0f : most * scale;
}

/// The greatest score of each row among the warp's keys.
template <class Tile>
__device__ INLAY_INLINE void row_maxima(const ScoreTile<Tile>& s, float (&most)[Tile::m_tiles][2]) {
    INLAY_UNROLL
    for (int m = 0; m < Tile::m_tiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            float x = fmaxf(s[m][0].r[2 * h], s[m][0].r[2 * h + 1]);
            INLAY_UNROLL
            for (int n = 1; n < Tile::key_tiles; ++n)
                x = fmaxf(x, fmaxf(s[m][n].r[2 * h], s[m][n].r[2 * h + 1]));
            x = fmaxf(x, shuffle_xor(x, 1));
            most[m][h] = fmaxf(x, shuffle_xor(x, 2));
        }
}

/// Brings sums and output to the new maxima. While a maximum grows by less than a factor of 2⁸ in the probabilities the
/// old one serves: they stay exact in any type, and most blocks need no pass over the output.
template <int MTiles, int OutTiles>
__device__ INLAY_INLINE void rescale(Softmax<MTiles>& state, FragmentC (&o)[MTiles][OutTiles],
                                     const float (&most)[MTiles][2], float scale) {
    constexpr float slack = 8.0f;
    bool grows = false;
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) grows |= (most[m][h] - state.most[m][h]) * scale > slack;
    if (!any_lane(grows)) return;
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            const float old = state.most[m][h];
            const bool moves = (most[m][h] - old) * scale > slack;
            const float by = moves ? exp2_approximate((old - most[m][h]) * scale) : 1.0f;
            state.most[m][h] = moves ? most[m][h] : old;
            state.sum[m][h] *= by;
            INLAY_UNROLL
            for (int n = 0; n < OutTiles; ++n) o[m][n].r[2 * h] *= by, o[m][n].r[2 * h + 1] *= by;
        }
}

/// Scores of one tile of keys become probabilities, and count in the sums.
template <int MTiles, int KeyTiles>
__device__ INLAY_INLINE void probabilities(FragmentC (&s)[MTiles][KeyTiles], Softmax<MTiles>& state,
                                           const float (&shift)[MTiles][2], float scale, int n) {
    INLAY_UNROLL
    for (int m = 0; m < MTiles; ++m)
        INLAY_UNROLL
        for (int r = 0; r < 4; ++r) {
            const float p = exp2_approximate(fmaf(s[m][n].r[r], scale, -shift[m][r / 2]));
            s[m][n].r[r] = p;
            state.sum[m][r / 2] += p;
        }
}

/// o += P V over Steps steps of keys. `v`: the lane's address of the first key and the first column.
template <class T, int Pitch, int Steps, int MTiles, int OutTiles, class P>
__device__ INLAY_INLINE void add_values(FragmentC (&o)[MTiles][OutTiles], const P (&p)[Steps][MTiles],
                                        std::uint32_t v) {
    using B = typename Atom<T>::B;
    constexpr bool parts = Atom<T>::steps_per_sum <= 8;
    static_assert(!parts || Steps <= Atom<T>::steps_per_sum);
    INLAY_UNROLL
    for (int n = 0; n < OutTiles; n += 2) {
        FragmentC part[2][MTiles];
        INLAY_UNROLL
        for (int i = 0; i < Steps; ++i) {
            B b[2];
            const std::uint32_t at = v + i * Atom<T>::k * Pitch + n * 8 * static_cast<int>(sizeof(T));
            if (n + 1 < OutTiles) load_values<T, Pitch, true>(b, at);
            else load_values<T, Pitch, false>(b, at);
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < OutTiles; ++j) {
                const auto value = prepared<T>(b[j]);
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m) Atom<T>::mma(parts ? part[j][m] : o[m][n + j], p[i][m], value);
            }
        }
        if constexpr (parts) {
            INLAY_UNROLL
            for (int j = 0; j < 2 && n + j < OutTiles; ++j)
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m)
                    INLAY_UNROLL
                    for (int r = 0; r < 4; ++r) o[m][n + j].r[r] += part[j][m].r[r];
        }
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
