// SPDX-License-Identifier: Apache-2.0
/// Whole rows on a GPU: softmax, LayerNorm, RMSNorm. A group of 1 to 256 threads holds a row of up to 8192 elements in
/// registers and reads it once. A longer row belongs to a block: it is copied to shared memory in the background where
/// it is read and stored as it is and fits; else the block keeps some 57000 elements of it there, or twice as many of
/// 16 bits, and reads only the others twice.
#pragma once

#include <inlay/frame/row_operation.hpp>
#include <inlay/plan/norm/decide.hpp>
#include <inlay/plan/norm/rows.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/rows/in_shared_memory.hpp>
#include <inlay/tile/gpu/rows/packed.hpp>
#include <inlay/tile/gpu/rows/streamed.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// True if rows of a matrix are read and stored as they are, which takes few registers beside their elements.
template <int R, class In, class Epilogue, class Sink>
inline constexpr bool rows_as_they_are =
    R <= 2 && inlay::detail::is_buf<typename In::expression> && std::is_same_v<typename Epilogue::expression, Out> &&
    std::is_same_v<typename Sink::sink, Store<0>>;
/// Warps of 32 threads on a multiprocessor, at least: RMSNorm takes some more registers than softmax and LayerNorm.
template <int N, int R, class In, class Op, class Epilogue, class Sink>
inline constexpr int row_warps = N == 8 && rows_as_they_are<R, In, Epilogue, Sink>
                                     ? (ScalingOperation<Op> && !ShiftingOperation<Op> ? 24 : 32)
                                     : 16;

/// n elements of a vector to shared memory, in the background.
template <class V>
__device__ INLAY_INLINE void copy_operand(const V& t, int n, char* to) {
    const int bytes = n * static_cast<int>(sizeof(*t.data));
    for (int i = thread_index() * 16; i < bytes; i += block_threads() * 16)
        copy_async(shared_address(to + i), reinterpret_cast<const char*>(t.data) + i);
}
/// The place of copied operands of n elements: γ, then β.
template <class Op>
__device__ INLAY_INLINE void copy_operands(const Op& op, int n, char* to) {
    copy_operand(op.gamma, n, to);
    if constexpr (ShiftingOperation<Op>) copy_operand(op.beta, n, to + n * static_cast<int>(sizeof(*op.gamma.data)));
    copy_commit();
}
/// An operation that reads them there.
template <class Op>
__device__ INLAY_INLINE void read_copied(Op& op, int n, char* from) {
    op.gamma.data = reinterpret_cast<decltype(op.gamma.data)>(from);
    if constexpr (ShiftingOperation<Op>)
        op.beta.data = reinterpret_cast<decltype(op.beta.data)>(from + n * static_cast<int>(sizeof(*op.gamma.data)));
}

/// `lead`: the result with a last axis of 1. `size`: threads of a row, `each`: chunks of a thread. `copied`: the
/// operands of `op` are read from shared memory.
template <int N, int R, class In, class Op, class Epilogue, class Sink>
struct RowsBody {
    struct Arguments {
        Unravel<R> lead;
        index_t rows;
        int n;
        int size;
        int each;
        bool copied;
        In in;
        Op op;
        Epilogue epilogue;
        Sink sink;
    };
    static constexpr int threads = RowSplit::register_threads,
                         min_blocks = row_warps<N, R, In, Op, Epilogue, Sink> * narrowest_warp / threads;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char* memory) {
        const auto& [lead, rows, n, size, each, copied, in, op, epilogue, sink] = arguments;
        constexpr int K = RowSplit::register_elements / N;
        __shared__ float shared[Group::floats];
        Group group(size, shared);
        const int shift = bit_count(static_cast<unsigned>(size) - 1);
        const index_t i = work.template tile<index_t>() * (block_threads<unsigned>() >> shift) +
                          (thread_index<unsigned>() >> shift);
        Extents<R> c = row_coordinate(lead, i < rows ? i : rows - 1);  // out-of-range threads clamp to the last row
        RegisterRow<N, K> row(group, n, each);
        constexpr bool finds = found_without_reading<typename flatten<typename In::expression>::values>;
        if constexpr (!finds) after_previous_kernel();
        const RowReader<N, In, R> reader(in, c, n);
        if constexpr (finds) after_previous_kernel();
        // Operands are loaded first: any use of the row waits for the row, in the order of the program.
        if constexpr (ScalingOperation<Op>)
            if (copied) copy_operands(op, n, memory);
        if (reader.dense()) {
            if (each > row.batch) {
                INLAY_UNROLL
                for (int k = 0; k < K; ++k) row.x[k] = reader[row.clamped(k)];
            } else {
                INLAY_UNROLL
                for (int k = 0; k < row.batch; ++k) row.x[k] = reader[row.clamped(k)];
            }
        } else {
            if constexpr (runs_in_loop<Tiles>) {
                INLAY_UNROLL
                for (int k = 0; k < K; ++k) row.x[k] = {};
            }
#pragma unroll 1
            for (int k = 0; k < each; ++k) {
                c.back(0) = row.first(k);
                const Vec<float, N> v = read_chunk<N>(in, c, row.lanes(k));
                INLAY_UNROLL
                for (int to = 0; to < K; ++to)
                    if (to == k) row.x[to] = v;
            }
        }
        if constexpr (ScalingOperation<Op>) {
            Op own = op;
            if (copied) read_copied(own, n, memory);
            row.wait_for_operands = copied;
            own(row);
        } else {
            op(row);
        }
        if (i >= rows) return;
        if constexpr (std::is_same_v<typename Epilogue::expression, Out>) {
            c.back(0) = 0;
            const RowWriter<N, Sink, R> writer(sink, c, n);
            if (writer.dense()) {
                INLAY_UNROLL
                for (int k = 0; k < K; ++k) {
                    if (k >= each) break;
                    if (k > 0 || row.lanes(0) > 0) writer.store(row.first(k), row.x[k]);
                }
                return;
            }
        }
        INLAY_UNROLL
        for (int k = 0; k < K; ++k) {
            if (k >= each) break;
            c.back(0) = row.first(k);
            if (row.lanes(k) > 0)
                write_chunk<N>(sink, c, row.lanes(k), read_chunk<N>(epilogue, c, row.lanes(k), &row.x[k]));
        }
    }
};

/// One block per row, of any length, of which `cached` elements stay in shared memory.
template <int N, int R, class In, class Op, class Epilogue, class Sink>
struct StreamedRowsBody {
    struct Arguments {
        Unravel<R> lead;
        index_t n;
        int cached;
        In in;
        Op op;
        Epilogue epilogue;
        Sink sink;
    };
    static constexpr int threads = RowSplit::streamed_threads, min_blocks = 0;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char* memory) {
        const auto& [lead, n, cached, in, op, epilogue, sink] = arguments;
        __shared__ float shared[Group::floats];
        Group group(block_threads(), shared);
        using Measured = MeasuredRow<N, In, R>;
        typename Measured::Cache cache(memory, cached);
        Extents<R> c = lead(work.template tile<index_t>());
        after_previous_kernel();
        Measured measured(group, cache, in, c, n);
        op(measured);
        if constexpr (std::is_same_v<typename Epilogue::expression, Out>) {
            const RowWriter<N, Sink, R> writer(sink, c, n);
            if (writer.dense() && n == cached) {
#pragma unroll 2
                for (int j = thread_index() * N; j < cached; j += block_threads() * N) {
                    ReplayedRow<N> chunk(measured.measures, n, j, N);
                    chunk.x = cache.get(j);
                    op(chunk);
                    writer.store(j, chunk.x);
                }
                return;
            }
        }
#pragma unroll 1
        for (index_t j = thread_index<index_t>() * N; j < n; j += block_threads<index_t>() * N) {
            const int lanes = n - j < N ? static_cast<int>(n - j) : N;
            c.back(0) = j;
            ReplayedRow<N> chunk(measured.measures, n, j, lanes);
            chunk.x = cache.holds(j) ? cache.get(j) : read_chunk<N>(in, c, lanes);
            op(chunk);
            write_chunk<N>(sink, c, lanes, read_chunk<N>(epilogue, c, lanes, &chunk.x));
        }
    }
};

}  // namespace detail

/// `op` on every row of `in` along the last axis of e, then the epilogue and the sink.
template <int R, class In, class Op, class Epilogue, class Sink>
void rows(Launcher& l, const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue, const Sink& sink) {
    constexpr int N = sink_lanes<Sink>;
    using Stored = inlay::detail::StoredRows<In, Op, Epilogue, Sink>;
    const NormProblem p = rows_problem(e, in, op, epilogue, sink);
    if (p.items == 0) return;
    const NormDecision d = decide(p, target_of(l.device()));
    const RowSplit& s = d.rows;
    Extents<R> lead = e;
    lead.back(0) = 1;
    switch (d.engine) {
        case NormEngine::packed_rows:
            if constexpr (Stored::packed) detail::packed_rows(l, p, s, lead, in, op, sink);
            break;
        case NormEngine::register_rows:
            l.launch<detail::RowsBody<N, R, In, Op, Epilogue, Sink>>(
                {.blocks = s.blocks,
                 .threads = s.threads,
                 .shared = static_cast<std::size_t>(s.shared),
                 .overlaps = true},
                {Unravel<R>(lead), p.items, static_cast<int>(p.channels), s.size, s.each, s.shared > 0, in, op,
                 epilogue, sink});
            break;
        case NormEngine::shared_rows:
            if constexpr (Stored::as_they_are) detail::rows_in_shared_memory(l, p, s, lead, in, op, sink);
            break;
        default:
            l.launch<detail::StreamedRowsBody<N, R, In, Op, Epilogue, Sink>>(
                {.blocks = s.blocks,
                 .threads = s.threads,
                 .shared = static_cast<std::size_t>(s.shared),
                 .overlaps = true},
                {Unravel<R>(lead), p.channels, static_cast<int>(s.kept) * N, in, op, epilogue, sink});
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
