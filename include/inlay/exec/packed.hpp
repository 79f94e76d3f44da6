// SPDX-License-Identifier: Apache-2.0
/// Weights rearranged once, at load, into the panels a target's matrix engine reads. A frame takes a plain tensor or a
/// packed one; a plain one is packed at every run, into workspace. A packed one is a constant: nothing writes it again,
/// so that a kernel may read it before the kernel before it has ended.
#pragma once

#include <inlay/exec/tensor.hpp>

namespace inlay::inline INLAY_ABI {

/// A weight [N, segments·K] in panels. `segments`: taps of a filter, 1 for a linear layer. `extents`: as it was.
template <Storage T, int R>
struct Packed {
    using value_type = T;
    static constexpr int rank = R;
    const T* panels = nullptr;
    Extents<R> extents{};
};

template <class T>
inline constexpr bool is_packed = false;
template <class T, int R>
inline constexpr bool is_packed<Packed<T, R>> = true;

}  // namespace inlay::inline INLAY_ABI
