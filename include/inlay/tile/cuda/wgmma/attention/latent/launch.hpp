// SPDX-License-Identifier: Apache-2.0
/// Launches of attention on sm_90a whose values are columns of its keys.
#pragma once

#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/kernel.hpp>
#include <inlay/tile/cuda/wgmma/attention/variants.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

#include <bit>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Of operands that are not refused. `slices`: blocks that share out the keys of a tile, 1, 2, 4 or 8.
template <class T, class Form, class Scores, class Epilogue, class Sink>
void launch_wgmma_latent(Launcher& l, const AttentionShape& s, const WgmmaAttentionOperands& from, const Scores& scores,
                         const Epilogue& epilogue, const Sink& sink, int slices) {
    using Algebra = AttentionAlgebra<Form>;
    using Tile = WgmmaLatentTile<T, Form::d, Form::dv>;
    using Args = WgmmaLatentArgs<Epilogue, Sink, Scores>;
    const index_t key_heads = s.heads / larger<index_t>(s.group, 1), tiles = (s.group + Tile::rows - 1) / Tile::rows,
                  blocks = s.batch * key_heads * tiles * slices;
    if (blocks == 0) return;
    Args a{box_map(from.q, {64, Tile::rows, 1, 1}), box_map(from.k, {64, Tile::keys, 1, 1}), epilogue, sink};
    a.env = scores;
    a.tiles = static_cast<int>(tiles);
    a.key_heads = static_cast<int>(key_heads);
    a.group = static_cast<int>(s.group);
    a.by_tiles = ShortDivisor(a.tiles);
    a.by_heads = ShortDivisor(a.key_heads);
    a.keys = static_cast<int>(s.keys);
    a.log2_slices = std::countr_zero(static_cast<unsigned>(slices));
    a.scale = wgmma_score_scale<Algebra>();
    with_wgmma_algebra<Algebra>(scores, [&]<class By>(std::type_identity<By>) {
        l.launch<WgmmaLatentBody<Tile, By, Args>>({.blocks = blocks,
                                                   .threads = Tile::threads,
                                                   .shared = static_cast<std::size_t>(Tile::shared),
                                                   .cluster = slices,
                                                   .overlaps = true},
                                                  a);
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
