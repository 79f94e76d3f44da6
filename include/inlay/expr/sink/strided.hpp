// SPDX-License-Identifier: Apache-2.0
/// Strided: a result between the elements of an output.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/node.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// Element i of an axis of the result at i·Stride + Offset of the output: the phases of a transposed or upsampled
/// convolution. The output's extent along the axis must be a multiple of Stride.
template <class S, index_t Axis, index_t Stride, index_t Offset>
struct Strided : stateless_sink<S> {
    static_assert(Stride >= 1 && Offset >= 0 && Offset < Stride, "inlay: a strided sink needs 0 <= Offset < Stride");
    template <int R>
    static constexpr bool accepts = detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: a strided sink names an axis that its output does not have");
    }
    template <int R>
    static Extents<R> extents(Extents<R> stored) {
        const int axis = normal_axis<Strided>(Axis, R);
        require(stored[axis] % Stride == 0, name<Strided>(), ": extent ", stored[axis], " of axis ", axis,
                " is not a multiple of ", Stride);
        stored[axis] /= Stride;
        return stored;
    }
    template <int R>
    INLAY_FN static int piece(const NoState&, Walk<R>& w) {
        if (w.moves(detail::axis_of<Axis, R>())) w.limit(1);
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const NoState&, Walk<R> w) {
        constexpr int axis = detail::axis_of<Axis, R>();
        w.c[axis] = w.c[axis] * Stride + Offset;
        return w;
    }
};

}  // namespace node

template <class S, auto Axis, auto Stride, auto Offset>
using Strided = node::Strided<S, detail::index<Axis>, detail::index<Stride>, detail::index<Offset>>;

template <auto Axis, auto Stride, auto Offset, Sink S>
INLAY_FN constexpr Strided<S, Axis, Stride, Offset> strided(S) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
