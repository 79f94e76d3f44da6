// SPDX-License-Identifier: Apache-2.0
/// The product for a few rows of A: weights are streamed once, 16 bytes a lane, past rows of A that every block evaluates
/// into shared memory. A warp computes four columns over a part of the sum; the warps of a block add their parts in order.
/// Bound by memory: moves the weights once. No matrix unit.
#pragma once

#include <inlay/tile/cuda/launch.hpp>
#include <inlay/tile/cuda/matmul_load.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

inline constexpr int gemv_warps = 8, gemv_columns = 4, gemv_most_rows = 8;

/// Lane i gets the sum over all lanes of element i.
template <int Width = 16>
__device__ INLAY_INLINE float sum_of_lane(float (&x)[32], int lane) {
    const bool high = lane & Width;
    INLAY_UNROLL
    for (int i = 0; i < Width; ++i) {
        const float keep = high ? x[i + Width] : x[i], give = high ? x[i] : x[i + Width];
        x[i] = keep + __shfl_xor_sync(~0u, give, Width);
    }
    if constexpr (Width > 1) return sum_of_lane<Width / 2>(x, lane);
    else return x[0];
}

/// Elements [kk, kk + n) of a row of A to shared memory as T; n ≤ the elements of a chunk, the rest of which become 0.
template <class T, class Args>
__device__ void evaluate_sum_chunk(const Args& a, const typename Args::Rows::Row& start, int kk, int n, T* to) {
    constexpr int all = 16 / static_cast<int>(sizeof(T));
    Vec<float, all> v(0.0f);
    for (int done = 0; done < n;) {
        const int segment = (kk + done) / a.k, k = kk + done - segment * a.k, run = ::min(n - done, a.k - k);
        Extents<Args::rank> c;
        if (a.rows.at(start, segment, c)) {
            c.back(0) += k;
            const Vec<float, all> part = read_chunk<all>(a.in, c, run);
            INLAY_UNROLL
            for (int i = 0; i < all; ++i) {
                float x = 0;
                INLAY_UNROLL
                for (int from = 0; from < all; ++from) x = from == i - done ? part.v[from] : x;
                v.v[i] = i >= done && i < done + run ? x : v.v[i];
            }
        }
        done += run;
    }
    *reinterpret_cast<uint4*>(to) = chunk_words<T>(v);
}

/// A chunk of weights: n elements, zeros after them.
template <class T, int N>
__device__ INLAY_INLINE Vec<float, N> weight_chunk(const T* p, int n, bool aligned) {
    if (aligned && n >= N) {
        uint4 q;
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
                     : "l"(p));
        return chunk_floats<T>(q);
    }
    Vec<float, N> v(0.0f);
    INLAY_UNROLL
    for (int i = 0; i < N; ++i)
        if (i < n) v.v[i] = to_float(p[i]);
    return v;
}

}  // namespace detail

/// k_warps: warps of a block that share four columns. depth: elements of the sum that are in shared memory at a time.
template <class T, class Args>
__global__ void __launch_bounds__(32 * detail::gemv_warps, 2)
    gemv_kernel(const __grid_constant__ Args a, int blocks, int k_warps, int depth) {
    using namespace detail;
    constexpr int all = 16 / static_cast<int>(sizeof(T)), stride = 32 * all;
    extern __shared__ __align__(16) char gemv_memory[];
    __shared__ float parts[gemv_warps][32];
    T* const staged = reinterpret_cast<T*>(gemv_memory);  // [m][depth]
    const Thread t;
    const int batch = static_cast<int>(blockIdx.x) / blocks, block = static_cast<int>(blockIdx.x) % blocks;
    const T* const w = a.w + batch * a.w_batch;
    const bool aligned = is_aligned(w, 16) && a.w_row % all == 0;
    const int teams = gemv_warps / k_warps, team = t.warp / k_warps, k_warp = t.warp % k_warps;

    const auto stage = [&](int k0) {
        const int chunks = depth / all;
        for (int i = t.id; i < a.m * chunks; i += 32 * gemv_warps) {
            const int r = i / chunks, k = i % chunks * all;
            evaluate_sum_chunk<T>(a, a.rows.row(batch, r), k0 + k, ::min(all, a.total - k0 - k), staged + r * depth + k);
        }
    };
    if (depth >= a.total) stage(0);
    const int columns = teams * gemv_columns, step = blocks * columns;
    for (int first = block * columns; first < a.n; first += step) {
        const int n0 = first + team * gemv_columns;
        float acc[32] = {};  // [row][column]
        for (int k0 = 0; k0 < a.total; k0 += depth) {
            if (depth < a.total) {
                __syncthreads();
                stage(k0);
            }
            __syncthreads();
            const int end = ::min(depth, a.total - k0);
#pragma unroll 2
            for (int k = (k_warp * 32 + t.lane) * all; k < end; k += k_warps * stride) {
                Vec<float, all> b[gemv_columns];
                INLAY_UNROLL
                for (int j = 0; j < gemv_columns; ++j) {
                    const int n = ::min(n0 + j, a.n - 1);
                    b[j] = weight_chunk<T, all>(w + static_cast<index_t>(n) * a.w_row + k0 + k, end - k, aligned);
                }
                INLAY_UNROLL
                for (int r = 0; r < gemv_most_rows; ++r) {
                    if (r >= a.m) break;
                    const Vec<float, all> x = chunk_floats<T>(*reinterpret_cast<const uint4*>(staged + r * depth + k));
                    INLAY_UNROLL
                    for (int j = 0; j < gemv_columns; ++j)
                        INLAY_UNROLL
                        for (int i = 0; i < all; ++i) acc[r * gemv_columns + j] += x.v[i] * b[j].v[i];
                }
            }
        }
        float sum = sum_of_lane(acc, t.lane);
        if (k_warps > 1) {
            parts[t.warp][t.lane] = sum;
            __syncthreads();
            sum = 0;
            for (int i = 0; i < k_warps; ++i) sum += parts[team * k_warps + i][t.lane];
        }
        const int r = t.lane / gemv_columns, n = n0 + t.lane % gemv_columns;
        if (k_warp == 0 && r < a.m && n < a.n) {
            auto c = a.place(batch, r);
            c.back(0) += n;
            const Vec<float, 1> v(sum);
            write_chunk<1>(a.sink, c, 1, read_chunk<1>(a.epilogue, c, 1, &v));
        }
    }
}

/// At most `gemv_rows` rows.
template <class Args>
void gemv(Launcher& l, const Args& a) {
    using namespace detail;
    using T = typename Args::value_type;
    constexpr int stride = 32 * 16 / static_cast<int>(sizeof(T)), most_bytes = 80 * 1024;
    const int units = l.device().multiprocessors, groups = (a.n + gemv_columns - 1) / gemv_columns;
    int k_warps = 1;
    while (k_warps < gemv_warps && groups * k_warps < 2 * units * gemv_warps && a.total > 2 * k_warps * stride) k_warps *= 2;
    const int columns = gemv_warps / k_warps * gemv_columns;
    const int blocks = std::min((a.n + columns - 1) / columns, 2 * units);
    const int most = most_bytes / (a.m * static_cast<int>(sizeof(T))) / stride * stride;
    const int depth = std::min((a.total + stride - 1) / stride * stride, most);
    l.launch({static_cast<index_t>(a.batch) * blocks, 32 * gemv_warps,
              static_cast<std::size_t>(a.m) * static_cast<std::size_t>(depth) * sizeof(T)},
             gemv_kernel<T, Args>, a, blocks, k_warps, depth);
}

}  // namespace inlay::inline INLAY_ABI::cuda
