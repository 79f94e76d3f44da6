// SPDX-License-Identifier: Apache-2.0
/// The finished sums of a tile in the places of the atom's C: of warps that shared its steps, added up; to and from the
/// memory by which blocks meet (`gpu/gemm/split_k.hpp`), and to the epilogue's rows.
#pragma once

#include <inlay/tile/cuda/mma/gemm/warp.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The finished sums of a thread: those of half its warp's rows where two slices share the tile.
template <class Tile>
struct ReducedSums {
    using Product = WarpProduct<Tile>;
    static constexpr int mi = Product::mi / Tile::slices, ni = Product::ni;
    typename Tile::atom::C c[mi][ni];
    int m0, n0;

    /// Adds the slices of a block, through shared memory that is free by then.
    __device__ ReducedSums(const Product& p, float* shared, const Thread& t)
        : m0(p.m0 + p.slice * mi * Tile::atom::m), n0(p.n0) {
        if constexpr (Tile::slices == 1) {
            each([&](int i, int j) { c[i][j] = p.c[i][j]; });
        } else {
            // Each leaves the half that the other one keeps.
            float* const mine = shared + t.id;
            float* const others = shared + (t.id ^ (Tile::threads / 2));
            static_assert((Tile::threads / 2 & (Tile::threads / 2 - 1)) == 0);
            each([&](int i, int j) {
                INLAY_UNROLL
                for (int r = 0; r < 4; ++r)
                    mine[((i * ni + j) * 4 + r) * Tile::threads] = p.slice == 0 ? p.c[i + mi][j].r[r] : p.c[i][j].r[r];
            });
            block_sync();
            each([&](int i, int j) {
                INLAY_UNROLL
                for (int r = 0; r < 4; ++r)
                    c[i][j].r[r] = (p.slice == 0 ? p.c[i][j].r[r] : p.c[i + mi][j].r[r]) +
                                   others[((i * ni + j) * 4 + r) * Tile::threads];
            });
            block_sync();
        }
    }

    /// Floats of a tile in memory, and of the shared memory the slices need.
    static constexpr int floats = mi * ni * 4 * Tile::threads;

    __device__ void leave(float* to, const Thread& t) const {
        each([&](int i, int j) {
            const auto& r = c[i][j].r;
            store_l2(reinterpret_cast<float4*>(to) + (i * ni + j) * Tile::threads + t.id,
                   make_float4(r[0], r[1], r[2], r[3]));
        });
    }
    __device__ void add(const float* from, const Thread& t) {
        each([&](int i, int j) {
            const float4 x = load_l2(reinterpret_cast<const float4*>(from) + (i * ni + j) * Tile::threads + t.id);
            auto& r = c[i][j].r;
            r[0] += x.x, r[1] += x.y, r[2] += x.z, r[3] += x.w;
        });
    }
    /// To rows of `out_stride` floats.
    __device__ void store(float* out, const Thread& t) const {
        each([&](int i, int j) {
            INLAY_UNROLL
            for (int r = 0; r < 4; r += 2) {
                const Place at = Tile::atom::place_c(t.lane, r);
                *reinterpret_cast<float2*>(out + (m0 + i * 16 + at.row) * Tile::out_stride + n0 + j * 8 + at.column) =
                    make_float2(c[i][j].r[r], c[i][j].r[r + 1]);
            }
        });
    }

private:
    template <class F>
    __device__ INLAY_INLINE static void each(F&& f) {
        INLAY_UNROLL
        for (int i = 0; i < mi; ++i)
            INLAY_UNROLL
            for (int j = 0; j < ni; ++j) f(i, j);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
