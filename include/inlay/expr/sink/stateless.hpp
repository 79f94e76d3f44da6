// SPDX-License-Identifier: Apache-2.0
/// The base of sinks that have nothing to bind.
#pragma once

#include <inlay/expr/node.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

/// Base of a sink over one other, of the same rank, whose map of coordinates is known at compile time.
template <class S>
struct stateless_sink : sink_expression {
    using children = types<S>;
    static constexpr int pieces = 1;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static NoState bind(const Extents<R>&) {
        return {};
    }
    template <int R>
    INLAY_FN static int piece(const NoState&, Walk<R>&) {
        return 0;
    }
};

}  // namespace inlay::inline INLAY_ABI
