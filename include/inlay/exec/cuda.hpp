// SPDX-License-Identifier: Apache-2.0
/// The CUDA executor: a target that runs any frame on one device and stream. Runs only enqueue: nothing synchronises
/// unless the caller does, and everything can be captured in a graph once it was loaded. One host thread at a time uses
/// a Cuda; several of them may share a device, and prepared kernels: each plans for itself.
#pragma once

#if !defined(__CUDACC__)
#error "inlay: exec/cuda.hpp is compiled by nvcc, as CUDA: a file .cu, or -x cu"
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "inlay: the CUDA executor needs -arch=sm_80 or newer"
#endif

#include <inlay/exec/gpu/executor.hpp>

namespace inlay::inline INLAY_ABI {

class Cuda : public GpuExecutor<Cuda> {
public:
    /// A stream of its own on a device. Throws one sentence where the device cannot be used: there is none of this
    /// number, the driver is too old, this binary has no code for it.
    explicit Cuda(int device = 0) : GpuExecutor(device) {}
    /// On a stream of the caller's, which outlives it.
    Cuda(int device, cudaStream_t stream) : GpuExecutor(device, stream) {}
};

}  // namespace inlay::inline INLAY_ABI
