// SPDX-License-Identifier: Apache-2.0
/// Reductions that keep the last axis: a thread combines a chunk of columns over some of the rows, a block those of its
/// threads, and several blocks share a chunk of columns where there are few.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/tile/cuda/reduce_parts.hpp>

namespace inlay::inline INLAY_ABI::cuda::detail {

/// Reads N columns of row j where every leaf holds them consecutive and aligned.
template <int N>
struct ColumnsReader {
    using scalar = float;
    using value = Vec<float, N>;

    template <class T>
    __device__ INLAY_INLINE value load(const T* p, index_t step, index_t j) const {
        return load_vector<N>(p + j * step);
    }
};

template <int N, class Cursor>
__device__ INLAY_INLINE bool dense_columns(const Cursor&, const Cursor&) {
    return true;
}
template <int N, class T>
__device__ INLAY_INLINE bool dense_columns(const inlay::detail::row_cursor<T>& across,
                                           const inlay::detail::row_cursor<T>& down) {
    return dense_leaf<N>(across) && (down.step * static_cast<index_t>(sizeof(T))) % vector_alignment<T, N> == 0;
}

/// N columns of a bound expression from coordinate c on, for n steps along `axis`: the cursors are placed once.
template <int N, class B, int R>
class ColumnReader {
    using List = flatten<typename B::expression>;

public:
    static constexpr bool possible =
        !has_pieces<typename List::values> && !inlay::detail::has_coord<typename List::values>;

    __device__ INLAY_INLINE ColumnReader(const B& bound, const Extents<R>& c, int axis, index_t n) : bound_(bound) {
        if constexpr (possible) {
            Walk<R> w{c, R - 1, N}, d{c, axis, n};
            CursorsOf<typename B::expression, B, Vec<float, N>> across;
            across.place(bound, w, nullptr);
            cursors_.place(bound, d, nullptr);
            dense_ = w.run == N && d.run == n && dense(across, std::make_integer_sequence<int, List::values::size>{});
        }
    }
    __device__ INLAY_INLINE bool dense() const { return dense_; }
    __device__ INLAY_INLINE Vec<float, N> operator[](index_t j) const {
        return cursors_.eval(bound_, ColumnsReader<N>{}, j);
    }

private:
    template <int... I>
    __device__ INLAY_INLINE bool dense(const CursorsOf<typename B::expression, B, Vec<float, N>>& across,
                                       std::integer_sequence<int, I...>) const {
        return (dense_columns<N>(get<I>(across.cursor), get<I>(cursors_.cursor)) && ...);
    }

    const B& bound_;
    CursorsOf<typename B::expression, B, Vec<float, N>> cursors_;
    bool dense_ = false;
};

/// `out`: the result, its last axis, of `width`, counted in tiles of `across` chunks. `reduced`: the rows of one
/// result. `axis`: the only one reduced, or −1.
template <class Op, int N, int R, class In, class Epilogue, class Sink>
__global__ void __launch_bounds__(reduce_threads)
    reduce_columns_kernel(const __grid_constant__ Unravel<R> out, const __grid_constant__ Unravel<R> reduced,
                          const index_t width, const int across, const int axis, const double n,
                          const __grid_constant__ In in, const __grid_constant__ Epilogue epilogue,
                          const __grid_constant__ Sink sink, const Parts parts) {
    __shared__ Vec<float, N> sums[reduce_threads];
    const int column = static_cast<int>(threadIdx.x) & (across - 1), down = reduce_threads / across,
              row = static_cast<int>(threadIdx.x) / across;
    const index_t rows = count(reduced.extents);
    const Part part(parts, rows);
    Extents<R> c = out(part.result);
    c.back(0) = (c.back(0) * across + column) * N;
    const index_t left = width - c.back(0);
    const int lanes = left < 0 ? 0 : left < N ? static_cast<int>(left) : N;
    after_previous_kernel();

    Vec<float, N> acc[reduce_unroll];
    INLAY_UNROLL
    for (int k = 0; k < reduce_unroll; ++k) acc[k] = identity<Op, N>();
    if (lanes > 0) {
        index_t j = part.begin + row;
        if constexpr (ColumnReader<N, In, R>::possible) {
            if (axis >= 0 && lanes == N) {
                const ColumnReader<N, In, R> reader(in, c, axis, rows);
                if (reader.dense()) {
                    for (; j + (reduce_unroll - 1) * down < part.end; j += reduce_unroll * down) {
                        Vec<float, N> v[reduce_unroll];
                        INLAY_UNROLL
                        for (int k = 0; k < reduce_unroll; ++k) v[k] = reader[j + k * down];
                        INLAY_UNROLL
                        for (int k = 0; k < reduce_unroll; ++k) acc[k] = Op::combine(acc[k], v[k]);
                    }
                }
            }
        }
#pragma unroll 1
        for (; j < part.end; j += down) acc[0] = Op::combine(acc[0], read_chunk<N>(in, sum(c, reduced(j)), lanes));
    }
    INLAY_UNROLL
    for (int k = 1; k < reduce_unroll; ++k) acc[0] = Op::combine(acc[0], acc[k]);

    // The rows of the block in order, by halves, into those of row 0.
    const auto combine_rows = [&] {
        sums[threadIdx.x] = acc[0];
        for (int half = down / 2; half > 0; half /= 2) {
            __syncthreads();
            if (row < half) {
                acc[0] = Op::combine(acc[0], sums[threadIdx.x + half * across]);
                sums[threadIdx.x] = acc[0];
            }
        }
    };
    combine_rows();
    if (parts.count > 1) {
        const index_t stride = static_cast<index_t>(across) * N;
        float* partial = parts.partial + part.result * parts.count * stride + column * N;
        if (row == 0) store_vector<N>(partial + part.index * stride, acc[0]);
        if (!is_last_part(parts, part.result)) return;
        // Shared out over the rows: there may be a thousand parts, and a single row would wait for each of them.
        acc[0] = identity<Op, N>();
#pragma unroll 4
        for (int p = row; p < parts.count; p += down)
            INLAY_UNROLL
            for (int i = 0; i < N; ++i) acc[0].v[i] = Op::combine(acc[0].v[i], __ldcg(partial + p * stride + i));
        combine_rows();
    }
    if (row == 0 && lanes > 0) finish_totals<Op, N>(epilogue, sink, c, lanes, n, acc[0]);
}

template <class Op, int R, class In, class Epilogue, class Sink>
void reduce_columns(Launcher& l, const Extents<R>& out, const Extents<R>& reduced, double n, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
    constexpr int N = leaf_lanes<In>;
    constexpr index_t each = 2 * reduce_unroll;  // rows a thread should have at least
    const index_t width = out.back(0), chunks = (width + N - 1) / N, rows = count(reduced);
    int across = 1;
    while (across < 32 && across < chunks) across *= 2;
    Extents<R> tiled = out;
    tiled.back(0) = (chunks + across - 1) / across;
    const index_t tiles = count(tiled), full = index_t(l.device().multiprocessors) * 8, down = reduce_threads / across;
    Parts parts;
    parts.count = static_cast<int>(larger<index_t>(1, smaller(full / tiles, rows / (down * each))));
    parts.each = (rows + parts.count - 1) / parts.count;
    if (parts.count > 1) {
        parts.partial = static_cast<float*>(
            l.workspace(sizeof(float) * static_cast<std::size_t>(tiles * parts.count * across * N)));
        parts.arrived = l.semaphores(static_cast<std::size_t>(tiles));
    }
    int axis = -1, axes = 0;
    for (int i = 0; i < R; ++i)
        if (reduced[i] > 1) axis = i, ++axes;
    l.launch({.blocks = tiles * parts.count, .threads = reduce_threads, .overlaps = true},
             reduce_columns_kernel<Op, N, R, In, Epilogue, Sink>, Unravel<R>(tiled), Unravel<R>(reduced), width, across,
             axes == 1 ? axis : -1, n, in, epilogue, sink, parts);
}

}  // namespace inlay::inline INLAY_ABI::cuda::detail
