// SPDX-License-Identifier: Apache-2.0
/// Every CUDA call is checked: a failure is one exception that names the call and what the runtime says of it.
#pragma once

#include <inlay/core/error.hpp>

#include <cuda_runtime_api.h>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Thrown where the CUDA runtime refuses something.
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
