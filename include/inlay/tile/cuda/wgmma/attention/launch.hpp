// SPDX-License-Identifier: Apache-2.0
/// Launches of attention on sm_90a.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>
#include <inlay/tile/cuda/wgmma/attention/kernel.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/launch.hpp>
#include <inlay/tile/cuda/wgmma/attention/variants.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// With a tile of the caller's, of operands that are not refused. `query_tiles`: at most the tile's.
template <class Tile, class Form, class Scores, class Epilogue, class Sink>
void launch_wgmma_attention(Launcher& l, const AttentionShape& s, const WgmmaAttentionOperands& from, const Scores& scores,
                            const Epilogue& epilogue, const Sink& sink, int query_tiles) {
    using Algebra = AttentionAlgebra<Form>;
    const int rows = Tile::rows / Tile::query_tiles * query_tiles;
    const index_t tiles = (s.queries + rows - 1) / rows,
                  blocks = s.batch * s.heads * tiles * Tile::together;
    if (blocks == 0) return;
    using Args = WgmmaAttentionArgs<Epilogue, Sink, Tile::boxes, Scores>;
    Args a{{}, {}, {}, epilogue, sink};
    a.env = scores;
    for (int i = 0; i < Tile::boxes; ++i) {
        const bool last = i + 1 == Tile::boxes;
        const int columns = last ? Tile::last : 64;
        a.q[i] = box_map(from.q, {columns, rows, 1, 1});
        a.k[i] = box_map(from.k, {columns, Tile::keys, 1, 1});
        a.v[i] = box_map(from.v, {last ? Tile::last_of_v : 64, Tile::keys, 1, 1});
    }
    a.tiles = static_cast<int>(tiles);
    a.heads = static_cast<int>(s.heads);
    a.by_tiles = ShortDivisor(a.tiles);
    a.by_heads = ShortDivisor(a.heads);
    a.by_group = ShortDivisor(static_cast<int>(s.group));
    a.query_tiles = query_tiles;
    a.rows = rows;
    a.queries = static_cast<int>(s.queries);
    a.keys = static_cast<int>(s.keys);
    a.scale = wgmma_score_scale<Algebra>();
    with_wgmma_algebra<Algebra>(scores, [&]<class By>(std::type_identity<By>) {
        constexpr int found = WgmmaFoundRows<Tile, By>::bytes;      // of shared memory, behind the tile's
        static_assert(Tile::min_blocks * (Tile::shared + found + 1024) <= 228 * 1024);
        l.launch<WgmmaAttentionBody<Tile, By, Args>>({.blocks = blocks,
                                                      .threads = Tile::threads,
                                                      .shared = static_cast<std::size_t>(Tile::shared + found),
                                                      .cluster = Tile::together,
                                                      .overlaps = true},
                                                     a);
    });
}

namespace detail {

template <class T, int D, int DV, int I, bool Binary>
struct WgmmaAttentionTileOf {
    static constexpr WgmmaAttentionSchedule s = wgmma_attention_schedules(D, DV).at[I];
    using type = WgmmaAttentionTile<T, D, s.groups, s.keys, s.stages, s.blocks, s.turns, s.parts, s.shares, s.cluster,
                                    Binary && s.folds(D), DV>;
};
/// A schedule of a table as a tile. `Binary`: scores are exponents of 2.
template <class T, int D, int I, bool Binary = false, int DV = D>
using WgmmaAttentionTableTile = typename WgmmaAttentionTileOf<T, D, DV, I, Binary>::type;

}  // namespace detail

/// Launches attention as decided for this engine.
template <class T, class Form, class Scores, class Epilogue, class Sink>
void wgmma_attention(Launcher& l, const AttentionShape& s, const WgmmaAttentionOperands& from, const Scores& scores,
                     const Epilogue& epilogue, const Sink& sink, const AttentionDecision& decision) {
    constexpr WgmmaAttentionSchedules table = wgmma_attention_schedules(Form::d, Form::dv);
    if constexpr (table.values_in_keys()) {
        launch_wgmma_latent<T, Form>(l, s, from, scores, epilogue, sink, decision.splits);
    } else {
        const auto launch = [&]<int I>() {
            if (decision.index == I)
                launch_wgmma_attention<
                    detail::WgmmaAttentionTableTile<T, Form::d, I, AttentionAlgebra<Form>::binary, Form::dv>, Form>(
                    l, s, from, scores, epilogue, sink, decision.parts);
        };
        [&]<int... I>(std::integer_sequence<int, I...>) {
            (launch.template operator()<I>(), ...);
        }(std::make_integer_sequence<int, table.size>{});
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
