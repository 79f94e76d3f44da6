// SPDX-License-Identifier: Apache-2.0
/// The HIP executor: a target that runs any frame on one device and stream, with the interface of `Cuda`. Runs only
/// enqueue: nothing synchronises unless the caller does, and everything can be captured in a graph once it was loaded.
/// One host thread at a time uses a Hip; several of them may share a device, and prepared kernels: each plans for
/// itself.
#pragma once

#if !defined(__HIP__)
#error "inlay: exec/hip.hpp is compiled by clang, as HIP: a file .hip, or -x hip"
#elif defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx90a__) && !defined(__gfx942__) && !defined(__gfx1100__)
#error "inlay: the HIP executor has schedules for gfx90a, gfx942 and gfx1100: compile with --offload-arch of these"
#elif defined(__gfx1100__) && defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ != 32
#error "inlay: on gfx1100 kernels have waves of 32 lanes: compile without -mwavefrontsize64"
#endif

#include <inlay/exec/gpu/executor.hpp>

namespace inlay::inline INLAY_ABI {

class Hip : public GpuExecutor<Hip> {
public:
    /// A stream of its own on a device. Throws one sentence where the device cannot be used: there is none of this
    /// number, its architecture has no schedules, this binary has no code for it.
    explicit Hip(int device = 0) : GpuExecutor(device) {}
    /// On a stream of the caller's, which outlives it.
    Hip(int device, hipStream_t stream) : GpuExecutor(device, stream) {}
};

}  // namespace inlay::inline INLAY_ABI
