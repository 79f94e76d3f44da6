// SPDX-License-Identifier: Apache-2.0
/// Row maps: the rows of a matrix product's operand as coordinates of a tensor. A frame states its matrix by one, and
/// every engine of every target reads it through `row` and `at`.
#pragma once

#include <inlay/core/extents.hpp>

#include <concepts>

namespace inlay::inline INLAY_ABI {

/// `row(batch, m)` is row m of a block, decoded once; `at(row, segment, c)` sets c to the coordinate of the segment's
/// first element. It is false, of a map that `pads`, where the segment is zeros. `segments`: as many, one after the
/// other, make the row. `rank`: of the tensor.
template <class M>
concept RowMap = requires(const M& map, index_t i, const typename M::Row& row, Extents<M::rank>& c) {
    requires std::same_as<decltype(M::pads), const bool>;
    requires M::segments >= 1;
    { map.row(i, i) } -> std::same_as<typename M::Row>;
    { map.at(row, i, c) } -> std::same_as<bool>;
};

/// Rows that are those of a tensor, in order: `lead` has its extents, the last one 1.
template <class M>
concept TensorRowMap = RowMap<M> && requires(const M& map) {
    { map.lead } -> std::convertible_to<Extents<M::rank>>;
};
/// Rows that are pixels of images under the taps of a `window`: `pixels` has the extents of the result, one channel.
template <class M>
concept WindowRowMap = RowMap<M> && requires(const M& map) {
    typename M::window;
    { map.pixels } -> std::convertible_to<Extents<4>>;
    { map.height } -> std::convertible_to<index_t>;
    { map.width } -> std::convertible_to<index_t>;
    { map.channels } -> std::convertible_to<index_t>;
};

/// Windows of which every batch item reads the same pixels, from an offset of its own: the `phases` of output pixels.
template <class M>
concept PhasedRowMap = WindowRowMap<M> && requires { requires M::phases > 1; };

}  // namespace inlay::inline INLAY_ABI
