// SPDX-License-Identifier: Apache-2.0
/// Reductions on a GPU, in one kernel and one fixed order: two runs give the same bits.
#pragma once

#include <inlay/plan/reduce/decide.hpp>
#include <inlay/tile/gpu/reduce/columns.hpp>
#include <inlay/tile/gpu/reduce/rows.hpp>
#include <inlay/tile/gpu/reduce/short_rows.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The n elements of `in` at out + reduced combined for every coordinate of out, then the epilogue and the sink.
/// `Rows`: the last axis is among those reduced.
template <class Op, bool Rows, int R, class In, class Epilogue, class Sink>
void reduce(Launcher& l, Extents<R> out, Extents<R> reduced, double n, In in, Epilogue epilogue, Sink sink) {
    const ReduceProblem p = reduce_problem<Rows>(out, reduced, in, epilogue, sink);
    if (p.results == 0) return;
    const ReduceDecision d = decide(p, target_of(l.device()));
    if constexpr (!Rows) {
        detail::reduce_columns<Op>(l, p, d, out, reduced, n, in, epilogue, sink);
    } else if (d.engine == ReduceEngine::short_rows) {
        if constexpr (walks_down<typename In::expression>)
            detail::reduce_short_rows<Op>(l, p, d, out, n, in, epilogue, sink);
    } else {
        detail::reduce_rows<Op>(l, p, d, out, reduced, n, in, epilogue, sink);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
