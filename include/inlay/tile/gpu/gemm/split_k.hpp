// SPDX-License-Identifier: Apache-2.0
/// Sums of a tile that several warps or several blocks hold parts of. Blocks meet two by two: who comes first to a
/// meeting leaves its sums in memory, who comes second adds them to its own and goes on to the next meeting. Which two
/// meet depends on their numbers alone and a + b = b + a, so the result does not depend on who came when.
#pragma once

#include <inlay/tile/cuda/mma/gemm/warp.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The finished sums of a thread: those of half its warp's rows where two slices share the tile.
template <class Tile>
struct ReducedSums {
    using Product = WarpProduct<Tile>;
    static constexpr int mi = Product::mi / Tile::slices, ni = Product::ni;
    typename Tile::atom::C c[mi][ni];
    int m0, n0;

    /// Adds the slices of a block, through shared memory that nobody uses any more.
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
            __syncthreads();
            each([&](int i, int j) {
                INLAY_UNROLL
                for (int r = 0; r < 4; ++r)
                    c[i][j].r[r] = (p.slice == 0 ? p.c[i][j].r[r] : p.c[i + mi][j].r[r]) +
                                   others[((i * ni + j) * 4 + r) * Tile::threads];
            });
            __syncthreads();
        }
    }

    /// Floats of a tile in memory, and of the shared memory the slices need.
    static constexpr int floats = mi * ni * 4 * Tile::threads;

    __device__ void leave(float* to, const Thread& t) const {
        each([&](int i, int j) {
            const auto& r = c[i][j].r;
            __stcg(reinterpret_cast<float4*>(to) + (i * ni + j) * Tile::threads + t.id,
                   make_float4(r[0], r[1], r[2], r[3]));
        });
    }
    __device__ void add(const float* from, const Thread& t) {
        each([&](int i, int j) {
            const float4 x = __ldcg(reinterpret_cast<const float4*>(from) + (i * ni + j) * Tile::threads + t.id);
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

/// Meets the other parts of the tile. True for the block that ends up with the sum of all. `partial`: room for every
/// part of every tile; `semaphores`: one counter for each of them, 0 before and after. Parts are blocks: they fit 31
/// bits.
template <class Tile>
__device__ bool meet_slices(ReducedSums<Tile>& sums, float* partial, std::uint32_t* semaphores, int tile, int part,
                           int parts, const Thread& t) {
    __shared__ std::uint32_t arrived;
    const auto place = [&](int p) {
        return partial + static_cast<index_t>(tile * parts + p) * ReducedSums<Tile>::floats;
    };
    for (int level = 0; 1 << level < parts; ++level) {
        const int mine = part >> level, other = mine ^ 1;
        if (other << level >= parts) continue;
        // The sum of parts [g << level, …) lies at g << level; the meeting has a number of its own below `parts`.
        std::uint32_t* const meeting = semaphores + tile * parts + ((mine | 1) << level);
        if (t.id == 0) arrived = atomicAdd(meeting, 1u);
        __syncthreads();
        const bool first = arrived == 0;
        if (first) {
            sums.leave(place(mine << level), t);
            __threadfence();
            __syncthreads();
            if (t.id == 0) atomicAdd(meeting, 2u);
            return false;
        }
        if (t.id == 0) {
            while (atomicAdd(meeting, 0u) < 4u) {}  // the other block is running and about to leave its sums
            *meeting = 0;
        }
        __syncthreads();
        __threadfence();
        sums.add(place(other << level), t);
    }
    return true;
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
