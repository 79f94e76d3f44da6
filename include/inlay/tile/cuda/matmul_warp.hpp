// SPDX-License-Identifier: Apache-2.0
/// What a warp multiplies: fragments of finished stages by `ldmatrix`, read a row of atoms ahead of the products, into
/// accumulators in registers.
#pragma once

#include <inlay/tile/cuda/matmul_tile.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// Accumulators of fp16 and bf16 atoms take every product; those of fp32 a step's sum at a time (`mma.hpp`).
template <class Tile>
struct WarpProduct {
    using T = typename Tile::value_type;
    using Atom = typename Tile::atom;
    static constexpr int mi = Tile::warp_m / Atom::m, ni = Tile::warp_n / Atom::n;
    static constexpr int rows = Tile::steps * mi;   ///< rows of atoms of a stage, of all its steps along k
    static constexpr int row_bytes = Tile::chunks * 16;

    typename Atom::C c[mi][ni];
    typename Atom::A a[2];
    typename Atom::B b[2][ni];
    int slice, m0, n0;          // of the warp's part
    std::uint32_t a_at, b_at;   // bytes to the lane's rows in a stage

    __device__ WarpProduct(const Thread& t, int b_offset) {
        constexpr int warps = Tile::grid.m * Tile::grid.n;
        slice = t.warp / warps;
        m0 = t.warp % warps / Tile::grid.n * Tile::warp_m;
        n0 = t.warp % warps % Tile::grid.n * Tile::warp_n;
        a_at = static_cast<std::uint32_t>((m0 + t.lane % 16) * row_bytes);
        b_at = static_cast<std::uint32_t>(b_offset + (n0 + t.lane / 16 * 8 + t.lane % 8) * row_bytes);
    }

    /// The first row of atoms of a stage. `stage`: its address in shared memory.
    __device__ INLAY_INLINE void begin(std::uint32_t stage) {
        load_a(stage, 0);
        load_b(stage, 0, 0, 1);
    }
    /// All products of `stage`. Calls `last()` when nothing more is read of it, which returns the next stage, whose first
    /// row is then read.
    template <class F>
    __device__ INLAY_INLINE void multiply(std::uint32_t stage, F&& last) {
        constexpr bool sums_steps = Atom::steps_per_sum < (1 << 20);
        [[maybe_unused]] typename Atom::C sums[sums_steps ? mi : 1][sums_steps ? ni : 1];
        std::uint32_t next = stage;
        INLAY_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int k = r / mi, i = r % mi;
            if (r + 1 == rows) next = last();
            load_a(r + 1 == rows ? next : stage, r + 1);
            // Fragments of B for the next step along k, a part with each row. The last row must read all of another stage.
            if (k + 1 < Tile::steps) load_b(stage, k + 1, i, mi);
            else if (r + 1 == rows) load_b(next, 0, 0, 1);
            if constexpr (sums_steps) row(sums[i], a[r % 2], b[k % 2]);
            else row(c[i], a[r % 2], b[k % 2]);
        }
        if constexpr (sums_steps) {
            INLAY_UNROLL
            for (int i = 0; i < mi; ++i)
                INLAY_UNROLL
                for (int j = 0; j < ni; ++j)
                    INLAY_UNROLL
                    for (int r = 0; r < 4; ++r) c[i][j].r[r] += sums[i][j].r[r];
        }
    }

private:
    /// Rows of a tile that a lane reads differ by multiples of 8, so all of them turn their chunks alike.
    __device__ INLAY_INLINE static std::uint32_t turned(int row, int chunk) {
        return swizzled<Tile::chunks>(row, chunk) - static_cast<std::uint32_t>(row * row_bytes);
    }
    /// Row r of atoms, counted over all steps along k; one past the last is the first of the next stage.
    __device__ INLAY_INLINE void load_a(std::uint32_t stage, int r) {
        const int lane = static_cast<int>(threadIdx.x) % 32, k = r % rows / mi, i = r % mi;
        load_matrices(a[r % 2].r,
                      stage + a_at + turned(lane % 16, (slice * Tile::steps + k) * 2 + lane / 16) + i * 16 * row_bytes);
    }
    /// Part `part` of `parts` of the fragments of step k.
    __device__ INLAY_INLINE void load_b(std::uint32_t stage, int k, int part, int parts) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const std::uint32_t at = stage + b_at + turned(lane % 8, (slice * Tile::steps + k) * 2 + lane / 8 % 2);
        INLAY_UNROLL
        for (int j = 0; j < ni; j += 2) {
            if (j / 2 % parts != part) continue;
            if (j + 1 < ni) {
                std::uint32_t r[4];
                load_matrices(r, at + j * 8 * row_bytes);
                b[k % 2][j] = {{r[0], r[1]}};
                b[k % 2][j + 1] = {{r[2], r[3]}};
            } else {
                load_matrices(b[k % 2][j].r, at + j * 8 * row_bytes);
            }
        }
    }
    template <class C>
    __device__ INLAY_INLINE static void row(C& c, const typename Atom::A& a, const typename Atom::B (&b)[ni]) {
        if constexpr (requires { Atom::split(a); }) {
            const auto parts = Atom::split(a);
            INLAY_UNROLL
            for (int j = 0; j < ni; ++j) Atom::mma(c[j], parts, Atom::split(b[j]));
        } else {
            INLAY_UNROLL
            for (int j = 0; j < ni; ++j) Atom::mma(c[j], a, b[j]);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
