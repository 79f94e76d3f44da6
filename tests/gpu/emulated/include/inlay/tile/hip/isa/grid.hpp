// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/hip/isa/grid.hpp, emulated: no kernel overlaps the one before it.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline void wait_for_previous_kernel() {}
inline void reads_constants() {}
inline void waits_for_words() {}
inline void let_next_kernel_begin() {}
inline void after_previous_kernel() {}
inline void after_previous_kernel(int) {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
