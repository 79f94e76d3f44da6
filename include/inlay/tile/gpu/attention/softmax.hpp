// SPDX-License-Identifier: Apache-2.0
/// Partial softmaxes of attention: a maximum, and sums relative to it.
#pragma once

#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

inline constexpr float infinity = __builtin_huge_valf();

/// The factor that makes a sum relative to the maximum `from` one relative to `to`, the greater one.
__device__ INLAY_INLINE float rebased(float from, float to, float scale) {
    return from == -infinity ? 0.0f : exp2_approximate((from - to) * scale);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
