// SPDX-License-Identifier: Apache-2.0
/// Normalised rows of halves or bf16s, few enough that all are under way at once: lanes of a warp hold a row as it is
/// stored, and its γ and β. No thread waits for another warp, and blocks are small, so that they spread evenly.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/expr/eval.hpp>
#include <inlay/frame/row_operation.hpp>
#include <inlay/plan/norm/row_split.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/kernel.hpp>
#include <inlay/tile/gpu/rows/packed_row.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// `lead`: the extents with a last axis of 1. `size`: lanes of a row, of which each has up to K chunks.
template <int K, int R, class T, class Op>
struct StoredRowsBody {
    struct Arguments {
        Unravel<R> lead;
        index_t rows;
        int n;
        int size;
        Tensor<const T, R> x;
        Tensor<T, R> y;
        Op op;
    };
    static constexpr int threads = RowSplit::packed_threads, min_blocks = RowSplit::packed_resident / threads;

    template <class Tiles>
    __device__ INLAY_INLINE static void run(const Arguments& arguments, Tiles work, char*) {
        const auto& [lead, rows, n, size, x, y, op] = arguments;
        const int shift = bit_count(static_cast<unsigned>(size) - 1);
        const index_t i = work.template tile<index_t>() * (threads >> shift) +
                          (thread_index<unsigned>() >> shift);
        // Out-of-range threads clamp to the last row.
        const Extents<R> c = row_coordinate(lead, i < rows ? i : rows - 1);
        StoredRow<T, K, ShiftingOperation<Op>> row(size, n);
        const T* const from = x.data + inlay::detail::offset(c, x.strides);
        T* const to = y.data + inlay::detail::offset(c, y.strides);
        after_previous_kernel();
        row.load(from, op);
        op(row);
        if (i < rows) row.store(to);
    }
};

template <int K, int R, class In, class Op, class Sink>
void launch_packed_rows(Launcher& l, const NormProblem& p, const RowSplit& s, const Extents<R>& lead, const In& in,
                        const Op& op, const Sink& sink) {
    const auto& y = get<0>(sink.outs);
    using T = typename std::remove_cvref_t<decltype(y)>::value_type;
    l.launch<StoredRowsBody<K, R, T, Op>>(
        {.blocks = s.blocks, .threads = s.threads, .overlaps = true},
        {Unravel<R>(lead), p.items, static_cast<int>(p.channels), s.size,
         in.env.template tensor<In::expression::slot>(), y, op});
}

/// `lead`: the extents with a last axis of 1.
template <int R, class In, class Op, class Sink>
void packed_rows(Launcher& l, const NormProblem& p, const RowSplit& s, const Extents<R>& lead, const In& in,
                 const Op& op, const Sink& sink) {
    if (s.each == RowSplit::packed_chunks)
        launch_packed_rows<RowSplit::packed_chunks>(l, p, s, lead, in, op, sink);
    else launch_packed_rows<RowSplit::few_packed_chunks>(l, p, s, lead, in, op, sink);
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::on_gpu
