// SPDX-License-Identifier: Apache-2.0
/// The finished sums of a tile in the places of the atom's C: of warps that shared its steps, added up; to and from the
/// memory by which blocks meet (`gpu/gemm/split_k.hpp`), and to the epilogue's rows.
#pragma once

#include <inlay/tile/gpu/gemm/warp.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The finished sums of a thread: those of half its warp's rows where two slices share the tile.
template <class Tile>
struct ReducedSums {
    using Product = WarpProduct<Tile>;
    using Atom = typename Tile::atom;
    static constexpr int mi = Product::mi / Tile::slices, ni = Product::ni;
    typename Atom::C c[mi][ni];
    int m0, n0;

    /// Adds the slices of a block, through shared memory that is free by then.
    __device__ ReducedSums(const Product& p, float* shared, const Thread& t)
        : m0(p.m0 + p.slice * mi * Atom::m), n0(p.n0) {
        if constexpr (Tile::slices == 1) {
            each([&](int i, int j) { c[i][j] = p.c[i][j]; });
        } else {
            // Each leaves the half that the other one keeps.
            float* const mine = shared + t.id;
            float* const others = shared + (t.id ^ (Tile::threads / 2));
            static_assert((Tile::threads / 2 & (Tile::threads / 2 - 1)) == 0);
            each([&](int i, int j) {
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_count; ++r)
                    mine[((i * ni + j) * Atom::c_count + r) * Tile::threads] =
                        p.slice == 0 ? p.c[i + mi][j].r[r] : p.c[i][j].r[r];
            });
            block_sync();
            each([&](int i, int j) {
                INLAY_UNROLL
                for (int r = 0; r < Atom::c_count; ++r)
                    c[i][j].r[r] = (p.slice == 0 ? p.c[i][j].r[r] : p.c[i + mi][j].r[r]) +
                                   others[((i * ni + j) * Atom::c_count + r) * Tile::threads];
            });
            block_sync();
        }
    }

    /// Floats of a tile in memory, and of the shared memory the slices need.
    static constexpr int floats = mi * ni * Atom::c_count * Tile::threads;

    __device__ void leave(float* to, const Thread& t) const {
        each_four([&](int i, int j, int q) {
            const auto& r = c[i][j].r;
            store_l2(reinterpret_cast<float4*>(to) + ((i * ni + j) * fours + q) * Tile::threads + t.id,
                     make_float4(r[4 * q], r[4 * q + 1], r[4 * q + 2], r[4 * q + 3]));
        });
    }
    __device__ void add(const float* from, const Thread& t) {
        each_four([&](int i, int j, int q) {
            const float4 x =
                load_l2(reinterpret_cast<const float4*>(from) + ((i * ni + j) * fours + q) * Tile::threads + t.id);
            auto& r = c[i][j].r;
            r[4 * q] += x.x, r[4 * q + 1] += x.y, r[4 * q + 2] += x.z, r[4 * q + 3] += x.w;
        });
    }
    /// To rows of `out_stride` floats. Values before the address: the other order makes nvcc schedule it otherwise.
    __device__ void store(float* out, const Thread& t) const {
        each([&](int i, int j) {
            const auto& from = c[i][j].r;
            INLAY_UNROLL
            for (int r = 0; r < Atom::c_count; r += Atom::c_run) {
                const Place at = Atom::place_c(t.lane, r);
                const auto to = [&] {
                    return out + (m0 + i * Atom::m + at.row) * Tile::out_stride + n0 + j * Atom::n + at.column;
                };
                if constexpr (Atom::c_run == 4)
                    *reinterpret_cast<float4*>(to()) = make_float4(from[r], from[r + 1], from[r + 2], from[r + 3]);
                else *reinterpret_cast<float2*>(to()) = make_float2(from[r], from[r + 1]);
            }
        });
    }

private:
    static constexpr int fours = Atom::c_count / 4;
    static_assert(Atom::c_count % 4 == 0 && (Atom::c_run == 2 || Atom::c_run == 4));

    template <class F>
    __device__ INLAY_INLINE static void each_four(F&& f) {
        each([&](int i, int j) {
            INLAY_UNROLL
            for (int q = 0; q < fours; ++q) f(i, j, q);
        });
    }
    template <class F>
    __device__ INLAY_INLINE static void each(F&& f) {
        INLAY_UNROLL
        for (int i = 0; i < mi; ++i)
            INLAY_UNROLL
            for (int j = 0; j < ni; ++j) f(i, j);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
