// SPDX-License-Identifier: Apache-2.0
/// Schedules of attention on the engine of sm_90a: a table for each length of a row of Q, and the choice by extents.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI {

/// `tile/cuda/wgmma/attention/tile.hpp` explains the numbers.
struct WgmmaAttentionSchedule {
    int groups = 0, keys = 0, stages = 2, blocks = 1;
    bool turns = false;
    int parts = 1, shares = 1;
    bool cluster = false;
    bool values_in_keys = false;    ///< V is the first columns of K, rows are heads: `latent/tile.hpp` there

    constexpr bool single() const { return stages == 1; }
    constexpr int rows() const { return 64 * groups / shares; }     ///< of one part
    constexpr int together() const { return cluster ? 2 : 1; }      ///< blocks that share the keys
    /// True if the product subtracts the maximum of scores that are exponents: a row of
    /// `d` leaves eight columns of the product's last k-block.
    constexpr bool folds(int d) const { return d % 16 == 8 && d < 64 && !single(); }
    /// Columns of a row that the last of its boxes has, the others 64: in a row that folds no copy touches those behind
    /// the row's last.
    constexpr int last_columns(int d, bool folded) const { return folded ? d : ((d + 15) / 16 * 16 + 63) % 64 + 1; }
};

struct WgmmaAttentionSchedules {
    WgmmaAttentionSchedule at[3];
    int size;                       ///< 0: there are none
    const char* found = "measured on an H200";

    constexpr bool values_in_keys() const { return size > 0 && at[0].values_in_keys; }
};

struct WgmmaAttentionChoice {
    int index;                      ///< in its table
    int parts;                      ///< query tiles of 64 of a warpgroup
};

/// Schedules for many queries and keys first, for keys that are one block last. Heads of 512: two blocks share the keys
/// of a tile where the tiles alone do not fill the device.
/// `dv`: columns of V, 0 as many.
constexpr WgmmaAttentionSchedules wgmma_attention_schedules(int d, int dv = 0) {
    const char* const not_measured = "by rule, not measured";
    if (d == 576 && dv == 512) return {{{2, 64, 2, 1, false, 1, 2, false, true}}, 1};
    if (d == 192 && dv == 128) return {{{2, 128, 2, 1, true}}, 1, not_measured};
    if (dv != 0 && dv != d) return {{}, 0};
    switch (d) {
        case 40: return {{{4, 64, 4, 1, true}, {2, 128, 2, 1, true}, {2, 80, 1, 2, false, 2}}, 3};
        case 64: return {{{4, 64, 3}, {2, 128, 2, 1, true}, {1, 80, 1, 3}}, 3};
        case 80: return {{{2, 128, 2, 1, true}, {2, 80, 1, 2}}, 2};
        case 96: return {{{3, 96, 2}, {2, 128, 2, 1, true}}, 2, not_measured};
        case 128: return {{{3, 80, 2}, {2, 128, 2, 1, true}, {1, 80, 1, 2}}, 3};
        case 160: return {{{1, 64, 3}, {1, 80, 1}}, 2};
        case 256: return {{{2, 80, 2, 1, true}}, 1, not_measured};
        case 512: return {{{2, 32, 2, 1, false, 1, 2}, {2, 32, 2, 1, false, 1, 2, true}}, 2};
    }
    return {{}, 0};
}

/// Blocks of threads.
constexpr index_t wgmma_attention_blocks(const WgmmaAttentionSchedule& s, int parts, const AttentionShape& a) {
    const int rows = s.rows() * parts;
    if (s.values_in_keys) return a.batch * (a.heads / a.group) * ((a.group * a.queries + rows - 1) / rows);
    return a.batch * a.heads * ((a.queries + rows - 1) / rows) * s.together();
}

/// The choice from a table that has schedules. If all keys are one block, warpgroups have several query tiles where
/// blocks of one do not all run at once. Else the least rows of the busiest multiprocessor, of all keys; a block begins
/// and ends in the time of 64.
constexpr WgmmaAttentionChoice choose_wgmma_attention(const WgmmaAttentionSchedules& table, const AttentionShape& a,
                                                        int units) {
    const int last = table.size - 1;
    if (const WgmmaAttentionSchedule& s = table.at[last]; s.single() && a.keys <= s.keys)
        return {last, wgmma_attention_blocks(s, 1, a) > index_t(units) * s.blocks ? s.parts : 1};
    int best = 0;
    index_t least = 0;
    for (int i = 0; i < table.size && !table.at[i].single(); ++i) {
        const WgmmaAttentionSchedule& s = table.at[i];
        const index_t at_once = index_t(units) * s.blocks,
                      rounds = (wgmma_attention_blocks(s, 1, a) + at_once - 1) / at_once,
                      rows = 2 * rounds * s.blocks * (s.rows() + 64) / s.together();     // twice
        if (i == 0 || rows < least) best = i, least = rows;
    }
    return {best, 1};
}

/// Clocks of the busiest multiprocessor: begin and end of a kernel, and rounds of blocks of keys.
struct WgmmaAttentionCost {
    double begin = 0, rounds = 0, steps = 0;
    double matrix = 0, special = 0;     ///< of a block of keys, for all blocks of threads on a multiprocessor
    constexpr double step() const { return matrix > special ? matrix : special; }
    constexpr double clocks() const { return begin + rounds * steps * step(); }
};
/// A product of 64 × n × 16 takes the matrix unit n / 2 clocks, and 16 exponentials are computed in one. `seen`: the
/// share of all pairs of a query and a key that the mask leaves. `dv` as above; `specials`: special
/// functions of a score before its exponential; `splits`: blocks that share out the keys of a tile.
constexpr WgmmaAttentionCost wgmma_attention_cost(const WgmmaAttentionSchedule& s, int parts,
                                                    const AttentionShape& a, int d, int units, double seen,
                                                    int dv = 0, int specials = 0, int splits = 1) {
    WgmmaAttentionCost c;
    const index_t blocks = wgmma_attention_blocks(s, parts, a) * splits;
    // Clusters of more than two blocks leave some multiprocessors of a group without one.
    const index_t clusters = larger<index_t>(index_t(units) * 5 / 8 / splits, 1),
                  at_once = splits > 2 ? clusters * splits : index_t(units) * s.blocks;
    const int together = s.groups * parts * static_cast<int>(smaller<index_t>(s.blocks, (blocks + units - 1) / units));
    c.begin = 6000;     // of a kernel of one block of keys, measured on an H200
    c.rounds = static_cast<double>((blocks + at_once - 1) / at_once);
    const index_t of_slice = s.keys * splits;
    c.steps = seen * static_cast<double>((a.keys + of_slice - 1) / of_slice) / s.together();
    const double scores = s.values_in_keys ? 1 : together;      // warpgroups that compute those of a block of keys
    c.matrix = scores * ((d + 15) / 16 * (s.keys / 2.0)) +
               together * (s.keys / 16 * ((dv > 0 ? dv : d) / 2.0 / s.shares));
    c.special = scores * (1 + specials) * 64.0 * s.keys / 16;
    if (s.values_in_keys) {     // measured: products that wait for probabilities and copies, sums that are sent
        c.matrix *= 1.3;
        c.begin = 10600 + 1300 * (splits - 1);
    }
    return c;
}

/// Blocks of a cluster that share out the keys of a tile where values are columns of the keys: the number for which the
/// rule has the fewest clocks. Clusters of more than two all run at once.
constexpr int choose_wgmma_key_slices(const WgmmaAttentionSchedule& s, const AttentionShape& a, int d, int dv,
                                      int units) {
    int best = 1;
    double least = 0;
    for (int n = 1; s.values_in_keys && n <= 8; n *= 2) {
        const WgmmaAttentionCost c = wgmma_attention_cost(s, 1, a, d, units, 1, dv, 0, n);
        if (n == 1 || (c.clocks() < least && (n == 2 || c.rounds <= 1))) best = n, least = c.clocks();
    }
    return best;
}

inline Text text(const WgmmaAttentionSchedule& s, const AttentionShape& a, int parts, const char* found,
                 bool folded = false, int splits = 1, bool last_keys_first = false) {
    Text t = decimal_text(s.rows() * parts) + "x" + decimal_text(s.keys);
    if (!s.single()) t += ", " + decimal_text(s.stages) + " stages";
    t += ", " + decimal_text(s.groups) + (s.groups > 1 ? " warpgroups" : " warpgroup");
    if (s.turns) t += " in turn";
    if (s.shares > 1) t += s.values_in_keys ? " of the same heads" : " of the same queries";
    if (s.values_in_keys) t += " that read values from the keys";
    if (parts > 1) t += ", each " + decimal_text(parts) + " times 64 queries";
    const index_t blocks = wgmma_attention_blocks(s, parts, a) * splits;
    t += ", " + decimal_text(blocks) + (blocks == 1 ? " block" : " blocks");
    if (s.cluster) t += ", two share the keys";
    if (splits > 1) t += ", " + decimal_text(splits) + " share the keys";
    if (last_keys_first) t += ", the last keys first";
    if (folded) t += ", the product subtracts maxima";
    return t + " (" + found + ")";
}

}  // namespace inlay::inline INLAY_ABI
