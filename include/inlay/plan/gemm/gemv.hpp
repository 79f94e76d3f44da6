// SPDX-License-Identifier: Apache-2.0
/// Operands of products of a few rows whose weights can be streamed past rows that are staged whole;
/// `plan/gemm/decide.hpp` chooses by it.
#pragma once

#include <inlay/expr/affine.hpp>
#include <inlay/tile/shapes.hpp>

#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

/// True if the types of an input allow it to be one tensor of T with strides.
template <class T, class In>
inline constexpr bool is_affine_of = [] {
    if constexpr (!is_affine<typename In::expression>) return false;
    else return std::is_same_v<std::remove_cvref_t<decltype(*affine_map(std::declval<const In&>()).tensor)>, T>;
}();

/// True if the type of rows allows it: they are one segment. `Rows`: `frame/base.hpp`.
template <class Rows>
inline constexpr bool can_stream_weights = Rows::segments == 1;

/// Rows of an input that types allow to be copied are copied, whole chunks of 16 bytes, and so are weights: extents or
/// addresses that prevent it leave the product to tiles, which it has anyway. Other inputs are evaluated, wherever they
/// lie. `w`: the weights.
template <class Rows, class T, class In>
bool streams_weights(const MatmulShape& s, const T* w, const In& in) {
    if constexpr (!can_stream_weights<Rows>) {
        return false;
    } else if constexpr (is_affine_of<T, In>) {
        constexpr index_t chunk = 16 / static_cast<index_t>(sizeof(T));
        const auto view = affine_map(in);
        const bool whole = view.address() % 16 == 0 && reinterpret_cast<std::uintptr_t>(w) % 16 == 0;
        if (!view.exists || !whole || view.strides.back(0) != 1) return false;
        for (int i = 0; i + 1 < decltype(view.strides)::rank; ++i)
            if (view.strides[i] % chunk) return false;
        return s.k > 0 && s.k % chunk == 0;
    } else {
        return true;
    }
}

}  // namespace inlay::inline INLAY_ABI
