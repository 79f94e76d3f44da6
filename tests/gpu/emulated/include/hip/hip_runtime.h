// SPDX-License-Identifier: Apache-2.0
/// HIP's language for a host compiler: CUDA's keywords, and a device pass whose architecture the build names
/// (`__gfx942__` or `__gfx1100__`). clang includes it by itself; here it is the compiler's `-include`.
#pragma once

#if !defined(__HIP__) || !defined(__HIP_DEVICE_COMPILE__) || defined(__gfx942__) == defined(__gfx1100__)
#error "the emulator of HIP is compiled for one architecture, __gfx942__ or __gfx1100__"
#endif

#include <hip/hip_runtime_api.h>
#include <cuda_runtime.h>
