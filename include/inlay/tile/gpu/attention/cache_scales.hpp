// SPDX-License-Identifier: Apache-2.0
/// Scales of K and V in fp8: products are of the numbers as they are stored, so that the scale of a key multiplies its
/// scores, and that of all values of a head the sums with V. Of finite scales that is, in exact arithmetic, the attention
/// over scaled K and V. Scales of V by key would multiply weights, whose range in fp16 they could leave.
#pragma once

#include <inlay/tile/gpu/attention/places.hpp>
#include <inlay/tile/gpu/attention/scores.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// None where K and V lie in shared memory as they are multiplied.
template <class Tile, class Args, bool Scales = Tile::scales>
struct CacheScales {
    template <class Work>
    __device__ INLAY_INLINE CacheScales(const Args&, const Work&) {}
    template <class Q>
    __device__ INLAY_INLINE void scale_scores(const ScoreTile<Tile>&, const Q&) const {}
    template <class Sums>
    __device__ INLAY_INLINE void finish(const Sums&) const {}
};

template <class Tile, class Args>
struct CacheScales<Tile, Args, true> {
    using Atom = typename Tile::Atom;
    using OfKeys = float[Tile::key_tiles][Atom::c_columns];
    const Args& a;
    int batch, head, lane_key;
    float of_keys, of_values;   ///< of all keys where they have one, and of all values
    OfKeys keys;                ///< of a lane's keys in the block, where they differ

    template <class Work>
    __device__ INLAY_INLINE CacheScales(const Args& args, const Work& work_tile)
        : a(args), batch(work_tile.batch), head(work_tile.key_head),
          lane_key(Atom::place_c(lane_index(), 0).column),
          of_keys(args.k.one_of_keys ? args.k.scale(batch, head, 0) : 1.0f),
          of_values(args.v.scale(batch, head, 0)) {}

    /// Those of the warp's keys from `first` on, while copies of these are under way.
    __device__ INLAY_INLINE void load(int first) {
        if (a.k.one_of_keys) return;
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            INLAY_UNROLL
            for (int r = 0; r < Atom::c_columns; ++r)
                keys[n][r] = a.k.scale(batch, head,
                                       (::min)(first + lane_key + n * Atom::n + c_column<Atom>(r), a.grid.keys - 1));
    }
    /// Scores of fp8 and of scaled rows of Q become those of K and Q.
    template <class Q>
    __device__ INLAY_INLINE void scale_scores(ScoreTile<Tile>& s, const Q& q) const {
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m)
            INLAY_UNROLL
            for (int n = 0; n < Tile::key_tiles; ++n)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_columns; ++r)
                        s[m][n].r[Atom::c_columns * h + r] *= q.back[m][h] * (a.k.one_of_keys ? of_keys : keys[n][r]);
    }
    template <int V, int OutTiles>
    __device__ INLAY_INLINE void finish(typename Atom::C (&o)[V][Tile::m_tiles][OutTiles]) const {
        INLAY_UNROLL
        for (int v = 0; v < V; ++v)
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int n = 0; n < OutTiles; ++n)
                    INLAY_UNROLL
                    for (int i = 0; i < Atom::c_count; ++i) o[v][m][n].r[i] *= of_values;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
