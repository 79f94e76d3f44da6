// SPDX-License-Identifier: Apache-2.0
/// A warp's sums of a product of a few rows, in octets of columns: by the matrix unit in 16 bits, by FMA in fp32, whose
/// tf32 would miss its tolerance. Lane 4 · c + p multiplies chunk p of each step, of columns c of the octets, for both.
#pragma once

#include <inlay/tile/cuda/mma/gemm/gemv_operands.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Floats from the sums of a row of the product to those of the next one.
inline constexpr int product_sum_pitch = 36;

/// An atom has sixteen columns, and a row in each of its eight others: its lane reads the row of its own quad.
template <class T, int Batch>
struct AtomSums {
    static constexpr int chunk = 16 / static_cast<int>(sizeof(T)), steps = 2, step = 4 * chunk;
    using Pair = detail::StreamSum<T>;  ///< of two octets

    struct Input {
        uint4 of[steps];
    };
    /// The lane's elements of a slot of the sum, which begins at element `k` of the rows. `place`: of the lane's chunk.
    __device__ INLAY_INLINE static Input input(const T* x, int x_pitch, int batch, int k, int quad, int place) {
        Input b;
        INLAY_UNROLL
        for (int j = 0; j < steps; ++j)
            b.of[j] = quad < batch ? *reinterpret_cast<const uint4*>(x + (Batch > 1 ? quad * x_pitch : 0) + k + place +
                                                                     j * step)
                                   : uint4{};
        return b;
    }
    /// Adds step j of octets 2 · i and 2 · i + 1.
    __device__ INLAY_INLINE static void add(Pair& sum, int, int j, const uint4& u, const uint4& v, const Input& b) {
        sum.add({{u.x, v.x, u.y, v.y}}, {{b.of[j].x, b.of[j].y}}, {{u.z, v.z, u.w, v.w}}, {{b.of[j].z, b.of[j].w}});
    }
    /// Keeps the sums of warp number `of` for each row, by column. A lane has rows 2 · (lane % 4) and the next.
    __device__ INLAY_INLINE static void store(const Pair (&sum)[2], float* sums, int of, int batch, int quad,
                                              int lane) {
        INLAY_UNROLL
        for (int j = 0; j < (Batch > 1 ? 2 : 1); ++j) {
            const int row = lane % 4 * 2 + j;
            if (row >= batch) continue;
            float* const own = sums + (of * Batch + (Batch > 1 ? row : 0)) * product_sum_pitch;
            INLAY_UNROLL
            for (int i = 0; i < 2; ++i) own[i * 16 + quad] = sum[i][j], own[i * 16 + 8 + quad] = sum[i][2 + j];
        }
    }
};

/// A lane adds its part of each column for every row, and four lanes have a column. Elements of the rows are read where
/// they are multiplied: four addresses a warp.
template <int Octets, int Batch>
struct FmaSums {
    static constexpr int chunk = 4, steps = 2, step = 4 * chunk;
    struct Pair {
        float low[Batch] = {}, high[Batch] = {};
    };

    struct Input {
        const float* x;
        int pitch, batch;
    };
    __device__ INLAY_INLINE static Input input(const float* x, int x_pitch, int batch, int k, int, int place) {
        return {x + k + place, x_pitch, batch};
    }
    __device__ INLAY_INLINE static void add(Pair& sum, int i, int j, const uint4& u, const uint4& v, const Input& b) {
        INLAY_UNROLL
        for (int row = 0; row < Batch; ++row) {
            if (Batch > 1 && row >= b.batch) break;
            const uint4 x = *reinterpret_cast<const uint4*>(b.x + (Batch > 1 ? row * b.pitch : 0) + j * step);
            add(sum.low[row], u, x);
            if (2 * i + 1 < Octets) add(sum.high[row], v, x);
        }
    }
    /// A lane of a quad keeps the column of its octet.
    __device__ INLAY_INLINE static void store(const Pair (&sum)[2], float* sums, int of, int batch, int quad,
                                              int lane) {
        INLAY_UNROLL
        for (int row = 0; row < Batch; ++row) {
            if (Batch > 1 && row >= batch) break;
            float own = 0;
            INLAY_UNROLL
            for (int o = 0; o < Octets; ++o) {
                float all = o % 2 ? sum[o / 2].high[row] : sum[o / 2].low[row];
                all += shuffle_xor(all, 1);
                all += shuffle_xor(all, 2);
                own = lane % 4 == o ? all : own;
            }
            if (lane % 4 < Octets) sums[(of * Batch + row) * product_sum_pitch + lane % 4 * 8 + quad] = own;
        }
    }

private:
    __device__ INLAY_INLINE static void add(float& sum, const uint4& w, const uint4& x) {
        sum += float_of_bits(w.x) * float_of_bits(x.x);
        sum += float_of_bits(w.y) * float_of_bits(x.y);
        sum += float_of_bits(w.z) * float_of_bits(x.z);
        sum += float_of_bits(w.w) * float_of_bits(x.w);
    }
};
template <class T, int Octets, int Batch>
using ProductSums = std::conditional_t<std::is_same_v<T, float>, FmaSums<Octets, Batch>, AtomSums<T, Batch>>;

}  // namespace inlay::inline INLAY_ABI::on_gpu
