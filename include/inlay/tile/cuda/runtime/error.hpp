// SPDX-License-Identifier: Apache-2.0
/// Every CUDA call is checked: a failure is one exception that names the call and has the runtime's message.
#pragma once

#include <inlay/core/error.hpp>

#include <cuda_runtime_api.h>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Thrown when a call of the CUDA runtime fails.
struct CudaError : Error {
    cudaError_t code;
    CudaError(cudaError_t c, Letters what)
        : Error(what + ": " + cudaGetErrorString(c) + " (" + cudaGetErrorName(c) + ")"), code(c) {}
};

inline void check(cudaError_t code, const char* call) {
    if (code == cudaSuccess) return;
    cudaGetLastError();  // an error that does not stick to the context is not reported again by the next call
    throw CudaError(code, call);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
