// SPDX-License-Identifier: Apache-2.0
/// Attention on the portable engine, flash form, of any score, mask and row that has a recurrence: one kernel, scores in
/// registers.
///
/// Holes: Q, K and V as expressions, a form, epilogue, sink. Moves Q and the output once, K and V once per tile of
/// queries that visits them; 2 · (D + DV) FLOPs for each query of a head and key of a visited block, and 2 · D more for
/// each pass of TwoPass.
///
/// Products are in the storage type of Q, K and V (fp32 by 3xTF32, also where they differ), so results of prologues and
/// weights are rounded to it; scores and sums are fp32, in an order that depends on shape and device alone, and on slots
/// that decide which keys are visible. A query that attends to no key gives 0.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/tile/cuda/mma/attention/box_stream.hpp>
#include <inlay/tile/cuda/mma/attention/fp8_fragments.hpp>
#include <inlay/tile/cuda/mma/attention/fragments.hpp>
#include <inlay/tile/cuda/runtime/target.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>
#include <inlay/tile/cuda/wgmma/attention/evaluated_heads.hpp>
#include <inlay/tile/cuda/wgmma/attention/launch.hpp>
#include <inlay/tile/gpu/attention/launch.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace flash {

template <class T, int D, int DV, AttentionSchedule S>
constexpr auto tile_by() {
    if constexpr (S.wide)
        return AttentionWideTile<T, Atom<T>, D, S.m_tiles, S.row_warps, S.key_warps, S.keys, false, DV>{};
    else
        return AttentionTile<T, Atom<T>, D, S.m_tiles, S.row_warps, S.key_warps, S.keys, S.stages, S.blocks, DV>{};
}
/// The tiles of the schedules for a type and a length of a head.
template <class T, int D, int I, int DV = D>
constexpr auto tile_of() {
    return tile_by<T, D, DV, attention_schedules(sizeof(T), D, DV).at[I]>();
}
/// Those of few queries over many keys.
template <class T, int D, int I, int DV = D>
constexpr auto long_tile_of() {
    return tile_by<T, D, DV, long_attention_schedules(sizeof(T), D, DV).at[I]>();
}
/// The same over keys and values in boxes.
template <class T, int D, int I, int DV = D>
constexpr auto boxed_tile_of() {
    constexpr AttentionSchedule s = boxed_attention_schedules(sizeof(T), D, DV).at[I];
    return AttentionTile<T, Atom<T>, D, s.m_tiles, s.row_warps, s.key_warps, s.keys, s.stages, s.blocks, DV, T, true>{};
}
/// The maps of a warp's boxes, of rows in pieces of 64 columns: columns of a piece, keys, pieces, heads, batch.
template <class Tile>
BoxMaps box_maps(const MappedTensor& k, const MappedTensor& v) {
    const auto map = [](const MappedTensor& t, int pieces) {
        const MappedTensor in_pieces{t.data,
                                     t.type,
                                     {64, t.extents[1], pieces, t.extents[2], t.extents[3]},
                                     {1, t.strides[1], 64, t.strides[2], t.strides[3]}};
        return box_map(in_pieces, {64, Tile::warp_keys, pieces, 1, 1});
    };
    return {map(k, Tile::KeyRow::boxes), map(v, Tile::ValueRow::boxes)};
}
/// That over K and V in fp8.
template <class T, int D, int DV = D>
constexpr auto fp8_tile_of() {
    constexpr AttentionSchedule s = fp8_attention_schedules(D, DV).at[0];
    return AttentionTile<T, Fp8HeadAtom<T>, D, s.m_tiles, s.row_warps, s.key_warps, s.keys, s.stages, s.blocks, DV,
                         fp8>{};
}

}  // namespace flash

/// q, k, v: bound expressions of [batch, heads, queries, D], [batch, heads / group, keys, D] and [batch, heads / group,
/// keys, DV]. The result, [batch, heads, queries, DV], leaves through the epilogue and the sink. `scores`: the slots of
/// the form's expressions.
template <class Form, class Q, class K, class V, class Scores, class Epilogue, class Sink>
void attention(Launcher& l, const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
               const Epilogue& epilogue, const Sink& sink) {
    using T = attention_type<Q, K, V>;
    constexpr int tiles = attention_schedules(sizeof(T), Form::d, Form::dv).size;
    constexpr bool wgmma = can_wgmma_attention<Form, Q, K, V, Epilogue>,
                   evaluates = wgmma && wgmma_attention_before<Q, K, V>().any();
    const TargetInfo target = target_of(l.device());
    const AttentionFacts facts = attention_facts<Form, Epilogue>(s, q, k, v, scores, target.sm90a);
    const AttentionDecision decision = decide(facts.problem, target);
    if constexpr (wgmma)
        if (decision.engine == AttentionEngine::wgmma) {
            if constexpr (evaluates)
                return with_evaluated_heads<T>(l, q, k, v, [&](const auto& of_q, const auto& of_k, const auto& of_v) {
                    const WgmmaAttentionOperands from =
                        wgmma_attention_operands<Form::d, Form::dv>(s, of_q, of_k, of_v);
                    wgmma_attention<T, Form>(l, s, from, scores, epilogue, sink, decision);
                });
            else return wgmma_attention<T, Form>(l, s, facts.operands, scores, epilogue, sink, decision);
        }
    if constexpr (can_multiply_fp8<Form, Q, K, V>)
        if (decision.fp8_cache)
            return attention_with<decltype(flash::fp8_tile_of<T, Form::d, Form::dv>()), Form>(
                l, s, q, k, v, scores, epilogue, sink, decision.splits);
    constexpr bool boxes = can_box_keys<Form, Q, K, V>;
    if constexpr (boxes)
        if (decision.boxes) {
            const auto launch = [&]<int I>() {
                using Tile = decltype(flash::boxed_tile_of<T, Form::d, I, Form::dv>());
                attention_with<Tile, Form, Images::with_sm90a>(l, s, q, k, v, scores, epilogue, sink, decision.splits,
                                                               flash::box_maps<Tile>(facts.k, facts.v));
            };
            return decision.index == 0 ? launch.template operator()<0>() : launch.template operator()<1>();
        }
    constexpr int long_tiles = long_attention_schedules(sizeof(T), Form::d, Form::dv).size;
    if constexpr (long_tiles > 0 && flash::compiles<Form>(0, tiles))
        if (decision.long_keys) {
            const auto launch = [&]<int I>(std::integral_constant<int, I>) {
                if (decision.index == I)
                    attention_with<decltype(flash::long_tile_of<T, Form::d, I, Form::dv>()), Form,
                                   boxes ? Images::without_sm90a : Images::all>(
                        l, s, q, k, v, scores, epilogue, sink, decision.splits);
            };
            return [&]<int... I>(std::integer_sequence<int, I...>) {
                (launch(std::integral_constant<int, I>{}), ...);
            }(std::make_integer_sequence<int, long_tiles>{});
        }
    const auto launch = [&]<int I>(std::integral_constant<int, I>) {
        using Tile = decltype(flash::tile_of<T, Form::d, I, Form::dv>());
        constexpr Images in =
            wgmma && !evaluates && I + 1 < tiles && !Tile::schedule.wide ? Images::without_sm90a : Images::all;
        if constexpr (flash::compiles<Form>(I, tiles))
            if (decision.index == I)
                attention_with<Tile, Form, in>(l, s, q, k, v, scores, epilogue, sink, decision.splits);
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (launch(std::integral_constant<int, I>{}), ...);
    }(std::make_integer_sequence<int, tiles>{});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
