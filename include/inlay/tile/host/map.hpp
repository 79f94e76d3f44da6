// SPDX-License-Identifier: Apache-2.0
/// Elementwise: an expression at every coordinate, in pieces of rows.
#pragma once

#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::on_host {

/// sink(c) = in(c) over the extents e.
template <int R, class In, class Sink>
void map(Threads& threads, const Extents<R>& e, const In& in, const Sink& sink) {
    constexpr index_t piece = 4096, per_task = 1 << 15;
    const index_t n = e.back(0), pieces = (n + piece - 1) / piece;
    if (count(e) == 0) return;
    Extents<R> lead = e;
    lead.back(0) = pieces;
    const index_t total = count(lead), each = std::max<index_t>(1, per_task / (std::min)(n, piece));
    threads.parallel_for((total + each - 1) / each, [&](index_t task, int worker) {
        auto* scratch = static_cast<float*>(threads.scratch(worker, sizeof(float) * piece));
        for (index_t i = task * each; i < (std::min)(total, (task + 1) * each); ++i) {
            auto c = unravel(i, lead);
            c.back(0) *= piece;
            const index_t m = (std::min)(piece, n - c.back(0));
            evaluate_row(in, c, m, scratch);
            write_row(sink, c, m, scratch);
        }
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host
