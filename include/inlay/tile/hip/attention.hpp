// SPDX-License-Identifier: Apache-2.0
/// Attention on AMD's GPUs, flash form, of any score, mask and row that has a recurrence: one kernel, scores in registers.
///
/// Holes, bytes and FLOPs are those of `tile/cuda/attention.hpp`, and the order of sums depends on shape and device
/// alone as there. Products are in the storage type of Q, K and V; where that is fp32, or differs, they are those of
/// fp32. gfx90a and gfx942 have one set of kernels and gfx1100 another; the device picks at run time.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/tile/gpu/attention/launch.hpp>
#include <inlay/tile/hip/mfma/attention/fragments.hpp>
#include <inlay/tile/hip/runtime/target.hpp>
#include <inlay/tile/hip/wmma/attention/fragments.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace flash {

/// The tiles of the schedules for an atom and a length of a head.
template <class MatrixAtom, int D, int I, int DV = D>
constexpr auto tile_of() {
    using T = typename MatrixAtom::value_type;
    constexpr AttentionSchedule s = amd_attention_schedules(sizeof(T), D, DV).at[I];
    if constexpr (s.wide)
        return AttentionWideTile<T, MatrixAtom, D, s.m_tiles, s.row_warps, s.key_warps, s.keys, s.tight, DV>{};
    else
        return AttentionTile<T, MatrixAtom, D, s.m_tiles, s.row_warps, s.key_warps, s.keys, s.stages, s.blocks, DV>{};
}

}  // namespace flash

/// q, k, v: bound expressions of [batch, heads, queries, D], [batch, heads / group, keys, D] and [batch, heads / group,
/// keys, DV]. The result, [batch, heads, queries, DV], leaves through the epilogue and the sink. `scores`: the slots of
/// the form's expressions.
template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
void attention(Launcher& l, const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
               const Epilogue& epilogue, const Sink& sink) {
    using T = attention_type<Q, K, V>;
    constexpr int schedules = amd_attention_schedules(sizeof(T), Form::d, Form::dv).size;
    const AttentionDecision decision =
        decide(attention_facts<Form, Epilogue>(s, q, k, v, scores, false).problem, target_of(l.device()));
    const auto launch = [&]<class MatrixAtom, int I>(std::type_identity<MatrixAtom>, std::integral_constant<int, I>) {
        constexpr Images in = MatrixAtom::lanes == 64 ? Images::cdna : Images::rdna;
        using Tile = decltype(flash::tile_of<MatrixAtom, Form::d, I, Form::dv>());
        if constexpr (flash::compiles<Form>(I, schedules))
            if (decision.index == I)
                attention_with<Tile, Form, in>(l, s, q, k, v, scores, epilogue, sink, decision.splits);
    };
    const auto with = [&]<class MatrixAtom, int... I>(std::type_identity<MatrixAtom> atom,
                                                      std::integer_sequence<int, I...>) {
        (launch(atom, std::integral_constant<int, I>{}), ...);
    };
    constexpr auto all = std::make_integer_sequence<int, schedules>{};
    if (decision.engine == AttentionEngine::mfma) with(std::type_identity<MfmaHeadAtom<T>>{}, all);
    else with(std::type_identity<WmmaAtom<T>>{}, all);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
