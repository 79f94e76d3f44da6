// SPDX-License-Identifier: Apache-2.0
/// Scales of K and V in fp8: products are of the numbers as they are stored, so that the scale of a key multiplies its
/// scores, and that of its value the weight or, where all values have one, the sums with V. In exact arithmetic that is
/// the attention over scaled K and V.
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
    __device__ INLAY_INLINE void load(int) {}
    template <class Q>
    __device__ INLAY_INLINE void scale_scores(const ScoreTile<Tile>&, const Q&) const {}
    template <class Sums>
    __device__ INLAY_INLINE void advance(const Sums&) {}
    __device__ INLAY_INLINE void scale_weights(const ScoreTile<Tile>&, int) const {}
    template <class Sums>
    __device__ INLAY_INLINE void finish(const Sums&) const {}
};

template <class Tile, class Args>
struct CacheScales<Tile, Args, true> {
    using Atom = typename Tile::Atom;
    using OfKeys = float[Tile::key_tiles][Atom::c_columns];
    const Args& a;
    int batch, head, lane_key;
    float of_keys, of_values;   ///< of all, where there is one; else `of_values` is that of the sums
    OfKeys keys, values;        ///< of a lane's keys in the block, where they differ

    template <class Work>
    __device__ INLAY_INLINE CacheScales(const Args& args, const Work& work_tile)
        : a(args), batch(work_tile.batch), head(work_tile.key_head),
          lane_key(Atom::place_c(lane_index(), 0).column),
          of_keys(args.k.one_of_keys ? args.k.scale(batch, head, 0) : 1.0f),
          of_values(args.v.one_of_keys ? args.v.scale(batch, head, 0) : 0x1p-120f) {}

    /// Those of the warp's keys from `first` on, while copies of these are under way.
    __device__ INLAY_INLINE void load(int first) {
        const auto load_all = [&](OfKeys& to, const auto& from) {
            INLAY_UNROLL
            for (int n = 0; n < Tile::key_tiles; ++n)
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_columns; ++r)
                    to[n][r] = from.scale(batch, head,
                                          (::min)(first + lane_key + n * Atom::n + c_column<Atom>(r), a.grid.keys - 1));
        };
        if (!a.k.one_of_keys) load_all(keys, a.k);
        if (!a.v.one_of_keys) load_all(values, a.v);
    }
    /// Scores of fp8 and of scaled rows of Q become those of K and Q.
    template <class Q>
    __device__ INLAY_INLINE void scale_scores(ScoreTile<Tile>& s, const Q& q) const {
        each([&](int m, int n, int h, int r, float& x) {
            x *= q.back[m][h] * (a.k.one_of_keys ? of_keys : keys[n][r]);
        }, s);
    }
    /// Sums are relative to a power of two that keeps scaled weights in fp16: the greatest scale so far is at most 2^7
    /// of it, and a weight 2^8.
    template <int V, int OutTiles>
    __device__ INLAY_INLINE void advance(typename Atom::C (&o)[V][Tile::m_tiles][OutTiles]) {
        if (a.v.one_of_keys) return;
        float top = 0.0f;
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            INLAY_UNROLL
            for (int r = 0; r < Atom::c_columns; ++r) top = fmaxf(top, fabsf(values[n][r]));
        top = Atom::reduce_row(top, [](float x, float y) { return fmaxf(x, y); });
        if (any_lane(top >= of_values * 0x1p7f)) {
            const float now = float_of_bits(float_bits(top) & 0x7f800000u) * 0x1p-6f;
            multiply(o, of_values / now);
            of_values = now;
        }
        const float by = 1.0f / of_values;
        INLAY_UNROLL
        for (int n = 0; n < Tile::key_tiles; ++n)
            INLAY_UNROLL
            for (int r = 0; r < Atom::c_columns; ++r) values[n][r] *= by;
    }
    /// Weights of a tile of keys become those of values in fp8.
    __device__ INLAY_INLINE void scale_weights(ScoreTile<Tile>& s, int n) const {
        if (a.v.one_of_keys) return;
        each([&](int, int tile, int, int r, float& x) { if (tile == n) x *= values[tile][r]; }, s);
    }
    template <int V, int OutTiles>
    __device__ INLAY_INLINE void finish(typename Atom::C (&o)[V][Tile::m_tiles][OutTiles]) const {
        multiply(o, of_values);
    }

private:
    template <class F>
    __device__ INLAY_INLINE static void each(const F& f, ScoreTile<Tile>& s) {
        INLAY_UNROLL
        for (int m = 0; m < Tile::m_tiles; ++m)
            INLAY_UNROLL
            for (int n = 0; n < Tile::key_tiles; ++n)
                INLAY_UNROLL
                for (int h = 0; h < Atom::c_rows; ++h)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_columns; ++r) f(m, n, h, r, s[m][n].r[Atom::c_columns * h + r]);
    }
    template <int V, int OutTiles>
    __device__ INLAY_INLINE static void multiply(typename Atom::C (&o)[V][Tile::m_tiles][OutTiles], float by) {
        INLAY_UNROLL
        for (int v = 0; v < V; ++v)
            INLAY_UNROLL
            for (int m = 0; m < Tile::m_tiles; ++m)
                INLAY_UNROLL
                for (int n = 0; n < OutTiles; ++n)
                    INLAY_UNROLL
                    for (int i = 0; i < Atom::c_count; ++i) o[v][m][n].r[i] *= by;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
