// SPDX-License-Identifier: Apache-2.0
/// Weights of softmax, whatever is made of their sums: exponentials of scores relative to one running maximum, so that
/// a key costs a multiply-add and an exponential, and an older maximum may stay.
#pragma once

#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

inline constexpr float infinity = __builtin_huge_valf();

/// The logarithm to base 2 of what the weights of a row raise to its scores, and the number they are relative to.
template <class Algebra>
using PowerOfRow = WgmmaPower<Algebra>;

/// True of an algebra with one such weight, of which any maximum serves that is near the greatest score. Sums are then
/// relative to that maximum itself until the end.
template <class Algebra>
inline constexpr bool has_softmax_weights = PowerOfRow<Algebra>::all;

/// The factor that makes a sum relative to the maximum `from` one relative to `to`, the greater one.
__device__ INLAY_INLINE float rebased(float from, float to, float scale) {
    return from == -infinity ? 0.0f : exp2_approximate((from - to) * scale);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
