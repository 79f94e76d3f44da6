// SPDX-License-Identifier: Apache-2.0
/// SplitLast: the channels of a result as heads of an output.
#pragma once

#include <inlay/expr/node.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// The last axis of the result split in two, [..., H·D] → [..., H, D]; D is that of the outputs.
template <class S>
struct SplitLast : sink_expression {
    static_assert(detail::is_sink<S>, "inlay: a sink stands over a sink such as Store<0>, not over an expression");
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R - 1;
    template <int R>
    static constexpr bool accepts = R >= 2;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: SplitLast stores [..., H, D]: its output has at least two axes");
    }
    struct State {
        index_t d;
    };
    template <int R>
    static State bind(const Extents<R>& stored) {
        return {stored.back(0)};
    }
    template <int R>
    static Extents<R - 1> extents(const Extents<R>& stored) {
        Extents<R - 1> e;
        for (int i = 0; i + 1 < R; ++i) e[i] = stored[i];
        e.back(0) = checked_product(e.back(0), stored.back(0));
        return e;
    }
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        if (w.axis == R - 1) w.limit(s.d - w.c[R - 1] % s.d);
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R + 1> enter(const State& s, const Walk<R>& w) {
        Walk<R + 1> r;
        r.run = w.run;
        for (int i = 0; i < R; ++i) r.c[i] = w.c[i];
        r.c[R - 1] = w.c[R - 1] / s.d;
        r.c[R] = w.c[R - 1] % s.d;
        r.axis = w.axis == R - 1 ? R : w.axis;
        return r;
    }
};

}  // namespace node

using node::SplitLast;

template <Sink S>
INLAY_FN constexpr SplitLast<S> split_last(S) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
