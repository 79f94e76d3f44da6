// SPDX-License-Identifier: Apache-2.0
/// Kernels of a stream that overlap, on sm_90 and newer: one that is launched with `Grid::overlaps` may begin when
/// every block of the kernel before it has begun, so that its launch and what it prepares cost no time of their own.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// Lets the next kernel begin, and waits for the one before: what it wrote can be read, and what it read overwritten.
/// Every thread of a kernel that overlaps comes here before it touches memory; its arguments may be read earlier.
__device__ INLAY_INLINE void after_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
}

/// gridDim.x, read anew: what a loop seldom needs takes no register all along it.
__device__ INLAY_INLINE int blocks_of_grid() {
    int n;
    asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(n));
    return n;
}

}  // namespace inlay::inline INLAY_ABI::cuda
