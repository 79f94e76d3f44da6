// SPDX-License-Identifier: Apache-2.0
/// Reductions on a GPU, in one kernel and one fixed order: two runs give the same bits.
#pragma once

#include <inlay/tile/gpu/index/collapse.hpp>
#include <inlay/tile/gpu/reduce/columns.hpp>
#include <inlay/tile/gpu/reduce/rows.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The n elements of `in` at out + reduced combined for every coordinate of out, then the epilogue and the sink.
/// `Rows`: the last axis is among those reduced.
template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
void reduce(Launcher& l, Extents<R> out, Extents<R> reduced, double n, In in, Epilogue epilogue, Sink sink) {
    if (count(out) == 0) return;
    if constexpr (collapsible<Sink, In, Epilogue>) {
        if (count(reduced) > 0) {
            Extents<R> all;
            for (int i = 0; i < R; ++i) all[i] = out[i] * reduced[i];
            collapse(all, sink, in, epilogue);
            out = get<detail::stored_slot<typename Sink::sink>>(sink.outs).extents;
            for (int i = 0; i < R; ++i) reduced[i] = all[i] / out[i];
        }
    }
    if constexpr (Rows) detail::reduce_rows<Op>(l, out, reduced, n, in, epilogue, sink);
    else detail::reduce_columns<Op>(l, out, reduced, n, in, epilogue, sink);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
