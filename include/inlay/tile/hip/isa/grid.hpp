// SPDX-License-Identifier: Apache-2.0
/// Kernels of a stream, of which each begins when the one before it has ended: nothing is waited for.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

__device__ INLAY_INLINE void wait_for_previous_kernel() {}
__device__ INLAY_INLINE void reads_constants() {}
__device__ INLAY_INLINE void waits_for_words() {}
__device__ INLAY_INLINE void let_next_kernel_begin() {}
__device__ INLAY_INLINE void after_previous_kernel() {}
__device__ INLAY_INLINE void after_previous_kernel(int) {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
