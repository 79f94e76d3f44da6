// SPDX-License-Identifier: Apache-2.0
/// Partition: parts of a result to several outputs.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// Parts of an axis of the result to different sinks, in order: one GEMM writes Q, K and V.
template <auto Axis, class... S>
struct Partition : sink_expression {
    static_assert((detail::is_sink<S> && ...), "inlay: a sink stands over sinks such as Store<0>, not over expressions");
    static_assert(unite_types<types<>, types<S...>>::size == sizeof...(S),
                  "inlay: two parts of a partition are the same sink, so one would overwrite the other");
    using children = types<S...>;
    static constexpr int pieces = static_cast<int>(sizeof...(S));
    template <int R, int... Rest>
    static constexpr int rank = R;
    template <int R, int... Rest>
    static constexpr bool accepts = ((Rest == R) && ...) && detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: the sinks of a partition have one rank, and its axis is one of theirs");
    }
    struct State {
        int axis;
        index_t end[room_for<pieces>];
    };
    template <int R, int... Rest>
    static State bind(const Extents<R>& first, const Extents<Rest>&... rest) {
        State s{normal_axis<Partition>(Axis, R), {}};
        index_t n = first[s.axis];
        int i = 0;
        s.end[i++] = n;
        ((s.end[i++] = n = checked_sum(n, rest[s.axis])), ...);
        return s;
    }
    template <int R, int... Rest>
    static Extents<R> extents(Extents<R> first, const Extents<Rest>&... rest) {
        const State s = bind(first, rest...);
        [[maybe_unused]] const auto agree = [&](const Extents<R>& e) {
            for (int i = 0; i < R; ++i)
                if (i != s.axis && e[i] != first[i])
                    fail(name<Partition>() + ": sinks of " + text(first) + " and " + text(e) + " differ off axis " +
                         decimal_text(s.axis));
        };
        (agree(rest), ...);
        first[s.axis] = s.end[pieces - 1];
        return first;
    }
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        constexpr int axis = detail::axis_of<Axis, R>();
        int k = 0;
        while (k + 1 < pieces && w.c[axis] >= s.end[k]) ++k;
        if (w.moves(axis)) w.limit(s.end[k] - w.c[axis]);
        return k;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State& s, Walk<R> w) {
        if constexpr (K > 0) w.c[detail::axis_of<Axis, R>()] -= s.end[K - 1];
        return w;
    }
};

}  // namespace node

template <auto Axis, class... S>
using Partition = node::Partition<detail::index<Axis>, S...>;

template <auto Axis, Sink... S>
INLAY_FN constexpr auto partition(S...) {  // `auto`: nvcc finds the alias to be another type here
    return node::Partition<detail::index<Axis>, S...>{};
}

}  // namespace inlay::inline INLAY_ABI
