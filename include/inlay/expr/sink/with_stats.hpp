// SPDX-License-Identifier: Apache-2.0
/// WithStats: a result, and the statistics of its channels.
#pragma once

#include <inlay/expr/node.hpp>
#include <inlay/expr/sink/store.hpp>

namespace inlay::inline INLAY_ABI {

/// Writes through S, and publishes to output slot J, [B, C, 2] in fp32, the mean of each channel of each batch item and
/// the sum of squared deviations from it, over all axes between. Merging them (Chan) gives the statistics of any group.
template <class S, int J>
struct WithStats : publishing_sink<S, J> {
    static_assert(detail::is_store<S>, "inlay: WithStats stands over a plain Store<I>");
    static_assert(J >= 0, "inlay: an output slot is numbered from 0");
    static_assert(S::slot != J, "inlay: WithStats publishes to an output other than the one it stores to");
};

template <int J, Sink S>
INLAY_FN constexpr WithStats<S, J> with_stats(S) {
    return {};
}

namespace detail {

template <class S>
inline constexpr bool is_stats = false;
template <class S, int J>
inline constexpr bool is_stats<WithStats<S, J>> = true;
/// The output slot whose statistics a sink publishes: it must be stored as it is.
template <class S>
inline constexpr int stats_source = -1;
template <int I, int J>
inline constexpr int stats_source<WithStats<Store<I>, J>> = I;

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
