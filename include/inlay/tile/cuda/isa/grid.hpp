// SPDX-License-Identifier: Apache-2.0
/// Kernels of a stream that overlap, on sm_90 and newer: one that is launched with `Grid::overlaps` may begin when
/// every block of the kernel before it has begun to work, so that its launch and its setup cost no time of their own.
/// Two kernels are under way at most, but for those that wait for words alone: blocks of more of them that wait would
/// take places unevenly.
#pragma once

#include <inlay/core/config.hpp>

#include <climits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Waits for the kernel before: its results may then be read and its operands overwritten. The next one may not begin
/// yet.
__device__ INLAY_INLINE void wait_for_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}
/// Marks loads of constants up to `wait_for_previous_kernel`: no kernel writes them (`load_streamed`).
__device__ INLAY_INLINE void reads_constants() {}
/// Marks a kernel that waits for words of the kernels before it (`gpu/persistent/words.hpp`) in place of their end: it
/// touches memory as soon as it has these.
__device__ INLAY_INLINE void waits_for_words() {}
/// Lets the next kernel begin. After `wait_for_previous_kernel`, or `waits_for_words`.
__device__ INLAY_INLINE void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
/// Both. Every thread of a kernel that overlaps calls it before it touches memory; its arguments may be read earlier,
/// and lines prefetched (`prefetch_line`).
__device__ INLAY_INLINE void after_previous_kernel() {
    wait_for_previous_kernel();
    let_next_kernel_begin();
}
/// The same, once `found`, any integer but the least, has been computed: else the compiler may defer its computation.
__device__ INLAY_INLINE void after_previous_kernel(int found) {
    if (found != INT_MIN) after_previous_kernel();
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
