// SPDX-License-Identifier: Apache-2.0
/// The products of a warp: fragments of finished stages, read a row of atoms ahead of the products, into accumulators
/// in registers.
#pragma once

#include <inlay/tile/gpu/gemm/tile.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Accumulators of fp16 and bf16 atoms take every product; those of fp32 a k-block's sum at a time (`gpu/matrix.hpp`).
template <class Tile>
struct WarpProduct {
    using T = typename Tile::value_type;
    using Atom = typename Tile::atom;
    static constexpr int mi = Tile::warp_m / Atom::m, ni = Tile::warp_n / Atom::n;
    static constexpr int rows = Tile::steps * mi;   ///< rows of atoms of a stage, of all its steps along k
    /// The next stage's first row has registers of its own while the last one is multiplied: with an even number of
    /// steps.
    static constexpr bool ahead = Tile::steps % 2 == 0;
    static constexpr int row_bytes = Tile::chunks * 16, step_bytes = Atom::chunks * 16;

    typename Atom::C c[mi][ni];
    typename Atom::A a[2];
    typename Atom::B b[2][ni];
    int slice, m0, n0;          // of the warp's share
    std::uint32_t a_lane, b_lane;   // bytes to the lane's first element of a stage
    std::uint32_t a_at, b_at;       // the same as addresses in the stage that is read

    __device__ WarpProduct(const Thread& t, int b_offset) {
        constexpr int warps = Tile::grid.m * Tile::grid.n;
        slice = t.warp / warps;
        m0 = t.warp % warps / Tile::grid.n * Tile::warp_m;
        n0 = t.warp % warps % Tile::grid.n * Tile::warp_n;
        const int first = slice * Tile::steps * Atom::chunks;
        a_lane = swizzled<Tile::chunks>(m0 + Atom::a_row(t.lane), first + Atom::a_chunk(t.lane));
        b_lane = static_cast<std::uint32_t>(b_offset) +
                 swizzled<Tile::chunks>(n0 + Atom::b_row(t.lane), first + Atom::b_chunk(t.lane));
    }

    /// Defines what `begin` writes.
    __device__ INLAY_INLINE void clear() {
        a[0] = {};
        INLAY_UNROLL
        for (int j = 0; j < ni; ++j) b[0][j] = {};
        a_at = b_at = 0;
    }
    /// The first row of atoms of a stage. `stage`: its address in shared memory.
    __device__ INLAY_INLINE void begin(std::uint32_t stage) {
        a_at = stage + a_lane;
        b_at = stage + b_lane;
        load_a(0);
        load_b(0, 0, 1);
    }
    /// All products of a stage, of which the first row is read. Calls `between(r)` before row r of `rows` - 1, and
    /// `last()` after the last read of the stage; it returns the next one, whose first row is then read.
    template <class Between, class Last>
    __device__ INLAY_INLINE void multiply(Between&& between, Last&& last) {
        constexpr bool sums_steps = Atom::steps_per_sum < (1 << 20);
        constexpr int sums_m = sums_steps ? mi : 1, sums_n = sums_steps ? ni : 1;
        [[maybe_unused]] typename Atom::C sums[sums_m][sums_n], rest[sums_m][sums_n];
        INLAY_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int k = r / mi, i = r % mi;
            if (r + 1 < rows) {
                between(r);
                load_a(r + 1);
                // Fragments of B for the next step along k, a part with each row. The last row must read all of another
                // stage.
                if (k + 1 < Tile::steps) load_b(k + 1, i, mi);
            } else if (ahead) {
                begin(last());
            }
            if constexpr (sums_steps) split_row(sums[i], rest[i], a[r % 2], b[k % 2]);
            else row(c[i], a[r % 2], b[k % 2]);
        }
        if constexpr (!ahead) begin(last());
        if constexpr (sums_steps) {
            INLAY_UNROLL
            for (int i = 0; i < mi; ++i)
                INLAY_UNROLL
                for (int j = 0; j < ni; ++j)
                    INLAY_UNROLL
                    for (int r = 0; r < Atom::c_count; ++r) c[i][j].r[r] += sums[i][j].r[r] + rest[i][j].r[r];
        }
    }

private:
    /// Row r of atoms, counted over all steps along k. Rows that a lane reads differ by multiples of 8, so all of them
    /// swizzle their chunks alike, and a step along k flips bits that no other part of an address has.
    __device__ INLAY_INLINE void load_a(int r) {
        Atom::load_a(a[r % 2],
                     (a_at ^ static_cast<std::uint32_t>(r / mi * step_bytes)) + r % mi * Atom::m * row_bytes);
    }
    /// Loads part `part` of `parts` of the fragments of step k.
    __device__ INLAY_INLINE void load_b(int k, int part, int parts) {
        const std::uint32_t at = b_at ^ static_cast<std::uint32_t>(k * step_bytes);
        INLAY_UNROLL
        for (int j = 0; j < ni; j += Atom::b_pair) {
            if (j / Atom::b_pair % parts != part) continue;
            const std::uint32_t from = at + j * Atom::n * row_bytes;
            if constexpr (Atom::b_pair == 2)
                if (j + 1 < ni) {
                    Atom::load_b(b[k % 2][j], b[k % 2][j + 1], from);
                    continue;
                }
            Atom::load_b(b[k % 2][j], from);
        }
    }
    template <class C>
    __device__ INLAY_INLINE static void row(C& c, const typename Atom::A& a, const typename Atom::B (&b)[ni]) {
        INLAY_UNROLL
        for (int j = 0; j < ni; ++j) Atom::mma(c[j], a, b[j]);
    }
    template <class C>
    __device__ INLAY_INLINE static void split_row(C& big, C& rest, const typename Atom::A& a,
                                                  const typename Atom::B (&b)[ni]) {
        const auto parts = Atom::split(a);
        INLAY_UNROLL
        for (int j = 0; j < ni; ++j) Atom::mma(big[j], rest[j], parts, Atom::split(b[j]));
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
