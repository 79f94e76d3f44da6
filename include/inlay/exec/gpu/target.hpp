// SPDX-License-Identifier: Apache-2.0
/// The executor of the GPUs that are compiled for: nvcc's is `Cuda`, that of clang as HIP is `Hip`.
#pragma once

#include <inlay/core/config.hpp>

#if defined(__HIP__)
#include <inlay/exec/hip.hpp>
#else
#include <inlay/exec/cuda.hpp>
#endif

namespace inlay::inline INLAY_ABI {

#if defined(__HIP__)
using DeviceTarget = Hip;
#else
using DeviceTarget = Cuda;
#endif

}  // namespace inlay::inline INLAY_ABI
