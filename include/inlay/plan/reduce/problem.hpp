// SPDX-License-Identifier: Apache-2.0
/// A reduction as its decision depends on it: plain numbers, from what a frame hands to a target.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/plan/access/chunks.hpp>
#include <inlay/plan/access/collapse.hpp>

namespace inlay::inline INLAY_ABI {

struct ReduceProblem {
    index_t results = 0;    ///< 0: there is no such work
    index_t width = 0;      ///< results along the last axis
    index_t length = 0;     ///< elements of a result along the last axis
    index_t lines = 0;      ///< elements of a result along the other axes
    int lanes = 4;          ///< elements of a chunk
    int at_once = 8;        ///< chunks that a thread has under way
    bool rows = false;      ///< the last axis is among those reduced
    int axis = -1;          ///< of the results, where they lie along one alone
    bool walks_down = false;    ///< cursors lead from a row to the next: `plan/access/chunks.hpp`
    double bytes = 0;       ///< moved, each tensor once

    constexpr index_t elements() const { return lines * length; }
};

/// The problem. Joins axes of the extents, and of the tensors of expressions and sink, where they lie like one; those
/// that are reduced join among themselves. `Rows`: the last axis is among them.
template <bool Rows, int R, class In, class Epilogue, class Sink>
ReduceProblem reduce_problem(Extents<R>& kept, Extents<R>& reduced, In& in, Epilogue& epilogue, Sink& sink) {
    if (count(kept) == 0) return {};
    if constexpr (collapsible<Sink, In, Epilogue>) {
        if (count(reduced) > 0) {
            Extents<R> all;
            for (int i = 0; i < R; ++i) all[i] = kept[i] * reduced[i];
            collapse(all, sink, in, epilogue);
            kept = get<detail::stored_slot<typename Sink::sink>>(sink.outs).extents;
            for (int i = 0; i < R; ++i) reduced[i] = all[i] / kept[i];
        }
    }
    ReduceProblem p{count(kept), kept.back(0), reduced.back(0), 1, leaf_lanes<In>, chunks_at_once<In>, Rows};
    for (int i = 0; i + 1 < R; ++i) p.lines *= reduced[i];
    int axis = 0;
    while (axis + 1 < R && kept[axis] == 1) ++axis;
    if (kept[axis] == p.results) p.axis = axis;
    p.walks_down = walks_down<typename In::expression>;
    p.bytes = read_bytes(in, p.results * p.elements()) + 16.0 / sink_lanes<Sink> * static_cast<double>(p.results);
    return p;
}

}  // namespace inlay::inline INLAY_ABI
