// SPDX-License-Identifier: Apache-2.0
/// The layout of a weight, row by row.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/exec/packed.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The layout of a Packed, or of a Tensor, which has to be dense.
template <class W>
auto weights_of(const W& w) -> const std::remove_const_t<typename W::value_type>* {
    if constexpr (is_packed<W>) {
        return w.data;
    } else {
        require(w.contiguous(), "a weight ", text(w.extents), " is not dense");
        return w.data;
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
