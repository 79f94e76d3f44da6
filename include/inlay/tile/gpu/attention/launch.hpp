// SPDX-License-Identifier: Apache-2.0
/// The launch of attention with a tile: extents, the grid, and workspace where blocks share the keys.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/plan/attention/algebra.hpp>
#include <inlay/plan/attention/prefix_mask.hpp>
#include <inlay/tile/gpu/attention/kernel.hpp>
#include <inlay/tile/gpu/attention/wide_kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace flash {

template <class Tile, class Mask, class Args, Images In>
using BodyOf = std::conditional_t<Tile::schedule.wide, WideAttentionBody<Tile, Mask, Args, In>,
                                  AttentionBody<Tile, Mask, Args, In>>;

}  // namespace flash

/// Launches with a tile of the caller's. `splits`: blocks of threads that share the keys of a tile of queries.
template <class Tile, class Form, Images In = Images::all, class Q, class K, class V, class Scores, class Epilogue,
          class Sink>
void attention_with(Launcher& l, const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores&,
                    const Epilogue& epilogue, const Sink& sink, int splits) {
    using Algebra = AttentionAlgebra<Form>;
    using Mask = PrefixMask<typename Algebra::condition>;
    static_assert(Algebra::softmax && Algebra::scales_out && Mask::prefix && Algebra::dv == Algebra::d &&
                      !Algebra::stores_number,
                  "inlay: a GPU has softmax of scaled scores under no mask or a causal one alone");
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
                     static_cast<float>(Algebra::scale * Algebra::log2_base),
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

}  // namespace inlay::inline INLAY_ABI::on_gpu
