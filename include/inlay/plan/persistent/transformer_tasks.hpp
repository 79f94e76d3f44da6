// SPDX-License-Identifier: Apache-2.0
/// Shapes of spatial transformers, and how many tasks each phase of their persistent program has.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/plan/device.hpp>
#include <inlay/plan/gemm/schedules.hpp>

namespace inlay::inline INLAY_ABI::persistent {

/// Elements have 16 bits. Images are whole groups of rows, and heads share the channels.
struct TransformerShape {
    static constexpr int group_rows = 64, norm_groups = 32, element_bytes = 2;

    int batch = 2, pixels = 4096, channels = 320, heads = 8, text = 77;

    constexpr int rows() const { return batch * pixels; }
    constexpr int groups() const { return rows() / group_rows; }
    constexpr int head() const { return channels / heads; }
    constexpr int row_bytes() const { return rows() * channels * element_bytes; }
    constexpr int moment_bytes() const { return groups() * norm_groups * 8; }
};

inline constexpr int transformer_phases = 15;
inline constexpr const char* transformer_phase_names[transformer_phases] = {
    "measure", "normalise", "project in",  "norm 1",   "qkv",    "attend", "out",  "norm 2",
    "query",   "attend text", "out text", "norm 3", "up",     "down", "project out"};

/// The schedule of products in `mma_matrix`: tiles of 160 columns where heads are narrow, whose images are large, else
/// of 64.
constexpr int transformer_schedule(int head) { return head < 160 ? 1 : 2; }

struct TransformerTasks {
    int members[transformer_phases] = {};  ///< tasks of a group
    int slices[transformer_phases] = {};   ///< of a sum, of which each is a task; 0: no product
    int norm_parts = 1;                    ///< tasks that share the channels of a group in a GroupNorm
    int row_threads = 32;                  ///< threads of a row in a LayerNorm
};

/// Of products `columns` and `k` wide in phase order. Every task costs an atomic operation or two and a wait, so that
/// there are no more than fill `units` multiprocessors of two blocks each where work can be divided at will.
constexpr TransformerTasks transformer_tasks(const TransformerShape& s, int units) {
    const Schedule& tile = mma_matrix[transformer_schedule(s.head())];
    TransformerTasks t;
    const int room = larger(1, 2 * units / larger(1, s.groups())), c = s.channels;
    const auto product = [&](int phase, int n, int k) {
        const int tiles = (n + tile.n - 1) / tile.n, steps = (k + tile.k - 1) / tile.k;
        const int most = larger(1, smaller(room / tiles, steps / 4)), each = (steps + most - 1) / most;
        t.slices[phase] = (steps + each - 1) / each;
        t.members[phase] = tiles * t.slices[phase];
    };
    while (t.norm_parts < 8 && t.norm_parts * 2 <= room && c % (16 * t.norm_parts) == 0) t.norm_parts *= 2;
    t.members[0] = t.members[1] = t.norm_parts;
    // A thread has 32 elements of a row at most.
    while (t.row_threads * 32 < c) t.row_threads *= 2;
    int row_tasks = TransformerShape::group_rows * t.row_threads / (tile.warps * narrowest_warp);
    while (row_tasks > 1 && row_tasks > room) row_tasks /= 2;
    for (const int norm : {3, 7, 11}) t.members[norm] = row_tasks;
    for (const int attention : {5, 9}) t.members[attention] = s.heads;
    for (const int project : {2, 6, 8, 10, 14}) product(project, c, c);
    product(4, 3 * c, c);
    product(12, 8 * c, c);
    product(13, c, 4 * c);
    return t;
}

}  // namespace inlay::inline INLAY_ABI::persistent
