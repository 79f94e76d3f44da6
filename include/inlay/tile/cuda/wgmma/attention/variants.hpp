// SPDX-License-Identifier: Apache-2.0
/// The kernels that are compiled for an attention on sm_90a, and the choice of one by the tensors of a launch.
#pragma once

#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/cuda/wgmma/attention/scores.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The factor of products in exponents of 2.
template <class Algebra>
float wgmma_score_scale() {
    return static_cast<float>((Algebra::scales_out ? Algebra::scale : 1) * WgmmaPower<Algebra>::log2_base);
}

/// f(type_identity of a WgmmaAlgebra), of what the slots in `env` decide.
template <class Algebra, class Environment, class F>
void with_wgmma_algebra(const Environment& env, const F& f) {
    const auto with_score = [&]<bool Solved>(std::bool_constant<Solved>) {
        using Slots = inlay::detail::slots_in<typename Algebra::score>;
        if constexpr (Slots::any)
            if (Slots::vary(env, 3)) return f(std::type_identity<WgmmaAlgebra<Algebra, Solved, false>>{});
        f(std::type_identity<WgmmaAlgebra<Algebra, Solved, true>>{});
    };
    using Condition = typename Algebra::condition;
    if constexpr (WgmmaRowKeys<Condition>::of_tensors)
        if (is_solved<Condition>(env)) return with_score(std::true_type{});
    with_score(std::false_type{});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
