// SPDX-License-Identifier: Apache-2.0
/// Reductions along the last axis, and others with it: a group of threads combines the elements of a result. Several
/// blocks share one where there are few results of many elements.
#pragma once

#include <inlay/tile/gpu/block/group.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/reduce/combine.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// `out`: the result. `reduced`: the elements of one result, the last axis, of `length`, counted in chunks. `size`:
/// threads of a result, all of the block where parts.count > 1.
template <class Op, int N, int R, class In, class Epilogue, class Sink>
struct ReduceRowsBody {
    struct Arguments {
        Unravel<R> out;
        Unravel<R> reduced;
        index_t results;
        index_t length;
        int size;
        double n;
        In in;
        Epilogue epilogue;
        Sink sink;
        Parts parts;
    };
    static constexpr int threads = reduce_threads, min_blocks = reduce_blocks;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [out, reduced, results, length, size, n, in, epilogue, sink, parts] = arguments;
        after_previous_kernel();
        __shared__ float shared[Group::floats];
        Group group(size, shared);
        const index_t chunks = count(reduced.extents);
        const Part part(parts, chunks, work.template tile<unsigned>());
        const index_t i = part.result * (reduce_threads / size) + thread_index() / size;
        const Extents<R> c = out(i < results ? i : 0);

        Vec<float, N> acc = identity<Op, N>();
        if (i < results && part.begin < part.end) {
            Extents<R> from = c;
            from.back(0) += part.begin * N;
            const index_t elements = (part.end * N < length ? part.end * N : length) - part.begin * N;
            const bool one_row = chunks == reduced.extents.back(0);
            const RowReader<N, In, R> row(in, from, one_row ? elements : 1);
            if (one_row && row.dense()) {
                const index_t apart = static_cast<index_t>(size) * N;
                acc = combine_chunks<Op, N, chunks_at_once<In>>(row, static_cast<index_t>(group.rank) * N, elements,
                                                                apart);
            } else {
#pragma unroll 1
                for (index_t q = part.begin + group.rank; q < part.end; q += size) {
                    Extents<R> at = reduced(q);
                    at.back(0) *= N;
                    const int lanes = length - at.back(0) < N ? static_cast<int>(length - at.back(0)) : N;
                    const Vec<float, N> v = read_chunk<N>(in, sum(c, at), lanes);
                    INLAY_UNROLL
                    for (int l = 0; l < N; ++l)
                        if (l < lanes) acc.v[l] = Op::combine(acc.v[l], v.v[l]);
                }
            }
        }
        float total = group.reduce(join_lanes(acc, Combine<Op>{}), Combine<Op>{});
        if (parts.count > 1) {
            if (thread_index() == 0) parts.partial[i * parts.count + part.index] = total;
            if (!is_last_part(parts, i)) return;
            total = static_cast<float>(Op::identity);
            for (int p = thread_index(); p < parts.count; p += reduce_threads)
                total = Op::combine(total, load_l2(parts.partial + i * parts.count + p));
            total = group.reduce(total, Combine<Op>{});
        }
        if (i < results && group.rank == 0)
            epilogue_totals<Op, 1>(epilogue, sink, c, 1, n, Vec<float, 1>(total));
    }
};

template <class Op, int R, class In, class Epilogue, class Sink>
void reduce_rows(Launcher& l, const ReduceProblem& p, const ReduceDecision& d, const Extents<R>& out,
                 const Extents<R>& reduced, double n, const In& in, const Epilogue& epilogue, const Sink& sink) {
    constexpr int N = leaf_lanes<In>;
    Extents<R> counted = reduced;
    counted.back(0) = (p.length + N - 1) / N;
    l.launch<ReduceRowsBody<Op, N, R, In, Epilogue, Sink>>(
        {.blocks = d.blocks(), .threads = d.threads, .overlaps = true},
        {Unravel<R>(out), Unravel<R>(counted), p.results, p.length, d.size, n, in, epilogue, sink,
         Parts(l, d, p.results, 1)});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
