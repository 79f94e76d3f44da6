// SPDX-License-Identifier: Apache-2.0
/// Every HIP call is checked: a failure is one exception that names the call and has the runtime's message.
#pragma once

#include <inlay/core/error.hpp>

#include <hip/hip_runtime.h>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Thrown when a call of the HIP runtime fails.
struct HipError : Error {
    hipError_t code;
    HipError(hipError_t c, Letters what)
        : Error(what + ": " + hipGetErrorString(c) + " (" + hipGetErrorName(c) + ")"), code(c) {}
};

/// Drops the runtime's record of the last error, so that the next call does not report it again.
inline void forget_error() { static_cast<void>(hipGetLastError()); }

inline void check(hipError_t code, const char* call) {
    if (code == hipSuccess) return;
    forget_error();
    throw HipError(code, call);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
