// SPDX-License-Identifier: Apache-2.0
/// Weights rearranged once, at load, into the panels a target's matrix engine reads. A frame takes a plain tensor or a
/// packed one; a plain one is packed at every run, into workspace. A packed one is a constant: nothing writes it again,
/// so that a kernel may read it before the kernel before it has ended.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/exec/tensor.hpp>

namespace inlay::inline INLAY_ABI {

/// A weight [N, segments·K] in panels, and what it was packed for, which `prepare` and `run` compare with what takes
/// it. `segments`: taps of a filter, 1 for a linear layer.
template <Storage T, int R>
struct Packed {
    using value_type = T;
    static constexpr int rank = R;
    const T* data = nullptr;
    Extents<R> extents{};   ///< as it was
    index_t groups = 1;     ///< of a convolution: each has panels of its own
    int panel_columns = 0;  ///< rows of the weight side by side in a panel, as the target has it; 0: as they lay
};

/// Throws where blocks [n, k] of a weight cannot be counted.
inline void check_blocks(index_t batch, index_t n, index_t k) {
    const Extents<3> e{{batch, n, k}};
    require(batch >= 0 && n >= 0 && k >= 0 && checked_count(e) <= most_elements, "a weight of ", batch, " blocks [", n,
            ", ", k, "] cannot be packed: expected no negative number, and no more than 2^54 elements");
}
/// Throws where a weight cannot be packed: it is not dense, or has no such groups.
template <Storage T, int R>
void check_packable(const Tensor<T, R>& w, index_t groups) {
    static_assert(R >= 2 && R <= 4, "inlay: a weight to pack is [N, K], [B, N, K] or [O, R, S, I]");
    dense_bytes<T>(w.extents);
    require(w.contiguous(), "a weight ", text(w.extents), " is not dense");
    require(groups >= 1 && (R == 4 || groups == 1), "a weight ", text(w.extents), " cannot be packed for ", groups,
            " groups: expected at least 1, and more only of a filter [O, R, S, I]");
    require(w.extents[0] % groups == 0, "the ", w.extents[0], " rows of a weight ", text(w.extents),
            " are not a multiple of ", groups, " groups");
}

template <class T>
inline constexpr bool is_packed = false;
template <class T, int R>
inline constexpr bool is_packed<Packed<T, R>> = true;

}  // namespace inlay::inline INLAY_ABI
