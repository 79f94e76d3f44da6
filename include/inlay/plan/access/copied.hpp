// SPDX-License-Identifier: Apache-2.0
/// Inputs of a product that only have to be copied, as against those that are evaluated. Kernels, the launch and
/// `explain` use the same constant.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/flatten.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// True if an element of a list is a stored T as it is, or 0: a copy then suffices.
template <class T, class B, class List>
inline constexpr bool copies_list = false;
template <class T, class B, class Path, class Node, class Seq>
inline constexpr bool copies_pieces = false;
template <class T, class B, class Path, class Node, int... I>
inline constexpr bool copies_pieces<T, B, Path, Node, std::integer_sequence<int, I...>> =
    (copies_list<T, B, flatten<type_at<I, typename Node::children>, join_types<Path, types<path_step<Node, I>>>>> &&
     ...);
template <class T, class B, class Node, class Path>
constexpr bool copies_value() {
    if constexpr (is_buf<Node>)
        return std::is_same_v<
            T, std::remove_const_t<typename type_at<Node::slot, typename B::env_type::tensors>::value_type>>;
    else if constexpr (Node::kind == NodeKind::view) {
        if constexpr (requires { Node::fill; }) {
            if constexpr (Node::fill != 0) return false;
        }
        return copies_pieces<T, B, Path, Node, std::make_integer_sequence<int, Node::pieces>>;
    } else return false;
}
template <class T, class B, class Node, class Path, class Keys>
inline constexpr bool copies_list<T, B, Flat<types<Value<Node, Path>>, Keys>> =
    copies_value<T, B, Node, Path>();

}  // namespace detail

/// True if a bound input only has to be copied: each of its elements is a stored T, or 0.
template <class T, class In>
inline constexpr bool is_copied_of = detail::copies_list<T, In, flatten<typename In::expression>>;

}  // namespace inlay::inline INLAY_ABI
