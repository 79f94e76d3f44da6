// SPDX-License-Identifier: Apache-2.0
/// Weights of softmax, whatever is made of their sums: exponentials of scores relative to one running maximum, so that
/// a key costs a multiply-add and an exponential, and an older maximum may stay.
#pragma once

#include <inlay/plan/attention/online.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

inline constexpr float infinity = __builtin_huge_valf();

/// Weights e^(score − relative) or 2^(score − relative) with a number `relative` of the row: the logarithm to base 2 of
/// what is raised; 0 of other weights.
template <class Weight>
struct PowerOfScore {
    static constexpr double log2_base = 0;
    using relative = void;
};
template <class M>
    requires(!online::reads_key<M>)
struct PowerOfScore<Exp<Sub<Score, M>>> {
    static constexpr double log2_base = 1.4426950408889634;
    using relative = M;
};
template <class M>
    requires(!online::reads_key<M>)
struct PowerOfScore<Exp2<Sub<Score, M>>> {
    static constexpr double log2_base = 1;
    using relative = M;
};

template <class Algebra>
using PowerOfRow = PowerOfScore<type_at<0, typename Algebra::row::weights>>;

/// True of an algebra with one such weight, of which any maximum serves that is near the greatest score. Sums are then
/// relative to that maximum itself until the end.
template <class Algebra, class Row = typename Algebra::row>
inline constexpr bool has_softmax_weights =
    Algebra::passes::size == 1 && Row::weights::size == 1 && Row::vectors::size == 1 && Row::sums::size == 1 &&
    std::is_same_v<typename Row::maxima, types<KeyMax<Score>>> && Row::maxima_may_lag &&
    (PowerOfRow<Algebra>::log2_base > 0);

/// The factor that makes a sum relative to the maximum `from` one relative to `to`, the greater one.
__device__ INLAY_INLINE float rebased(float from, float to, float scale) {
    return from == -infinity ? 0.0f : exp2_approximate((from - to) * scale);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
