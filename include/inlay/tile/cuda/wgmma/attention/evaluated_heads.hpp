// SPDX-License-Identifier: Apache-2.0
/// Operands of attention that the copy engine of sm_90a cannot read as they are, evaluated by a kernel each into
/// workspace: every block of threads reads K and V, so that even a cheap expression costs less once than in each.
#pragma once

#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/gpu/gemm/materialise.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// f(what is left to read of an operand), within which launches leave its workspace alone.
template <class T, class B, class F>
void with_evaluated_operand(Launcher& l, const B& bound, const F& f) {
    if constexpr (inlay::detail::maps_heads<T, B>) {
        f(bound);
    } else {
        const auto evaluated = evaluate_before<T>(l, bound);
        const auto& tensor = evaluated.env.template tensor<0>();
        const Launcher::Hold keeps(l, sizeof(T) * static_cast<std::size_t>(count(tensor.extents)));
        f(evaluated);
    }
}
/// f(q, k, v) with operands that have maps. K and V of one expression are evaluated once.
template <class T, class Q, class K, class V, class F>
void with_evaluated_heads(Launcher& l, const Q& q, const K& k, const V& v, const F& f) {
    with_evaluated_operand<T>(l, q, [&](const auto& of_q) {
        with_evaluated_operand<T>(l, k, [&](const auto& of_k) {
            if constexpr (wgmma_attention_before<Q, K, V>().v_is_k) f(of_q, of_k, of_k);
            else with_evaluated_operand<T>(l, v, [&](const auto& of_v) { f(of_q, of_k, of_v); });
        });
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
