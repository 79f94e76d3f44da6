// SPDX-License-Identifier: Apache-2.0
/// Adjacent axes along which every tensor of a kernel lies like one axis become one, so that short rows join to long
/// ones: [2, 64, 64, 4] + [2, 64, 64, 4] is one row of 32768. Only where expression and sink have no views.
#pragma once

#include <inlay/expr/sink.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::cuda {

namespace detail {

template <class Node>
inline constexpr bool same_everywhere =
    Node::kind == NodeKind::pointwise || inlay::detail::is_buf<Node> || inlay::detail::is_const<Node> ||
    inlay::detail::is_param<Node>;
template <class... Node>
constexpr bool all_same_everywhere(types<Node...>) {
    return (same_everywhere<Node> && ...);
}

/// Stride of a tensor along axis i of a result of rank R; 0 where it is broadcast.
template <int R, class T>
index_t stride_along(const T& t, int i) {
    const int a = i - (R - T::rank);
    return a < 0 || t.extents[a] == 1 ? 0 : t.strides[a];
}
/// The tensor with axis `from` of the result at axis `to` ≥ from.
template <int R, class T>
void set_axis(T& to, const T& from, int axis, int source, index_t extent) {
    const int a = axis - (R - T::rank);
    if (a < 0) return;
    const index_t s = source < 0 ? 0 : stride_along<R>(from, source);
    to.extents[a] = s == 0 ? 1 : extent;
    to.strides[a] = s;
}

template <class S>
inline constexpr int stored_slot = inlay::detail::stats_source<S>;
template <int I>
inline constexpr int stored_slot<Store<I>> = I;

/// f(tensor) for every tensor that is read or written at the result's coordinates.
template <class In, class Sink, class F>
void each_tensor(In& in, Sink& sink, F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (f(get<I>(in.env.buffers)), ...);
    }(std::make_integer_sequence<int, In::env_type::tensors::size>{});
    f(get<stored_slot<typename Sink::sink>>(sink.outs));
}

}  // namespace detail

/// Whether an expression reads, and a sink writes, at the result's own coordinates alone.
template <class In, class Sink>
inline constexpr bool collapsible =
    detail::all_same_everywhere(nodes_of<typename In::expression>{}) && detail::stored_slot<typename Sink::sink> >= 0;

/// Joins axes of e and of the tensors bound to `in` and `sink`; unused leading axes get extent 1.
template <int R, class In, class Sink>
void collapse(Extents<R>& e, In& in, Sink& sink) {
    Extents<R> joined{};
    int source[R];  // the axis of the old result whose stride a new axis has
    for (int i = 0; i < R; ++i) joined[i] = 1, source[i] = -1;
    int to = R;
    for (int i = R - 1; i >= 0; --i) {
        if (e[i] == 1) continue;
        bool fits = to < R;
        detail::each_tensor(in, sink, [&](const auto& t) {
            if (fits) fits = detail::stride_along<R>(t, i) == detail::stride_along<R>(t, source[to]) * joined[to];
        });
        if (!fits) source[--to] = i;
        joined[to] *= e[i];
    }
    detail::each_tensor(in, sink, [&](auto& t) {
        const auto old = t;
        for (int i = 0; i < R; ++i) detail::set_axis<R>(t, old, i, source[i], joined[i]);
    });
    e = joined;
}

}  // namespace inlay::inline INLAY_ABI::cuda
