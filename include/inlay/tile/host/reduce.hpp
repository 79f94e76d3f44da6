// SPDX-License-Identifier: Apache-2.0
/// Reductions over any axes, in a fixed order whatever the number of threads.
#pragma once

#include <inlay/tile/host/lanes.hpp>
#include <inlay/tile/host/row.hpp>
#include <inlay/tile/host/threads.hpp>

#include <algorithm>

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {
template <int R>
Extents<R> sum(Extents<R> a, const Extents<R>& b) {
    for (int i = 0; i < R; ++i) a[i] += b[i];
    return a;
}
/// A row of floats, in vectors.
template <class Op>
float fold(const float* row, index_t m) {
    fvec acc(static_cast<float>(Op::identity));
    index_t j = 0;
    for (; j + host_lanes <= m; j += host_lanes) acc = Op::combine(acc, fvec::load(row + j));
    float r = static_cast<float>(Op::identity);
    for (int i = 0; i < host_lanes; ++i) r = Op::combine(r, acc[i]);
    for (; j < m; ++j) r = Op::combine(r, row[j]);
    return r;
}
}  // namespace detail

/// Vector partials of a row, rows in double.
template <class Op, int R, class In, class Epilogue, class Sink>
void reduce_rows(Threads& threads, const Extents<R>& out, const Extents<R>& reduced, double n, const In& in,
                 const Epilogue& epilogue, const Sink& sink) {
    constexpr index_t piece = 1024;
    Extents<R> outer = reduced;
    outer.back(0) = 1;
    const index_t length = reduced.back(0);
    threads.parallel_for(count(out), [&](index_t task, int worker) {
        auto* row = static_cast<float*>(threads.scratch(worker, sizeof(float) * piece));
        const Extents<R> c = unravel(task, out);
        double total = Op::identity;
        for (index_t i = 0; i < count(outer); ++i)
            for (index_t j = 0; j < length; j += piece) {
                const index_t m = (std::min)(piece, length - j);
                Extents<R> at = detail::sum(c, unravel(i, outer));
                at.back(0) += j;
                evaluate_row(in, at, m, row);
                total = Op::combine(total, static_cast<double>(detail::fold<Op>(row, m)));
            }
        const float result[host_lanes] = {static_cast<float>(Op::finish(total, n))};  // room for a whole vector
        finish(epilogue, sink, c, 1, result);
    });
}
/// Rows are combined value by value, 64 rows at a time in float, then in double.
template <class Op, int R, class In, class Epilogue, class Sink>
void reduce_columns(Threads& threads, const Extents<R>& out, const Extents<R>& reduced, double n, const In& in,
                    const Epilogue& epilogue, const Sink& sink) {
    constexpr index_t block = 64, piece = 1024;
    Extents<R> lead = out;
    const index_t width = out.back(0), pieces = (width + piece - 1) / piece;
    lead.back(0) = pieces;
    threads.parallel_for(count(lead), [&](index_t task, int worker) {
        auto* total = static_cast<double*>(threads.scratch(worker, (sizeof(double) + 2 * sizeof(float)) * piece));
        float* acc = reinterpret_cast<float*>(total + piece);
        float* row = acc + piece;
        Extents<R> c = unravel(task, lead);
        c.back(0) *= piece;
        const index_t m = (std::min)(piece, width - c.back(0));
        std::fill(total, total + m, Op::identity);
        for (index_t i0 = 0; i0 < count(reduced); i0 += block) {
            std::fill(acc, acc + m, static_cast<float>(Op::identity));
            for (index_t i = i0; i < (std::min)(i0 + block, count(reduced)); ++i) {
                evaluate_row(in, detail::sum(c, unravel(i, reduced)), m, row);
                for_lanes(m, [&](index_t j, index_t lanes) {
                    put(acc + j, Op::combine(lane(acc + j, lanes), lane(row + j, lanes)), lanes);
                });
            }
            for (index_t j = 0; j < m; ++j) total[j] = Op::combine(total[j], static_cast<double>(acc[j]));
        }
        for (index_t j = 0; j < m; ++j) row[j] = static_cast<float>(Op::finish(total[j], n));
        finish(epilogue, sink, c, m, row);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_host

INLAY_ORDERED_END
