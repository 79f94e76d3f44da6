// SPDX-License-Identifier: Apache-2.0
/// Schedules as data: one table per engine. A kernel compiles at most three of them, and those for a few rows and for
/// short segments where it can have such, chosen by extents; a `Tiled` of the user's own wins. `plan/gemm/decide.hpp`
/// chooses the engine.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/plan/device.hpp>

namespace inlay::inline INLAY_ABI {

struct Schedule {
    int m, n, k;            ///< block tile; k in elements of 16 bits, half as many of 32
    int stages;             ///< of the copy pipeline
    int warps;
    const char* found;      ///< the measurement behind it
    int slices = 1;         ///< groups of warps that share a tile and split each of its k-blocks along k
    int blocks = 1;         ///< tiles that are resident on a multiprocessor
    /// Nanoseconds of a k-block: of a block alone on its multiprocessor, of each where all that fit are resident; and
    /// of a tile before its first k-block and after its last.
    int alone = 0, shared = 0, fixed = 0;
};

/// The grid of warps that share a tile: m × n of them.
struct WarpGrid {
    int m, n;
};
/// The grid whose warps read the least per product, in whole atoms; {0, 0} where there is none.
constexpr WarpGrid warp_grid(int m, int n, int warps, int atom_m = 16, int atom_n = 8) {
    WarpGrid best{0, 0};
    for (int i = 1; i <= warps; ++i) {
        const int j = warps / i;
        if (i * j != warps || m % (atom_m * i) != 0 || n % (atom_n * j) != 0) continue;
        if (best.m == 0 || m / i + n / j < m / best.m + n / best.n) best = {i, j};
    }
    return best;
}

/// `mma.sync`, fp16 and bf16. The best three of 12 tiles over 23 products of Stable Diffusion, weighted by their
/// counts; the times are fitted so that the sum over the chosen schedules is least.
inline constexpr Schedule mma_matrix[] = {
    {128, 128, 64, 3, 4, "tuned on an H200", 1, 2, 1750, 1750, 3420},
    {64, 160, 64, 3, 4, "tuned on an H200", 1, 2, 650, 1180, 4820},
    {64, 64, 64, 4, 4, "tuned on an H200", 1, 3, 360, 890, 1670},
};
/// For inputs that are evaluated, which takes longer than the products of a k-block: broad tiles evaluate less often,
/// and 128x128 is no faster than 64x160 anywhere. The times lie between those of SiLU of an affine function and of
/// GEGLU.
inline constexpr Schedule mma_evaluated[] = {
    {64, 160, 64, 3, 4, "tuned on an H200", 1, 2, 3500, 4500, 4820},
    {64, 64, 64, 4, 4, "tuned on an H200", 1, 3, 3000, 5000, 1670},
};
/// The fallback beside an engine that takes all it can.
inline constexpr Schedule mma_fallback[] = {mma_matrix[2]};
/// `mma.sync`, fp32 as 3xTF32: three products for each value of C, so tiles are small.
inline constexpr Schedule mma_matrix_fp32[] = {
    {128, 64, 64, 4, 8, "by rule, not measured", 1, 1, 1000, 1000, 3000},
    {64, 64, 64, 3, 4, "by rule, not measured", 1, 2, 700, 1100, 2500},
};
/// Products whose segments are a few elements each, the taps of an image of 3 or 4 channels: a k-block takes as many
/// segments as it holds, at least four of them, where the other schedules take a k-block or more for each.
inline constexpr Schedule mma_gather{64, 160, 64, 1, 8, "by rule, not measured", 1, 2};
inline constexpr Schedule mma_gather_fp32{64, 80, 64, 1, 8, "by rule, not measured", 1, 2};
/// Up to this many rows weights are streamed once and nothing is tiled. The schedule is that of rows in 16 bits that
/// are copied; the kernel of others has numbers of its own (`tile/cuda/mma/gemm/gemv_operands.hpp`).
inline constexpr index_t gemv_rows = 8;
inline constexpr Schedule gemv_schedule{8, 32, 1024, 2, 16, "tuned on an H200 for rows in 16 bits that are copied"};

/// Rows of C in a work tile, columns of a panel of two vectors, depth of a k-block: `tile/host/matmul.hpp`, measured on
/// a 2-core AVX-512 machine.
inline constexpr Schedule host_matrix{168, host_vector_bytes / 2, 256, 1, 0, "measured on AVX-512"};
/// Tiles of 2×2 outputs in a work tile, and the rest as above: `tile/host/winograd.hpp`.
inline constexpr Schedule host_winograd{8 * (host_vector_bytes == 64 ? 14 : host_vector_bytes == 32 ? 6 : 4),
                                        host_vector_bytes / 2, host_vector_bytes > 16 ? 64 : 32, 1, 0,
                                        "measured on AVX-512"};
inline constexpr Schedule host_attention{224, 128, 0, 1, 0, "measured on AVX-512"};

/// Bytes of shared memory of a stage; `leaves`: tensors of the input that are staged.
constexpr int stage_bytes(const Schedule& s, int leaves = 1) { return (leaves * s.m + s.n) * s.k * 2; }
static_assert([] {
    for (const Schedule& s : mma_matrix)
        if (s.stages * stage_bytes(s) > sm80_target.shared_bytes) return false;
    for (const Schedule& s : mma_matrix_fp32)
        if (s.stages * stage_bytes(s) > sm80_target.shared_bytes) return false;
    return true;
}(), "inlay: a schedule stages more than a block's shared memory holds");

struct Choice {
    Schedule schedule;
    int split_k = 1;
    int index = 0;          ///< in its table
    double us = 0;          ///< by the schedule's own measurements; 0: it has none
};

namespace detail {

/// Microseconds of a product of `tiles` tiles and `steps` steps on the busiest multiprocessor, by the schedule's own
/// measurements. Parts of a sum meet in pairs, each meeting a tile written and read.
constexpr double matrix_us(const Schedule& s, index_t tiles, index_t steps, int parts, int units) {
    const index_t each = (tiles * parts + units - 1) / units, part = (steps + parts - 1) / parts;
    int meetings = 0;
    while (1 << meetings < parts) ++meetings;
    const double step = each == 1 ? s.alone : static_cast<double>(s.shared) * static_cast<double>(each) / s.blocks;
    const double waves = static_cast<double>((each + s.blocks - 1) / s.blocks);
    const double ns = step * static_cast<double>(part) + s.fixed * waves + meetings * (700 + 0.05 * s.m * s.n) * waves;
    return ns / 1000;
}

/// The least of them over a table and numbers of parts.
template <std::size_t N>
constexpr Choice choose_matrix(const Schedule (&table)[N], int units, index_t batch, index_t m, index_t n, index_t k) {
    const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
    Choice best{table[0]};
    for (int i = 0; i < static_cast<int>(N); ++i) {
        const Schedule& s = table[i];
        const index_t tiles = batch * up(m, s.m) * up(n, s.n), steps = up(k, s.k);
        for (int parts = 1; parts <= 16 && (parts == 1 || (parts * 4 <= steps && tiles * parts <= 2 * units));
             ++parts) {
            const double us = matrix_us(s, tiles, steps, parts, units);
            if (best.us == 0 || us < best.us) best = {s, parts, i, us};
        }
    }
    return best;
}

}  // namespace detail

/// `also`: what the schedule's numbers do not say.
inline Text text(const Choice& c, const char* also = "") {
    const Schedule& s = c.schedule;
    Text t = decimal_text(s.m) + "x" + decimal_text(s.n);
    if (s.k) t += "x" + decimal_text(s.k);
    if (s.stages > 1) t += ", " + decimal_text(s.stages) + " stages";
    if (s.warps) t += ", " + decimal_text(s.warps) + " warps";
    if (s.slices > 1) t += " in " + decimal_text(s.slices) + " slices";
    t += also;
    if (c.split_k > 1) t += ", split-K " + decimal_text(c.split_k);
    return t + " (" + s.found + ")";
}

}  // namespace inlay::inline INLAY_ABI
