// SPDX-License-Identifier: Apache-2.0
/// Attention on the portable engine, flash form: softmax(scale · Q Kᵀ + mask) V in one kernel, scores in registers.
///
/// Holes: Q, K and V as expressions, mask, epilogue, sink. Moves Q and the output once, K and V once per tile of
/// queries; 4 · batch · heads · queries · keys · D FLOPs.
///
/// Products are in the storage type of Q, K and V (fp32 by 3xTF32, also where they differ), so results of prologues and
/// probabilities are rounded to it; softmax and sums are fp32, in an order that depends on shape and device alone. A
/// query that attends to no key gives 0. `scale` is positive.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/plan/attention/decide.hpp>
#include <inlay/tile/cuda/mma/attention/kernel.hpp>
#include <inlay/tile/cuda/mma/attention/wide_kernel.hpp>
#include <inlay/tile/cuda/runtime/target.hpp>
#include <inlay/tile/cuda/wgmma/attention/launch.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace flash {

/// The tiles of the schedules for a type and a length of a head.
template <class T, int D, int I>
constexpr auto tile_of() {
    constexpr AttentionSchedule s = attention_schedules(sizeof(T), D).at[I];
    if constexpr (s.wide)
        return AttentionWideTile<T, D, s.m_tiles, s.row_warps, s.key_warps, s.keys>{};
    else
        return AttentionTile<T, D, s.m_tiles, s.row_warps, s.key_warps, s.keys, s.stages, s.blocks>{};
}

template <class Tile, class Mask, class Args, Images In>
using BodyOf = std::conditional_t<Tile::schedule.wide, WideAttentionBody<Tile, Mask, Args>,
                                  AttentionBody<Tile, Mask, Args, In>>;

}  // namespace flash

/// Launches with a tile of the caller's. `splits`: blocks of threads that share the keys of a tile of queries.
template <class Tile, class Mask, Images In = Images::all, class Q, class K, class V, class Epilogue, class Sink>
void attention_with(Launcher& l, const AttentionShape& s, double scale, const Q& q, const K& k, const V& v,
                    const Epilogue& epilogue, const Sink& sink, int splits) {
    using T = typename Tile::T;
    using Arguments = flash::Arguments<T, Q, K, V, Epilogue, Sink>;
    constexpr index_t limit = index_t(1) << 30;
    const index_t blocks = attention_blocks(Tile::schedule, s);
    if (blocks == 0) return;
    const index_t key_heads = s.heads / s.group, rows = s.group * s.queries;
    require(rows < limit && s.keys < limit, "attention of ", rows, " queries and ", s.keys, " keys is too large");

    const auto to_int = [](index_t n) { return static_cast<int>(n); };
    flash::GridShape grid{to_int(key_heads),
                     to_int(s.group),
                     to_int(s.queries),
                     to_int(s.keys),
                     to_int(rows),
                     to_int(blocks / (s.batch * key_heads)),
                     splits,
                     static_cast<float>(scale * 1.4426950408889634),
                     nullptr,
                     nullptr};
    if (splits > 1) {
        const std::size_t parts = static_cast<std::size_t>(blocks * splits * flash::partial_floats<Tile>);
        grid.partial = static_cast<float*>(l.workspace(parts * sizeof(float)));
        grid.arrived = l.semaphores(static_cast<std::size_t>(blocks));
    }
    const Extents<4> query_extents{{s.batch, s.heads, s.queries, Tile::d}};
    const Extents<4> key_extents{{s.batch, key_heads, s.keys, Tile::d}};
    l.launch<flash::BodyOf<Tile, Mask, Arguments, In>>(
        {.blocks = blocks * splits, .threads = Tile::threads, .shared = Tile::shared, .overlaps = true},
        Arguments{grid, {q, query_extents}, {k, key_extents}, {v, key_extents}, epilogue, sink});
}

/// q, k, v: bound expressions of [batch, heads, queries, D] and twice [batch, heads / group, keys, D]. The result, of
/// Q's extents, leaves through the epilogue and the sink.
template <class Mask, int D, class Score, class Q, class K, class V, class Epilogue, class Sink>
void attention(Launcher& l, const AttentionShape& s, double scale, const Q& q, const K& k, const V& v,
               const Epilogue& epilogue, const Sink& sink) {
    using T = attention_type<Q, K, V>;
    constexpr AttentionSchedules table = attention_schedules(sizeof(T), D);
    constexpr bool wgmma = can_wgmma_attention<D, Q, K, V, Epilogue>;
    const TargetInfo target = target_of(l.device());
    const AttentionFacts facts = attention_facts<Mask, D, Score, Epilogue>(s, q, k, v, target.sm90a);
    const AttentionDecision decision = decide(facts.problem, target);
    if constexpr (wgmma)
        if (decision.engine == AttentionEngine::wgmma)
            return wgmma_attention<T, Mask, D, Score>(l, s, scale, facts.operands, epilogue, sink, decision);
    const auto launch = [&]<int I>(std::integral_constant<int, I>) {
        using Tile = decltype(flash::tile_of<T, D, I>());
        constexpr Images in = wgmma && I + 1 < table.size ? Images::without_sm90a : Images::all;
        if (decision.index == I) attention_with<Tile, Mask, in>(l, s, scale, q, k, v, epilogue, sink, decision.splits);
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (launch(std::integral_constant<int, I>{}), ...);
    }(std::make_integer_sequence<int, table.size>{});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
