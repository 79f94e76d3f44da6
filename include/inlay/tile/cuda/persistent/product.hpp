// SPDX-License-Identifier: Apache-2.0
/// A block's columns of a product of a few rows, from weights in its ring: warps take 128 bytes of the sum in rotation,
/// and their sums are added in order. The same order of sums as `tile/cuda/mma/gemm/gemv_copied.hpp`, so the same bits.
#pragma once

#include <inlay/tile/cuda/mma/gemm/gemv_operands.hpp>
#include <inlay/tile/cuda/persistent/ring.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Two elements of a word, the one at the lower address first.
template <class T>
__device__ INLAY_INLINE Vec<float, 2> pair_of(std::uint32_t word) {
    T x[2];
    __builtin_memcpy(x, &word, sizeof(word));
    Vec<float, 2> v;
    v.v[0] = to_float(x[0]), v.v[1] = to_float(x[1]);
    return v;
}

/// Columns [first, end) of a phase that a block computes: an even share of `pairs` pairs.
struct ColumnRange {
    int first, end;

    __device__ INLAY_INLINE static ColumnRange of(int pairs, int block, int blocks) {
        return {2 * (pairs * block / blocks), 2 * (pairs * (block + 1) / blocks)};
    }
};

/// Floats of shared memory in which the warps of a product of `batch` rows leave their sums.
constexpr int product_sum_floats(int batch) { return 2 * 16 * 36 * batch; }
/// Elements from an input row to the next: 64 bytes apart modulo 128, so that two are read without bank conflicts.
template <class T>
constexpr int product_pitch(int length) {
    constexpr int chunk = 64 / static_cast<int>(sizeof(T));
    return (length + 2 * chunk - 1) / (2 * chunk) * (2 * chunk) + chunk;
}

/// `Segments`: rows of the ring that hold a column, of `Width` elements each. `Batch`: input rows, at most.
template <class T, int Width, int Segments, int Batch, class Ring>
struct RowProduct {
    static constexpr int warps = 16, threads = warps * warp_size, barrier = 1;
    static constexpr int columns = 32 / Segments < 1 ? 1 : 32 / Segments;  ///< of a piece
    static constexpr int chunk = 16 / static_cast<int>(sizeof(T)), steps = 2, step = 4 * chunk, length = steps * step;
    static constexpr int total = Width * Segments, slots = total / length, pitch = 36;
    static_assert(sizeof(T) == 2 && Width % length == 0 && columns * Segments <= Ring::most_rows && Batch <= 8 &&
                  product_sum_floats(Batch) == 2 * warps * Batch * pitch);

    __device__ static int piece_columns(int left) { return left < columns ? left : columns; }

    /// The producer's part: column n begins at weights + stored(n) · total.
    template <class Producer, class Stored>
    __device__ INLAY_INLINE static void copy(Producer& producer, const T* weights, ColumnRange range,
                                             const Stored& stored) {
#pragma unroll 1
        for (int n = range.first; n < range.end; n += columns)
            producer.copy(piece_columns(range.end - n) * Segments, [&](int r) {
                return weights + static_cast<index_t>(stored(n + r / Segments)) * total + r % Segments * Width;
            });
    }
    /// The consumers' part. `x`: `batch` rows, `x_pitch` elements apart, in shared memory. `store(n, sum, there)` for
    /// each column by a lane of the warp that has the row's number, of which all lanes come.
    template <class R, class Store>
    __device__ INLAY_INLINE static void run(R& ring, const T* x, int x_pitch, int batch, float* sums,
                                            ColumnRange range, const Store& store) {
        const int warp = warp_index(), lane = lane_index(), quad = lane / 4, place = lane % 4 * chunk;
        const int size = range.end - range.first;
#pragma unroll 1
        for (int at = 0; at < size; at += columns) {
            const int count = piece_columns(size - at), turn = at / columns % 2;
            const int first = ring.receive_rows();
            detail::StreamSum<T> sum[2];
#pragma unroll 1
            for (int s = warp; s < slots; s += warps) {
                const int k = s * length, segment = k / Width,
                          byte = (k - segment * Width + place) * static_cast<int>(sizeof(T));
                uint4 b[steps];
                INLAY_UNROLL
                for (int j = 0; j < steps; ++j)
                    b[j] = quad < batch
                               ? *reinterpret_cast<const uint4*>(x + (Batch > 1 ? quad * x_pitch : 0) + k + place +
                                                                 j * step)
                               : uint4{};
                INLAY_UNROLL
                for (int i = 0; i < 2; ++i) {
                    if (i * 16 >= columns || (i > 0 && count <= 16)) continue;
                    const int low = (::min)(i * 16 + quad, count - 1), high = (::min)(i * 16 + 8 + quad, count - 1);
                    const char* const p = ring.at(first, low * Segments + segment, byte);
                    const char* const q = ring.at(first, high * Segments + segment, byte);
                    INLAY_UNROLL
                    for (int j = 0; j < steps; ++j) {
                        const uint4 u = *reinterpret_cast<const uint4*>(p + j * 64),
                                    v = *reinterpret_cast<const uint4*>(q + j * 64);
                        sum[i].add({{u.x, v.x, u.y, v.y}}, {{b[j].x, b[j].y}}, {{u.z, v.z, u.w, v.w}},
                                   {{b[j].z, b[j].w}});
                    }
                }
            }
            // A lane has the sums of rows 2 · (lane % 4) and the next.
            INLAY_UNROLL
            for (int j = 0; j < (Batch > 1 ? 2 : 1); ++j) {
                const int row = lane % 4 * 2 + j;
                if (row >= batch) continue;
                float* const own = sums + ((turn * warps + warp) * Batch + (Batch > 1 ? row : 0)) * pitch;
                INLAY_UNROLL
                for (int i = 0; i < 2; ++i) own[i * 16 + quad] = sum[i][j], own[i * 16 + 8 + quad] = sum[i][2 + j];
            }
            named_barrier(barrier, threads);
            ring.release(thread_index() == 0);
            if (warp >= batch) continue;
            float all[4] = {};
            INLAY_UNROLL
            for (int i = 0; i < warps; ++i)
                all[i % 4] += sums[((turn * warps + i) * Batch + (Batch > 1 ? warp : 0)) * pitch + lane];
            store(range.first + at + lane, all[0] + all[1] + (all[2] + all[3]), lane < count);
        }
        // The next product begins with the other half of the sums, or behind a barrier.
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
