// SPDX-License-Identifier: Apache-2.0
/// Schedules of AMD's matrix units, chosen by arithmetic: no AMD GPU was there to measure on. Functions beside them
/// compute what each takes of shared memory and registers, and its times from the rates of a target.
///
/// Shared memory decides: 64 KiB hold two stages, and after them the finished tile in rows of N + 8 floats with the
/// places of its columns. 128×128 takes 68 KiB for the latter alone. Of tiles that fit, 128×64 has the most products for
/// a byte from memory, 42.7 FLOP a byte in 16 bits; 8 warps in two slices have 64×32 of it each, so that a SIMD has two
/// waves, of which one multiplies while the other reads. Tiles of 32×64 are for few rows: two are resident.
#pragma once

#include <inlay/plan/gemm/schedules.hpp>

namespace inlay::inline INLAY_ABI {

inline constexpr Schedule mfma_matrix[] = {
    {128, 64, 64, 2, 8, "computed, not measured", 2, 1},
    {32, 64, 64, 2, 4, "computed, not measured", 1, 2},
};
inline constexpr Schedule mfma_matrix_fp32[] = {
    {128, 64, 64, 2, 8, "computed, not measured", 1, 1},
    {32, 64, 64, 2, 4, "computed, not measured", 1, 2},
};
/// Inputs that are evaluated keep the cursors of each row in shared memory, and a stage may hold a second operand.
inline constexpr Schedule mfma_evaluated[] = {{64, 64, 64, 2, 4, "computed, not measured", 1, 1}};
inline constexpr Schedule mfma_gather{64, 64, 64, 1, 8, "computed, not measured", 1, 1};
inline constexpr Schedule mfma_gather_fp32 = mfma_gather;

inline constexpr Schedule wmma_matrix[] = {
    {128, 64, 64, 2, 8, "computed, not measured", 2, 2},
    {32, 64, 64, 2, 4, "computed, not measured", 1, 2},
};
inline constexpr Schedule wmma_matrix_fp32[] = {
    {128, 64, 64, 2, 8, "computed, not measured", 1, 2},
    {32, 64, 64, 2, 4, "computed, not measured", 1, 2},
};
inline constexpr Schedule wmma_evaluated[] = {{64, 64, 64, 2, 8, "computed, not measured", 1, 2}};
inline constexpr Schedule wmma_gather{64, 64, 64, 1, 8, "computed, not measured", 1, 1};
inline constexpr Schedule wmma_gather_fp32 = wmma_gather;

/// The atom of a schedule as arithmetic needs it. Registers: of a lane for a fragment of A or B.
struct AmdAtom {
    int lanes, m, chunks, registers;
};
/// True where a tile is multiplied by atoms of 32×32, which read half as much of shared memory: in 16 bits, where every
/// warp has whole ones.
constexpr bool has_wide_atoms(const Schedule& s, bool fp32) {
    return !fp32 && warp_grid(s.m, s.n, s.warps / s.slices, 32, 32).m > 0;
}
constexpr AmdAtom amd_atom(const Schedule& s, MatrixUnit unit, bool fp32) {
    if (unit == MatrixUnit::wmma) return {32, 16, 2, 8};
    return has_wide_atoms(s, fp32) ? AmdAtom{64, 32, 2, 4} : AmdAtom{64, 16, 4, 4};
}
constexpr WarpGrid amd_grid(const Schedule& s, MatrixUnit unit, bool fp32) {
    const int m = amd_atom(s, unit, fp32).m;
    return warp_grid(s.m, s.n, s.warps / s.slices, m, m);
}

/// Bytes of shared memory: two stages and 32 bytes a row for the rows of a copied input; or the finished tile and, at
/// 64 bytes each, the places of a row's groups of columns.
constexpr int amd_shared_bytes(const Schedule& s, int leaves = 1) {
    const int loop = s.stages * stage_bytes(s, leaves) + s.m * 32;
    const int groups = s.n % 40 == 0 ? s.n / 40 : (s.n + 63) / 64;
    const int tile = s.m * (s.n + 8) * 4 + s.m * groups * 64;
    return loop > tile ? loop : tile;
}
/// Registers of a lane: sums, two fragments of A, those of B for two steps, copies under way with their addresses, and
/// 48 for all else.
constexpr int amd_registers(const Schedule& s, MatrixUnit unit, bool fp32) {
    const AmdAtom atom = amd_atom(s, unit, fp32);
    const WarpGrid grid = amd_grid(s, unit, fp32);
    const int threads = s.warps * atom.lanes, chunks = ((s.m + s.n) * 8 + threads - 1) / threads;
    const int sums = (s.m / grid.m) * (s.n / grid.n) / atom.lanes, columns = s.n / grid.n / atom.m;
    return sums + (2 + 2 * columns) * atom.registers + chunks * 6 + 48;
}
/// Waves of resident blocks on each of the four SIMDs of a compute unit, or on gfx11 of a pair.
constexpr int amd_waves(const Schedule& s) { return (s.warps * s.blocks + 3) / 4; }
/// Registers that a lane may have: of 512 a SIMD and lane on gfx9, with those that only matrix instructions use; of
/// 1536 on gfx11, where an instruction names 256.
constexpr int amd_most_registers(const Schedule& s, MatrixUnit unit) {
    const int share = (unit == MatrixUnit::mfma ? 512 : 1536) / amd_waves(s);
    return unit == MatrixUnit::wmma && share > 256 ? 256 : share;
}

/// The schedule with its times on a target. A k-block takes as long as its products, its reads and writes of shared
/// memory at 128 bytes a clock and compute unit, or its bytes from the second-level cache at 4 times memory's rate; and
/// never less than 500 ns from a load to its data, which is an assumption. A tile has two of these before and after, and
/// its result to write. One that `bench/hip` has timed keeps its times.
constexpr Schedule amd_timed(Schedule s, const TargetInfo& t, bool fp32) {
    if (s.alone > 0) return s;
    const WarpGrid grid = amd_grid(s, t.matrix, fp32);
    const double of_unit = 1.0 / t.units, row_bytes = s.k * 2.0, latency = 500;
    const double flops = 2.0 * s.m * s.n * (fp32 ? s.k / 2 : s.k);
    const double products = flops / ((fp32 ? t.matrix_tflops_fp32 : t.matrix_tflops) * 1e3 * of_unit);
    const double units_of_lds = t.matrix == MatrixUnit::wmma ? 2 : 1;
    const double shared = row_bytes * (grid.n * s.m + grid.m * s.n + s.m + s.n) / (128 * t.clock_ghz * units_of_lds);
    const double memory = row_bytes * (s.m + s.n) / (4 * t.bandwidth_gbs * of_unit);
    const double least = larger(larger(products, shared), memory);
    s.alone = static_cast<int>(larger(products + shared, latency));
    s.shared = static_cast<int>(larger(s.blocks * least, latency));
    s.fixed = static_cast<int>(2 * latency + s.m * s.n * (fp32 ? 4.0 : 2.0) / (t.bandwidth_gbs * of_unit));
    return s;
}

namespace detail {

template <std::size_t N>
constexpr bool fits_amd(const Schedule (&table)[N], MatrixUnit unit, bool fp32) {
    for (const Schedule& s : table) {
        const int units_of_lds = unit == MatrixUnit::wmma ? 2 : 1;
        if (amd_grid(s, unit, fp32).m == 0 || amd_shared_bytes(s) > 64 * 1024) return false;
        if (amd_shared_bytes(s) * s.blocks > 64 * 1024 * units_of_lds) return false;
        if (amd_registers(s, unit, fp32) > amd_most_registers(s, unit)) return false;
    }
    return true;
}
static_assert(fits_amd(mfma_matrix, MatrixUnit::mfma, false) && fits_amd(mfma_matrix_fp32, MatrixUnit::mfma, true) &&
                  fits_amd(mfma_evaluated, MatrixUnit::mfma, false) && fits_amd(wmma_matrix, MatrixUnit::wmma, false) &&
                  fits_amd(wmma_matrix_fp32, MatrixUnit::wmma, true) &&
                  fits_amd(wmma_evaluated, MatrixUnit::wmma, false) && fits_amd({mfma_gather}, MatrixUnit::mfma, true) &&
                  fits_amd({wmma_gather}, MatrixUnit::wmma, true),
              "inlay: a schedule takes more shared memory or registers than AMD's compute units have");

/// The least of a table on a target.
template <std::size_t N>
constexpr Choice choose_amd(const Schedule (&table)[N], const TargetInfo& t, bool fp32, index_t batch, index_t m,
                            index_t n, index_t k) {
    Schedule timed[N];
    for (std::size_t i = 0; i < N; ++i) timed[i] = amd_timed(table[i], t, fp32);
    return choose_matrix(timed, t.units, batch, m, n, k);
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
