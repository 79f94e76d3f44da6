// SPDX-License-Identifier: Apache-2.0
/// An attention as sm_90a's engine has it, from what its frame hands to a target.
#pragma once

#include <inlay/report/describe_product.hpp>
#include <inlay/plan/attention/wgmma.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// A target that runs nothing.
struct WgmmaAttentionView {
    KernelReport& l;

    template <class Mask, int D, class Score, class Q, class K, class V, class Epilogue, class Sink>
    void attention(const AttentionShape& s, double, const Q& q, const K& k, const V& v, const Epilogue&, const Sink&) {
        l.multiplied = dtype_of<attention_type<Q, K, V>>;
        l.wgmma.refused = wgmma_attention_types_refused<D, Q, K, V, Epilogue>();
        if constexpr (can_wgmma_attention<D, Q, K, V, Epilogue>) {
            l.wgmma_types = true;
            l.wgmma.refused = wgmma_attention_operands<D>(s, q, k, v).refused;
            for (Operand& each : l.operands) each.boxed = each.kind == OperandKind::input && each.read;
        }
    }
    template <class S>
    void publish_stats(const S&) {}
};

}  // namespace detail

/// Adds to a launch whether sm_90a's engine takes its attention, or why it does not.
template <class K, class P>
void describe_attention(P prepared, KernelReport& l) {
    const auto suppose = [](auto& in) {
        using Tensors = std::remove_cvref_t<decltype(in.env.buffers)>;
        detail::suppose_memory(in.env.buffers, std::make_integer_sequence<int, Tensors::size>{});
    };
    suppose(get<0>(prepared.in));
    suppose(get<1>(prepared.in));
    suppose(get<2>(prepared.in));
    detail::WgmmaAttentionView view{l};
    K::run(view, prepared);
}

}  // namespace inlay::inline INLAY_ABI
