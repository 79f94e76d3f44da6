// SPDX-License-Identifier: Apache-2.0
/// Whole rows on a GPU: softmax, LayerNorm, RMSNorm. A group of 32 to 512 threads holds a row of up to 16384 elements
/// in registers and reads it once; a longer row belongs to a block that reads it twice, the second time mostly from L2.
#pragma once

#include <inlay/tile/cuda/index.hpp>
#include <inlay/tile/cuda/launch.hpp>
#include <inlay/tile/cuda/row.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

inline constexpr int row_elements = 32;        ///< of a row in the registers of a thread
inline constexpr int row_threads = 512;        ///< of a row in registers, at most
inline constexpr int long_row_threads = 1024;

/// `lead`: the result with a last axis of 1. `size`: threads of a row.
template <int N, int R, class In, class Op, class Epilogue, class Sink>
__global__ void __launch_bounds__(row_threads)
    rows_kernel(const __grid_constant__ Unravel<R> lead, const index_t rows, const int n, const int size,
                const __grid_constant__ In in, const __grid_constant__ Op op, const __grid_constant__ Epilogue epilogue,
                const __grid_constant__ Sink sink) {
    constexpr int K = row_elements / N;
    __shared__ float shared[Group::floats];
    Group group(size, shared);
    const unsigned threads = static_cast<unsigned>(size);
    const index_t i = static_cast<index_t>(blockIdx.x) * (blockDim.x / threads) + threadIdx.x / threads;
    RegisterRow<N, K> row(group, n, i < rows);
    Extents<R> c = lead(i < rows ? i : 0);
    if (i < rows) {
        const RowReader<N, In, R> reader(in, c, n);
        if (reader.dense()) {
            INLAY_UNROLL
            for (int k = 0; k < K; ++k) row.x[k] = reader[::min(row.first(k), n - N)];  // no branch between the loads
        } else {
#pragma unroll 1
            for (int k = 0; k < K && row.lanes(k) > 0; ++k) {
                c.back(0) = row.first(k);
                const Vec<float, N> v = read_chunk<N>(in, c, row.lanes(k));
                INLAY_UNROLL
                for (int to = 0; to < K; ++to)
                    if (to == k) row.x[to] = v;
            }
        }
    }
    op(row);
    INLAY_UNROLL
    for (int k = 0; k < K; ++k) {
        if (row.lanes(k) == 0) break;
        c.back(0) = row.first(k);
        write_chunk<N>(sink, c, row.lanes(k), read_chunk<N>(epilogue, c, row.lanes(k), &row.x[k]));
    }
}

/// One block per row, of any length.
template <int N, int R, class In, class Op, class Epilogue, class Sink>
__global__ void __launch_bounds__(long_row_threads)
    long_rows_kernel(const __grid_constant__ Unravel<R> lead, const index_t n, const __grid_constant__ In in,
                     const __grid_constant__ Op op, const __grid_constant__ Epilogue epilogue,
                     const __grid_constant__ Sink sink) {
    __shared__ float shared[Group::floats];
    Group group(static_cast<int>(blockDim.x), shared);
    Extents<R> c = lead(blockIdx.x);
    MeasuredRow<N, In, R> measured(group, in, c, n);
    op(measured);
#pragma unroll 1
    for (index_t j = static_cast<index_t>(threadIdx.x) * N; j < n; j += static_cast<index_t>(blockDim.x) * N) {
        const int lanes = n - j < N ? static_cast<int>(n - j) : N;
        c.back(0) = j;
        ReplayedRow<N> chunk(measured.measures, n, j, lanes);
        chunk.x = read_chunk<N>(in, c, lanes);
        op(chunk);
        write_chunk<N>(sink, c, lanes, read_chunk<N>(epilogue, c, lanes, &chunk.x));
    }
}

/// Threads of a row of `chunks` chunks: enough to hold it, more while the device has idle ones.
inline int threads_of_row(const Device& device, index_t rows, index_t chunks, int chunks_per_thread) {
    int size = 32;
    while (size < row_threads && size * chunks_per_thread < chunks) size *= 2;
    while (size < row_threads && size < chunks && rows * size < index_t(device.multiprocessors) * 1024) size *= 2;
    return size;
}

}  // namespace detail

/// `op` on every row of `in` along the last axis of e, then the epilogue and the sink.
template <int R, class In, class Op, class Epilogue, class Sink>
void rows(Launcher& l, const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
    constexpr int N = sink_lanes<Sink>, K = detail::row_elements / N, block = 128;
    if (count(e) == 0) return;
    Extents<R> lead = e;
    lead.back(0) = 1;
    const index_t n = e.back(0), rows = count(lead), chunks = (n + N - 1) / N;
    if (chunks <= detail::row_threads * K) {
        const int size = detail::threads_of_row(l.device(), rows, chunks, K), threads = size > block ? size : block;
        l.launch({.blocks = (rows * size + threads - 1) / threads, .threads = threads},
                 detail::rows_kernel<N, R, In, Op, Epilogue, Sink>, Unravel<R>(lead), rows, static_cast<int>(n), size,
                 in, op, epilogue, sink);
    } else {
        l.launch({.blocks = rows, .threads = detail::long_row_threads},
                 detail::long_rows_kernel<N, R, In, Op, Epilogue, Sink>, Unravel<R>(lead), n, in, op, epilogue, sink);
    }
}

}  // namespace inlay::inline INLAY_ABI::cuda
