// SPDX-License-Identifier: Apache-2.0
/// Elementwise work on a GPU: every thread evaluates the expression for one or a few chunks of 16 bytes of the output,
/// as far apart as makes its warp's accesses consecutive.
#pragma once

#include <inlay/tile/cuda/chunk.hpp>
#include <inlay/tile/cuda/collapse.hpp>
#include <inlay/tile/cuda/index.hpp>
#include <inlay/tile/cuda/launch.hpp>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

inline constexpr int map_threads = 256;
/// Chunks of a thread in tensors that fill the device: their loads overlap.
inline constexpr int map_unroll = 4;

/// `chunks`: the result with its last axis counted in chunks, of which each thread takes `each`.
template <int N, int R, class In, class Sink>
__global__ void __launch_bounds__(map_threads)
    map_kernel(const __grid_constant__ Unravel<R> chunks, const index_t total, const index_t width, const int each,
               const __grid_constant__ In in, const __grid_constant__ Sink sink) {
    using T = stored_by<Sink>;
    constexpr index_t apart = map_threads * N, span = (map_unroll - 1) * apart + N;
    const index_t first = static_cast<index_t>(blockIdx.x) * (map_threads * each) + threadIdx.x;
    after_previous_kernel();
    if (first >= total) return;
    Extents<R> c = chunks(first);
    c.back(0) *= N;
    if (each == map_unroll && c.back(0) + span <= width) {
        const RowReader<N, In, R, T> row(in, c, span);
        if (row.dense()) {
            Vec<float, N> v[map_unroll];
            INLAY_UNROLL
            for (int k = 0; k < map_unroll; ++k) v[k] = row[k * apart];
            INLAY_UNROLL
            for (int k = 0; k < map_unroll; ++k, c.back(0) += apart) write_chunk<N>(sink, c, N, v[k]);
            return;
        }
    }
#pragma unroll 1
    for (int k = 0; k < each; ++k) {
        const index_t i = first + k * map_threads;
        if (i >= total) return;
        c = chunks(i);
        c.back(0) *= N;
        const index_t left = width - c.back(0);
        const int n = left < N ? static_cast<int>(left) : N;
        write_chunk<N>(sink, c, n, read_chunk<N, T>(in, c, n));
    }
}

}  // namespace detail

/// sink = in at every coordinate of e.
template <int R, class In, class Sink>
void map(Launcher& l, Extents<R> e, In in, Sink sink) {
    constexpr int N = sink_lanes<Sink>;
    if (count(e) == 0) return;
    if constexpr (collapsible<Sink, In>) collapse(e, sink, in);
    Extents<R> chunks = e;
    chunks.back(0) = (e.back(0) + N - 1) / N;
    const index_t total = count(chunks);
    const bool large = total >= index_t(l.device().multiprocessors) * 2048 * detail::map_unroll;
    const int each = large ? detail::map_unroll : 1, block = detail::map_threads * each;
    l.launch({.blocks = (total + block - 1) / block, .threads = detail::map_threads, .overlaps = true},
             detail::map_kernel<N, R, In, Sink>, Unravel<R>(chunks), total, e.back(0), each, in, sink);
}

}  // namespace inlay::inline INLAY_ABI::cuda
