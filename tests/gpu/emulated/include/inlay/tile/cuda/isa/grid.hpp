// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/grid.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <emulator/machine.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

inline void wait_for_previous_kernel() { emulator::after_previous_kernel(); }
inline void reads_constants() { emulator::reads_constants(); }
inline void waits_for_words() { emulator::after_previous_kernel(); }
inline void let_next_kernel_begin() {}
inline void after_previous_kernel() { emulator::after_previous_kernel(); }
inline void after_previous_kernel(int) { after_previous_kernel(); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
