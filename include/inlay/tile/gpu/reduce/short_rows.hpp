// SPDX-License-Identifier: Apache-2.0
/// Reductions of many rows of up to `narrowest_warp` chunks: neighbouring lanes have a chunk each, so that a warp reads
/// neighbouring memory, and several rows at once, so that loads overlap.
#pragma once

#include <inlay/tile/gpu/block/group.hpp>
#include <inlay/tile/gpu/chunk/columns.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/reduce/combine.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// c, `by` further along an axis. No element is chosen by its number, which would put c into memory.
template <int R>
__device__ INLAY_INLINE Extents<R> further(Extents<R> c, int axis, index_t by) {
    INLAY_UNROLL
    for (int i = 0; i < R; ++i) c[i] += i == axis ? by : 0;
    return c;
}

/// `out`: the result, whose only axis of more than 1 is `axis`. `size`: lanes of a row, a power of two, at least its
/// `length` in chunks.
template <class Op, int N, int R, class In, class Epilogue, class Sink>
struct ReduceShortRowsBody {
    struct Arguments {
        Unravel<R> out;
        index_t results;
        int axis;
        int length;
        int size;
        double n;
        In in;
        Epilogue epilogue;
        Sink sink;
    };
    static constexpr int threads = reduce_threads, min_blocks = reduce_blocks;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [out, results, axis, length, size, n, in, epilogue, sink] = arguments;
        constexpr int rows = chunks_at_once<In>;
        after_previous_kernel();
        const int shift = bit_count(static_cast<unsigned>(size) - 1), groups = reduce_threads >> shift,
                  rank = thread_index() & (size - 1), column = rank * N;
        const index_t first = work.template tile<index_t>() * groups * rows + (thread_index<unsigned>() >> shift),
                      i = first < results ? first : results - 1;
        Extents<R> c = out(i);
        float total[rows];
        INLAY_UNROLL
        for (int k = 0; k < rows; ++k) total[k] = static_cast<float>(Op::identity);
        if (column < length) {
            c.back(0) = column;
            const ColumnReader<N, In, R> reader(in, c, axis, results - i);
            // Out-of-range rows clamp to the last one, whose total is not stored again.
            const auto row = [&](int k) { return (::min)(index_t(k) * groups, results - 1 - i); };
            if (reader.dense()) {
                Vec<float, N> x[rows];
                INLAY_UNROLL
                for (int k = 0; k < rows; ++k) x[k] = reader[row(k)];
                INLAY_UNROLL
                for (int k = 0; k < rows; ++k) total[k] = join_lanes(x[k], Combine<Op>{});
            } else {
                INLAY_UNROLL
                for (int k = 0; k < rows; ++k)
                    total[k] = join_lanes(read_chunk<N>(in, further(c, axis, row(k)), N), Combine<Op>{});
            }
        }
        reduce_lanes(total, size, Combine<Op>{});
        // All lanes of a row have its total: each stores rows of its own.
        c.back(0) = 0;
        for (int own = rank; own < rows; own += size) {
            float x = total[0];
            INLAY_UNROLL
            for (int k = 1; k < rows; ++k) x = own == k ? total[k] : x;
            if (first + own * groups >= results) return;
            epilogue_totals<Op, 1>(epilogue, sink, further(c, axis, own * groups), 1, n, Vec<float, 1>(x));
        }
    }
};

template <class Op, int R, class In, class Epilogue, class Sink>
void reduce_short_rows(Launcher& l, const ReduceProblem& p, const ReduceDecision& d, const Extents<R>& out, double n,
                       const In& in, const Epilogue& epilogue, const Sink& sink) {
    l.launch<ReduceShortRowsBody<Op, leaf_lanes<In>, R, In, Epilogue, Sink>>(
        {.blocks = d.blocks(), .threads = d.threads, .overlaps = true},
        {Unravel<R>(out), p.results, p.axis, static_cast<int>(p.length), d.size, n, in, epilogue, sink});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
