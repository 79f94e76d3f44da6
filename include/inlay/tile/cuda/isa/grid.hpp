// SPDX-License-Identifier: Apache-2.0
/// Kernels of a stream that overlap, on sm_90 and newer: one that is launched with `Grid::overlaps` may begin when
/// every block of the kernel before it has begun to work, so that its launch and what it prepares cost no time of their
/// own. Two kernels are under way at most: blocks of more of them that wait would take places unevenly.
#pragma once

#include <inlay/core/config.hpp>

#include <climits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Waits for the kernel before: what it wrote can be read and what it read overwritten. The next one may not begin yet.
__device__ INLAY_INLINE void wait_for_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
/// What is loaded up to `wait_for_previous_kernel` are constants: no kernel writes them (`load_streamed`).
__device__ INLAY_INLINE void reads_constants() {}
/// Lets the next kernel begin. After `wait_for_previous_kernel`.
__device__ INLAY_INLINE void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Both. Every thread of a kernel that overlaps comes here before it touches memory; its arguments may be read earlier,
/// and lines be asked for (`prefetch_line`).
__device__ INLAY_INLINE void after_previous_kernel() {
    wait_for_previous_kernel();
    let_next_kernel_begin();
}
/// The same, when `found`, anything but the least integer, has been found: else the compiler may leave that for later.
__device__ INLAY_INLINE void after_previous_kernel(int found) {
    if (found != INT_MIN) after_previous_kernel();
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
