// SPDX-License-Identifier: Apache-2.0
/// Words of HIP's language and its vectors (`uint4`, `make_float4`), which nvcc has without a header, and those of a
/// kernel's declaration.
#pragma once

#include <inlay/core/config.hpp>

#include <hip/hip_runtime.h>

/// 1 in the passes for gfx9's architectures, which have waves of 64 lanes and `mfma`.
#if defined(__GFX9__) || defined(__gfx90a__) || defined(__gfx942__)
#define INLAY_GFX9 1
#else
#define INLAY_GFX9 0
#endif

/// A kernel's parameter that stays where it was passed: in HIP all do.
#define INLAY_GRID_CONSTANT const

/// Threads of a kernel's blocks, and blocks on a multiprocessor at least, 0: any. HIP's second number is of waves on
/// each of the four SIMDs of a multiprocessor: a compute unit of gfx9, two together of gfx11.
#define INLAY_LAUNCH_BOUNDS(threads, min_blocks) \
    __launch_bounds__((threads), (inlay::on_gpu::detail::waves_of_simd((threads), (min_blocks))))

namespace inlay::inline INLAY_ABI::on_gpu::detail {

constexpr int waves_of_simd(int threads, int min_blocks) {
    constexpr int simds = 4, lanes = INLAY_GFX9 ? 64 : 32, most = INLAY_GFX9 ? 3 : 8;
    const int waves = ((threads + lanes - 1) / lanes * min_blocks + simds - 1) / simds;
    return waves < 1 ? 1 : waves > most ? most : waves;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
