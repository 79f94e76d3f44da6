// SPDX-License-Identifier: Apache-2.0
/// Collapse: adjacent axes along which every tensor of a kernel lies like one axis become one, so that short rows join
/// to long ones: [2, 64, 64, 4] + [2, 64, 64, 4] is one row of 32768. Only where expressions and sink have no views.
#pragma once

#include <inlay/expr/sink.hpp>
#include <inlay/plan/access/stored.hpp>

#include <cstddef>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

template <class Node>
inline constexpr bool same_everywhere =
    Node::kind == NodeKind::pointwise || is_buf<Node> || is_const<Node> || is_param<Node> || is_sum<Node>;
template <class Nodes>
inline constexpr bool all_same_everywhere = false;
template <class... Node>
inline constexpr bool all_same_everywhere<types<Node...>> = (same_everywhere<Node> && ...);

/// f(tensor) for every tensor that a bound expression reads.
template <class In, class F>
void each_leaf(In& in, F&& f) {
    [&]<class... Node>(types<Node...>) {
        ([&] {
            if constexpr (is_buf<Node>) f(get<Node::slot>(in.env.buffers));
        }(), ...);
    }(nodes_of<typename In::expression>{});
}

/// Stride of a tensor along axis i of a kernel of rank R; 0 where it is broadcast or reduced.
template <int R, class T>
index_t stride_along(const T& t, int i) {
    const int a = i - (R - T::rank);
    return a < 0 || t.extents[a] == 1 ? 0 : t.strides[a];
}
/// Axis `axis` of a kernel of rank R, as an axis of `t`.
template <int R, class T>
void set_axis(T& t, int axis, index_t extent, index_t stride) {
    const int a = axis - (R - T::rank);
    if (a < 0) return;
    t.extents[a] = stride == 0 ? 1 : extent;
    t.strides[a] = stride;
}

}  // namespace detail

/// True if expressions are read, and a sink written, at the kernel's own coordinates alone.
template <class Sink, class... In>
inline constexpr bool collapsible =
    (detail::all_same_everywhere<nodes_of<typename In::expression>> && ...) &&
    detail::stored_slot<typename Sink::sink> >= 0;

/// Joins axes of e and of the tensors bound to `sink` and `in`; unused leading axes get extent 1. Along the axes that a
/// kernel reduces the output has extent 1: they join among themselves alone.
template <int R, class Sink, class... In>
void collapse(Extents<R>& e, Sink& sink, In&... in) {
    auto& stored = get<detail::stored_slot<typename Sink::sink>>(sink.outs);
    const auto each_tensor = [&](auto&& f) {
        f(stored);
        (detail::each_leaf(in, f), ...);
    };
    Extents<R> joined{};
    int source[static_cast<std::size_t>(R)];  // the axis of the old kernel whose strides a new axis has
    for (int i = 0; i < R; ++i) joined[i] = 1, source[i] = -1;
    int to = R;
    for (int i = R - 1; i >= 0; --i) {
        if (e[i] == 1) continue;
        bool fits = to < R;
        if (fits)
            each_tensor([&](const auto& t) {
                fits = fits && detail::stride_along<R>(t, i) == detail::stride_along<R>(t, source[to]) * joined[to];
            });
        if (!fits) source[--to] = i;
        joined[to] *= e[i];
    }
    each_tensor([&](auto& t) {
        const auto old = t;
        for (int i = 0; i < R; ++i)
            detail::set_axis<R>(t, i, joined[i], source[i] < 0 ? 0 : detail::stride_along<R>(old, source[i]));
    });
    e = joined;
}

}  // namespace inlay::inline INLAY_ABI
