// SPDX-License-Identifier: Apache-2.0
/// Reductions that keep the last axis: a thread combines a chunk of columns over some of the rows, a block those of its
/// threads, and several blocks share a chunk of columns where there are few.
#pragma once

#include <inlay/tile/gpu/chunk/columns.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/reduce/combine.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// Partial results of N columns, `stride` floats apart.
template <int N>
struct PartialRow {
    const float* p;
    index_t stride;

    __device__ INLAY_INLINE Vec<float, N> operator[](index_t i) const { return load_partial<N>(p + i * stride); }
};

/// `out`: the result, its last axis, of `width`, counted in tiles of `across` chunks. `reduced`: the rows of one
/// result. `axis`: the only one reduced, or −1.
template <class Op, int N, int R, class In, class Epilogue, class Sink>
struct ReduceColumnsBody {
    struct Arguments {
        Unravel<R> out;
        Unravel<R> reduced;
        index_t width;
        int across;
        int axis;
        double n;
        In in;
        Epilogue epilogue;
        Sink sink;
        Parts parts;
    };
    static constexpr int threads = reduce_threads, min_blocks = reduce_blocks;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [out, reduced, width, across, axis, n, in, epilogue, sink, parts] = arguments;
        __shared__ Vec<float, N> sums[reduce_threads];
        const int column = thread_index() & (across - 1), down = reduce_threads / across,
                  row = thread_index() / across;
        const index_t rows = count(reduced.extents);
        const Part part(parts, rows, work.template tile<unsigned>());
        Extents<R> c = out(part.result);
        c.back(0) = (c.back(0) * across + column) * N;
        const index_t left = width - c.back(0);
        const int lanes = left < 0 ? 0 : left < N ? static_cast<int>(left) : N;
        after_previous_kernel();

        Vec<float, N> acc = identity<Op, N>();
        if (lanes > 0) {
            index_t j = part.begin + row;
            if constexpr (ColumnReader<N, In, R>::possible) {
                if (axis >= 0 && lanes == N) {
                    const ColumnReader<N, In, R> reader(in, c, axis, rows);
                    if (reader.dense()) {
                        acc = combine_chunks<Op, N, chunks_at_once<In>>(reader, j, part.end, index_t(down));
                        j = part.end;
                    }
                }
            }
#pragma unroll 1
            for (; j < part.end; j += down) acc = Op::combine(acc, read_chunk<N>(in, sum(c, reduced(j)), lanes));
        }

        // The rows of the block in order, as a tree, into those of row 0.
        const auto combine_rows = [&] {
            sums[thread_index<unsigned>()] = acc;
            for (int half = down / 2; half > 0; half /= 2) {
                block_sync();
                if (row < half) {
                    acc = Op::combine(acc, sums[thread_index<unsigned>() + half * across]);
                    sums[thread_index<unsigned>()] = acc;
                }
            }
        };
        combine_rows();
        if (parts.count > 1) {
            const index_t stride = static_cast<index_t>(across) * N;
            float* partial = parts.partial + part.result * parts.count * stride + column * N;
            if (row == 0) store_vector<N>(partial + part.index * stride, acc);
            if (!is_last_part(parts, part.result)) return;
            // Shared out over the rows: there may be hundreds of partial results, and a single row would wait for each
            // of them.
            acc = combine_chunks<Op, N, 32 / N>(PartialRow<N>{partial, stride}, row, parts.count, down);
            combine_rows();
        }
        if (row == 0 && lanes > 0) epilogue_totals<Op, N>(epilogue, sink, c, lanes, n, acc);
    }
};

template <class Op, int R, class In, class Epilogue, class Sink>
void reduce_columns(Launcher& l, const ReduceProblem& p, const ReduceDecision& d, const Extents<R>& out,
                    const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue, const Sink& sink) {
    constexpr int N = leaf_lanes<In>;
    Extents<R> tiled = out;
    tiled.back(0) = d.tiles / (p.results / p.width);
    int axis = -1, axes = 0;
    for (int i = 0; i < R; ++i)
        if (reduced[i] > 1) axis = i, ++axes;
    l.launch<ReduceColumnsBody<Op, N, R, In, Epilogue, Sink>>(
        {.blocks = d.blocks(), .threads = d.threads, .overlaps = true},
        {Unravel<R>(tiled), Unravel<R>(reduced), p.width, d.size, axes == 1 ? axis : -1, n, in, epilogue, sink,
         Parts(l, d, d.tiles, d.size * N)});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
