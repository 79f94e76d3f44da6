// SPDX-License-Identifier: Apache-2.0
/// In which type attention multiplies.
#pragma once

#include <inlay/core/half.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/flatten.hpp>

#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Whether all that an expression reads is stored as T, or as indices.
template <class T, class B, class... N>
constexpr bool reads_only(types<N...>) {
    const auto fits = []<class Node>(Node) {
        if constexpr (is_buf<Node>) {
            using Tensors = typename B::env_type::tensors;
            using E = std::remove_const_t<typename type_at<Node::slot, Tensors>::value_type>;
            return std::is_same_v<E, T> || std::is_same_v<E, std::int32_t>;
        } else {
            return true;
        }
    };
    return (fits(N{}) && ...);
}
template <class T, class... B>
inline constexpr bool all_read = (reads_only<T, B>(nodes_of<typename B::expression>{}) && ...);

}  // namespace detail

/// The 16-bit type in which everything that Q, K and V read is stored, else float.
template <class... B>
using attention_type = std::conditional_t<detail::all_read<fp16, B...>, fp16,
                                          std::conditional_t<detail::all_read<bf16, B...>, bf16, float>>;

}  // namespace inlay::inline INLAY_ABI
