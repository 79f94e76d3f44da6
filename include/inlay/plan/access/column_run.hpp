// SPDX-License-Identifier: Apache-2.0
/// The pieces in which a sink stores the columns of a row: kernels that find places once for a group of columns choose
/// groups that no piece ends in.
#pragma once

#include <inlay/expr/sink.hpp>

#include <numeric>
#include <utility>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Length of the piece at a walk. Where a tensor has the places, which may be a device's, all rows have the same pieces:
/// the walk goes on where it is.
template <int I, class Outs, int R>
index_t piece_at(const bound_sink<Store<I>, Outs, types<>>&, const Outs& outs, const Walk<R>& w) {
    return w.axis < 0 || w.run <= 1 || get<I>(outs).strides[w.axis] == 1 ? w.run : 1;
}
template <class S, class Outs, class... K, int R>
index_t piece_at(const bound_sink<S, Outs, types<K...>>& sink, const Outs& outs, Walk<R> w) {
    const int active = S::piece(sink.state, w);
    index_t n = 0;
    const auto enter = [&]<int I>(std::integral_constant<int, I>) {
        if constexpr (sink_reads_slots<S>) n = piece_at(get<I>(sink.below), outs, w);
        else n = piece_at(get<I>(sink.below), outs, S::template enter<I>(sink.state, w));
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
        ((active == I ? enter(std::integral_constant<int, I>{}) : void()), ...);
    }(std::make_integer_sequence<int, S::pieces>{});
    return n;
}

}  // namespace detail

/// The greatest length that all pieces of a row of `columns` results are multiples of: 64 for heads of 64 elements, 1
/// where neighbours lie apart, 0 without a column. Reads no memory.
template <class S, class Outs>
index_t column_run(const BoundSink<S, Outs>& sink, index_t columns) {
    constexpr int rank = detail::rank_of_sink<S, Outs>::value;
    index_t run = 0;
    for (index_t done = 0; done < columns;) {
        Extents<rank> c{};
        c.back(0) = done;
        const index_t n = detail::piece_at(sink.root, sink.outs, Walk<rank>{c, rank - 1, columns - done});
        run = std::gcd(run, n);
        done += n;
    }
    return run;
}

}  // namespace inlay::inline INLAY_ABI
