// SPDX-License-Identifier: Apache-2.0
/// Whole rows: evaluated, changed in place as one, and written.
#pragma once

#include <inlay/tile/host/lanes.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/rows.hpp>
#include <inlay/tile/host/threads.hpp>
#include <inlay/tile/shapes.hpp>

#include <algorithm>

namespace inlay::inline INLAY_ABI::on_host {

/// A row of floats, for the operation of a row frame.
struct Row {
    using value = float;
    float* x;
    index_t n;

    index_t size() const { return n; }
    inlay::Moments<float> moments() const {
        const Moments m = row_moments(x, n);
        return {static_cast<float>(m.mean), static_cast<float>(m.m2)};
    }
    float sum_of_squares() const { return static_cast<float>(row_sum_of_squares(x, n)); }
    void softmax() { row_softmax(x, n); }
    template <class G, class B>
    void scale_shift(float mean, float rstd, const G& gamma, const B& beta) {
        for_lanes(n, [&](index_t j, index_t lanes) {
            const fvec v = (lane(x + j, lanes) - fvec(mean)) * fvec(rstd);
            put(x + j, v * channel(gamma, j, lanes) + channel(beta, j, lanes), lanes);
        });
    }
    /// x = f(x), for vectors of floats and floats alike.
    template <class F>
    void each(F&& f) {
        for_lanes(n, [&](index_t j, index_t lanes) { put(x + j, f(lane(x + j, lanes)), lanes); });
    }
    template <class G>
    void scale(float by, const G& gamma) {
        for_lanes(n, [&](index_t j, index_t lanes) {
            put(x + j, lane(x + j, lanes) * fvec(by) * channel(gamma, j, lanes), lanes);
        });
    }
};

/// f(coordinate, n, scratch of n floats) over whole rows of e.
template <int R, class F>
void whole_rows(Threads& threads, const Extents<R>& e, F&& f) {
    constexpr index_t per_task = 1 << 14;
    const index_t n = e.back(0);
    if (count(e) == 0) return;
    Extents<R> lead = e;
    lead.back(0) = 1;
    const index_t total = count(lead), each = std::max<index_t>(1, per_task / n);
    threads.parallel_for((total + each - 1) / each, [&](index_t task, int worker) {
        auto* scratch = static_cast<float*>(threads.scratch(worker, sizeof(float) * static_cast<std::size_t>(n)));
        for (index_t i = task * each; i < (std::min)(total, (task + 1) * each); ++i) f(unravel(i, lead), n, scratch);
    });
}

/// The operation of a row frame on every row of `in`, then the epilogue and the sink.
template <int R, class In, class Op, class Epilogue, class Sink>
void operate_rows(Threads& threads, const Extents<R>& e, const In& in, const Op& op, const Epilogue& epilogue,
                  const Sink& sink) {
    whole_rows(threads, e, [&](const Extents<R>& c, index_t n, float* x) {
        evaluate_row(in, c, n, x);
        Row row{x, n};
        op(row);
        finish(epilogue, sink, c, n, x);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host
