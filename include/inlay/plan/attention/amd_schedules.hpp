// SPDX-License-Identifier: Apache-2.0
/// Schedules of attention for AMD's GPUs, by arithmetic: no such GPU has run them. A block has 64 KB of shared memory
/// (LDS) and both stages of K and V in it; a lane has 256 registers by which it is addressed, those of matrix products
/// apart on gfx90a and gfx942. Eight waves are two for each of a compute unit's four SIMDs: one multiplies while the
/// other takes exponentials.
///
/// One table serves waves of 64 and of 32 lanes, as their atoms have 16×16 results.
#pragma once

#include <inlay/plan/attention/schedules.hpp>
#include <inlay/plan/device.hpp>

namespace inlay::inline INLAY_ABI {

inline constexpr int amd_lds_bytes = 64 * 1024, amd_tile_columns = 16;

/// For heads of `d` elements of `element_bytes` bytes, of V of `dv`, 0 as many. Of the longest in fp32, 16 queries and 16
/// keys do not fit beside as many rows of V.
constexpr AttentionSchedules amd_attention_schedules(int element_bytes, int d, int dv = 0) {
    const int columns = (larger(d, dv) + 7) / 8 * 8;
    const char* const found = "by rule, not measured";
    if (element_bytes == 2) {
        if (columns <= 40) return {{{2, 4, 1, 64, 2, 2}, {1, 4, 1, 64, 2, 2}, {1, 1, 4, 128}}, 3, found};
        if (columns <= 64) return {{{1, 8, 1, 64}, {1, 4, 1, 32, 2, 2}, {1, 1, 4, 64}}, 3, found};
        if (columns <= 80) return {{{1, 8, 1, 32}, {1, 4, 1, 32}, {1, 1, 4, 64}}, 3, found};
        if (columns <= 160) return {{{1, 4, 1, 32}, {1, 2, 2, 32}, {1, 1, 2, 32}}, 3, found};
        if (columns <= 256) return {{{1, 2, 4, 32, 1, 1, true}, {1, 1, 4, 32, 1, 1, true}}, 2, found};
        if (columns <= 384) return {{{1, 1, 4, 32, 1, 1, true}}, 1, found};
        return {{{1, 1, 4, 16, 1, 1, true}}, 1, found};
    }
    if (columns <= 40) return {{{1, 8, 1, 32}, {1, 4, 1, 32}, {1, 1, 4, 64}}, 3, found};
    if (columns <= 80) return {{{1, 4, 1, 32}, {1, 2, 2, 32}, {1, 1, 2, 32}}, 3, found};
    if (columns <= 128) return {{{1, 2, 4, 32, 1, 1, true}, {1, 1, 4, 32, 1, 1, true}}, 2, found};
    if (columns <= 160) return {{{1, 2, 4, 16, 1, 1, true}, {1, 1, 4, 32, 1, 1, true}}, 2, found};
    if (columns <= 328) return {{{1, 1, 4, 16, 1, 1, true}}, 1, found};
    return {{{1, 1, 4, 16, 1, 1, true, true}}, 1, found};
}

/// Registers of a lane, in words: a 16×16 result is spread over the lanes of a wave. `lanes`: 64 or 32.
struct AmdAttentionRegisters {
    int output, scores, queries, fragments;

    static constexpr int others = 48;   ///< addresses, maxima, sums, the row that is being copied
    constexpr int all() const { return output + scores + queries + fragments + others; }
    /// Waves of a SIMD that they leave room for: it has 512 registers of 64 lanes, or 1536 of 32.
    constexpr int waves(int lanes) const {
        return smaller(lanes == 64 ? 512 / ((all() + 7) / 8 * 8) : 1536 / ((all() + 23) / 24 * 24), 8);
    }
};
constexpr AmdAttentionRegisters amd_attention_registers(const AttentionSchedule& s, int element_bytes, int d,
                                                        int lanes, int dv = 0) {
    const int columns = (d + 7) / 8 * 8, result = 256 / lanes;
    const int tiles = ((dv > 0 ? dv : d) + amd_tile_columns - 1) / amd_tile_columns;
    const int output = s.wide ? (tiles + s.key_warps - 1) / s.key_warps : tiles;
    const int key_tiles = larger(s.keys / s.key_warps / amd_tile_columns, 1);
    // An operand of 16 rows and 16 elements, which lanes of waves of 32 have twice.
    const int operand = 16 * 16 * element_bytes / 4 / lanes * (lanes == 32 ? 2 : 1);
    // As `AttentionTile::q_in_registers` has it.
    const bool held = !s.wide && element_bytes == 2 && s.m_tiles * columns * operand / 16 <= 40;
    return {s.m_tiles * output * result, s.m_tiles * key_tiles * result,
            held ? s.m_tiles * ((columns + 15) / 16) * operand : s.m_tiles * operand, (s.m_tiles + 2) * operand};
}

/// True if all schedules of a type and a length of a head fit into shared memory and registers, and leave room for the
/// waves of as many blocks as they name.
constexpr bool amd_attention_fits(int element_bytes, int d, int dv = 0) {
    const AttentionSchedules table = amd_attention_schedules(element_bytes, d, dv);
    for (int i = 0; i < table.size; ++i) {
        const AttentionSchedule& s = table.at[i];
        if (s.blocks * attention_shared_bytes(s, element_bytes, d, amd_tile_columns, dv) > amd_lds_bytes) return false;
        for (const int lanes : {32, 64}) {
            const AmdAttentionRegisters r = amd_attention_registers(s, element_bytes, d, lanes, dv);
            if (r.all() > 256 || 4 * r.waves(lanes) < s.blocks * s.warps()) return false;
        }
    }
    return true;
}
static_assert([] {
    for (const int element_bytes : {2, 4})
        for (int d = 8; d <= 512; d += 8)
            if (!amd_attention_fits(element_bytes, d)) return false;
    for (const int element_bytes : {2, 4})
        if (!amd_attention_fits(element_bytes, 192, 128) || !amd_attention_fits(element_bytes, 576, 512)) return false;
    return true;
}());

}  // namespace inlay::inline INLAY_ABI
