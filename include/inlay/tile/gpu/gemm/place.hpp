// SPDX-License-Identifier: Apache-2.0
/// Places in the operands of a matrix atom.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A place in a fragment: of A (row m, column k), of B (row k, column n), of C (row m, column n).
struct Place {
    int row, column;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
