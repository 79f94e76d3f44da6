// SPDX-License-Identifier: Apache-2.0
/// The launch of attention with a tile: extents, the grid, and workspace where blocks share the keys.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/plan/attention/algebra.hpp>
#include <inlay/tile/gpu/attention/kernel.hpp>
#include <inlay/tile/gpu/attention/wide_kernel.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace flash {

template <class Tile, class Algebra, class Args, Images In>
using BodyOf = std::conditional_t<Tile::schedule.wide, WideAttentionBody<Tile, Algebra, Args, In>,
                                  AttentionBody<Tile, Algebra, Args, In>>;

/// The factor of scores in registers in exponents of 2, where they are powers'.
template <class Algebra>
float exponent_scale() {
    if constexpr (!has_softmax_weights<Algebra>) return 0.0f;
    else return static_cast<float>((Algebra::scales_out ? Algebra::scale : 1.0) * PowerOfRow<Algebra>::log2_base);
}

/// True for schedules that `choose_attention` may take: with several sums with V the last of a table alone.
template <class Form>
constexpr bool compiles(int index, int size) {
    return AttentionAlgebra<Form>::row::vectors::size == 1 || index + 1 == size;
}

/// The grid of a tile's blocks, without memory for splits.
template <class Tile, class Algebra>
GridShape grid_shape(const AttentionShape& s, int splits) {
    constexpr index_t limit = index_t(1) << 30;
    const index_t key_heads = s.heads / s.group, rows = s.group * s.queries;
    require(rows < limit && s.keys < limit, "attention of ", rows, " queries and ", s.keys, " keys is too large");
    const auto to_int = [](index_t n) { return static_cast<int>(n); };
    return {to_int(key_heads),
            to_int(s.group),
            to_int(s.queries),
            to_int(s.keys),
            to_int(rows),
            to_int(attention_blocks(Tile::schedule, s) / (s.batch * key_heads)),
            splits,
            exponent_scale<Algebra>(),
            nullptr,
            nullptr};
}

}  // namespace flash

/// Launches with a tile of the caller's. `splits`: blocks of threads that share the keys of a tile of queries.
/// `scores`: the slots of condition, score and row. `maps`: of K and V, for a tile whose copies are an engine's.
template <class Tile, class Form, Images In = Images::all, class Q, class K, class V, class Scores, class Epilogue,
          class Sink, class Maps = flash::NoMaps>
void attention_with(Launcher& l, const AttentionShape& s, const Q& q, const K& k, const V& v, const Scores& scores,
                    const Epilogue& epilogue, const Sink& sink, int splits, const Maps& maps = {}) {
    using Algebra = AttentionAlgebra<Form>;
    static_assert(Tile::d == Algebra::d && Tile::ValueRow::d == Algebra::dv);
    using Arguments = flash::Arguments<typename Tile::T, Q, K, V, Epilogue, Sink, Scores, typename Tile::Cache, Maps>;
    using Body = flash::BodyOf<Tile, Algebra, Arguments, In>;
    const index_t blocks = attention_blocks(Tile::schedule, s), key_heads = s.heads / s.group;
    if (blocks == 0) return;
    flash::GridShape grid = flash::grid_shape<Tile, Algebra>(s, splits);
    if (splits > 1) {
        using Part = flash::Partial<Tile, typename Body::State>;
        const std::size_t parts = static_cast<std::size_t>(blocks * splits * Part::floats);
        grid.partial = static_cast<float*>(l.workspace(parts * sizeof(float)));
        grid.arrived = l.semaphores(static_cast<std::size_t>(blocks));
    }
    const Extents<4> query_extents{{s.batch, s.heads, s.queries, Tile::d}};
    const Extents<4> key_extents{{s.batch, key_heads, s.keys, Tile::d}};
    const Extents<4> value_extents{{s.batch, key_heads, s.keys, Tile::ValueRow::d}};
    int shared = Body::shared;
    if constexpr (requires { Body::third; })
        if (Body::third && !third_block_pays(blocks * splits, l.device().multiprocessors))
            shared = larger(shared, shared_bytes_of_two);
    l.launch<Body>({.blocks = blocks * splits,
                    .threads = Tile::threads,
                    .shared = static_cast<std::size_t>(shared),
                    .overlaps = true},
                   Arguments{maps,
                             grid,
                             {q, query_extents},
                             {k, key_extents},
                             {v, value_extents},
                             epilogue,
                             sink,
                             scores});
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
