// SPDX-License-Identifier: Apache-2.0
/// What a frame says of the work it states: the extents of its result and the arithmetic of its main loop.
#pragma once

#include <inlay/core/extents.hpp>

namespace inlay::inline INLAY_ABI {

/// R: rank of the result. `flops`: multiplications and additions of the frame itself, without its expressions.
template <int R>
struct Problem {
    Extents<R> out{};
    double flops = 0;
};

}  // namespace inlay::inline INLAY_ABI
