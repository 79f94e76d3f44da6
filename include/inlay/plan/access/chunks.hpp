// SPDX-License-Identifier: Apache-2.0
/// Chunks of 16 bytes, in which a GPU reads and stores rows: the elements of one, and how an expression is walked by
/// them.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/flatten.hpp>
#include <inlay/expr/sink.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

/// Elements of T in 16 bytes.
template <class T>
inline constexpr int chunk_of = 16 / static_cast<int>(sizeof(T));

/// Elements in a chunk of a sink's first output.
template <class Sink>
inline constexpr int sink_lanes = 16 / static_cast<int>(sizeof(*get<0>(std::declval<const Sink&>().outs).data));

namespace detail {

template <class Env, class Nodes>
inline constexpr int widest_leaf = 0;
template <class Env, class... Node>
inline constexpr int widest_leaf<Env, types<Node...>> = [] {
    int width = 0;
    ([&] {
        if constexpr (is_buf<Node>) {
            constexpr int bytes = sizeof(typename type_at<Node::slot, typename Env::tensors>::value_type);
            width = bytes > width ? bytes : width;
        }
    }(), ...);
    return width;
}();
template <class Nodes>
inline constexpr int tensors_in = 0;
template <class... Node>
inline constexpr int tensors_in<types<Node...>> = (static_cast<int>(is_buf<Node>) + ... + 0);

/// True if a list of values has a piecewise view.
template <class List>
inline constexpr bool has_pieces = false;
template <class... V>
inline constexpr bool has_pieces<types<V...>> = ((V::node::kind == NodeKind::view) || ...);

}  // namespace detail

/// Elements in a chunk of the widest tensor that a bound expression reads: 4 where there is none, and at least 2.
template <class In>
inline constexpr int leaf_lanes = [] {
    constexpr int width = detail::widest_leaf<typename In::env_type, nodes_of<typename In::expression>>;
    if constexpr (width == 0) return 4;
    else return width > 4 ? 2 : 16 / width;
}();

/// Chunks of an expression that a thread has under way at once: those of one tensor take 32 registers.
template <class In>
inline constexpr int chunks_at_once = detail::tensors_in<nodes_of<typename In::expression>> <= 1 ? 8 : 4;

/// True if cursors of an expression, once placed, lead through rows one after the other.
template <class E>
inline constexpr bool walks_down = !detail::has_pieces<typename flatten<E>::values> &&
                                   !detail::has_coord<typename flatten<E>::values>;

/// Bytes of the tensors that a bound expression reads, of each no more elements than `results`.
template <class In>
constexpr double read_bytes(const In& in, index_t results) {
    double bytes = 0;
    [&]<class... Node>(types<Node...>) {
        ([&] {
            if constexpr (detail::is_buf<Node>) {
                const auto& t = in.env.template tensor<Node::slot>();
                const index_t all = count(t.extents);
                bytes += static_cast<double>(all < results ? all : results) * static_cast<double>(sizeof(*t.data));
            }
        }(), ...);
    }(nodes_of<typename In::expression>{});
    return bytes;
}

}  // namespace inlay::inline INLAY_ABI
