// SPDX-License-Identifier: Apache-2.0
/// WithRowStats: a result, and the statistics of its rows.
#pragma once

#include <inlay/expr/node.hpp>
#include <inlay/expr/sink/store.hpp>

namespace inlay::inline INLAY_ABI {

/// Writes through S, and publishes to output slot J a record of each row, [..., E] in fp32, of the values as they are
/// stored: the moments of each part of its columns (`expr/row_record.hpp`). `PublishedMean` and `PublishedRstd` merge
/// them in an epilogue. A product publishes while it has the tile: as many parts as its plan has tiles of columns, if
/// the record has room for them. Otherwise, and behind other frames, a pass over the output publishes one part.
template <class S, int J>
struct WithRowStats : publishing_sink<S, J> {
    static_assert(detail::is_store<S>, "inlay: WithRowStats stands over a plain Store<I>");
    static_assert(J >= 0, "inlay: an output slot is numbered from 0");
    static_assert(S::slot != J, "inlay: WithRowStats publishes to an output other than the one it stores to");
};

template <int J, Sink S>
INLAY_FN constexpr WithRowStats<S, J> with_row_stats(S) {
    return {};
}

namespace detail {

template <class S>
inline constexpr bool is_row_stats = false;
template <class S, int J>
inline constexpr bool is_row_stats<WithRowStats<S, J>> = true;
/// The output slot whose rows have their statistics published: it is stored as it is.
template <class S>
inline constexpr int row_stats_source = -1;
template <int I, int J>
inline constexpr int row_stats_source<WithRowStats<Store<I>, J>> = I;

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
