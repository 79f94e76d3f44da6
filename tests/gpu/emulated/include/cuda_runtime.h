// SPDX-License-Identifier: Apache-2.0
/// CUDA's language for a host compiler: keywords, variables, `min` and `max` of device code, whose instructions are
/// functions of `inlay/tile/cuda/isa/`. nvcc includes it by itself; here it is the compiler's `-include`.
#pragma once

// A block's shared memory belongs to the host thread that runs the block.
#define __shared__ thread_local
#define __device__
#define __host__
#define __global__
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

#include <cuda_runtime_api.h>
#include <emulator/machine.hpp>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
inline const bool emulated_image_is_sm90a = (emulator::image_is_sm90a(), true);
#endif

#include <cmath>

extern __thread uint3 threadIdx;
extern __thread uint3 blockIdx;
extern __thread dim3 blockDim, gridDim;

#define EMULATOR_MIN_MAX(T)                               \
    inline T min(T a, T b) { return a < b ? a : b; }      \
    inline T max(T a, T b) { return a > b ? a : b; }
EMULATOR_MIN_MAX(int)
EMULATOR_MIN_MAX(unsigned)
EMULATOR_MIN_MAX(long)
EMULATOR_MIN_MAX(unsigned long)
EMULATOR_MIN_MAX(long long)
EMULATOR_MIN_MAX(unsigned long long)
#undef EMULATOR_MIN_MAX
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
