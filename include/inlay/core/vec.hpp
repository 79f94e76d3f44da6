// SPDX-License-Identifier: Apache-2.0
/// Short vectors: N lanes of float, double or int32. They have the operators of a scalar and live in `inlay::math` with
/// the functions of floats and doubles, so an operation written for a scalar `T` with unqualified calls works for a
/// vector unchanged. On the host they are the compiler's vectors; where device code is compiled too they are arrays,
/// whose lanes become registers.
#pragma once

#include <inlay/core/config.hpp>

#if INLAY_NATIVE_VECTORS
#include <inlay/core/vec_native.hpp>
#else
#include <inlay/core/vec_array.hpp>
#endif

namespace inlay::inline INLAY_ABI {

using math::Vec;

/// The widest vector of this build of the host executor.
inline constexpr int host_lanes = host_vector_bytes / 4;
using fvec = Vec<float, host_lanes>;

}  // namespace inlay::inline INLAY_ABI
