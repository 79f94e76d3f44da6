// SPDX-License-Identifier: Apache-2.0
/// Schedules as data: one table per target. A kernel compiles at most three of them, chosen at prepare by extents; a
/// `Tiled` of the user's own wins.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/plan/target.hpp>

#include <string>

namespace inlay::inline INLAY_ABI {

struct Schedule {
    int m, n, k;            ///< block tile
    int stages;             ///< of the copy pipeline
    int warps;
    const char* found;      ///< how it was found
};

/// Largest first; what does not fill the machine goes to the next, then to a split along K.
inline constexpr Schedule sm80_matrix[] = {
    {128, 128, 32, 4, 8, "by rule, not measured"},
    {128, 64, 32, 4, 4, "by rule, not measured"},
    {64, 64, 64, 3, 4, "by rule, not measured"},
};
inline constexpr Schedule sm80_attention{64, 64, 0, 2, 4, "by rule, not measured"};
/// Rows of C in a task, columns of a panel, depth of a step: `tile/host/matmul.hpp`, measured on a 2-core AVX-512
/// machine.
inline constexpr Schedule host_matrix{168, 32, 256, 1, 0, "measured on AVX-512"};
inline constexpr Schedule host_attention{224, 128, 0, 1, 0, "measured on AVX-512"};

constexpr bool fits_shared(const Schedule& s, const TargetInfo& t, int element_bytes) {
    return s.stages * (s.m + s.n) * s.k * element_bytes <= t.shared_bytes;
}
static_assert([] {
    for (const Schedule& s : sm80_matrix)
        if (!fits_shared(s, sm80_target, 4)) return false;
    return true;
}(), "inlay: a schedule of sm_80 stages more than a block's shared memory holds");

struct Choice {
    Schedule schedule;
    int split_k;
};

/// The schedule of a product M×N×K, `batch` times.
inline Choice choose_matrix(const TargetInfo& target, index_t batch, index_t m, index_t n, index_t k) {
    if (target.name == host_target.name) return {host_matrix, 1};
    const auto tiles = [&](const Schedule& s) { return batch * ((m + s.m - 1) / s.m) * ((n + s.n - 1) / s.n); };
    for (const Schedule& s : sm80_matrix)
        if (tiles(s) >= target.units && n >= s.n / 2) return {s, 1};
    const Schedule& small = sm80_matrix[2];
    // At least 256 deep each, so that a part is worth its reduction.
    index_t split = target.units / (tiles(small) > 0 ? tiles(small) : 1);
    split = split > k / 256 ? k / 256 : split;
    return {small, static_cast<int>(split < 1 ? 1 : split > 16 ? 16 : split)};
}

inline std::string text(const Choice& c) {
    const Schedule& s = c.schedule;
    std::string t = std::to_string(s.m) + "x" + std::to_string(s.n);
    if (s.k) t += "x" + std::to_string(s.k);
    if (s.stages > 1) t += ", " + std::to_string(s.stages) + " stages";
    if (s.warps) t += ", " + std::to_string(s.warps) + " warps";
    if (c.split_k > 1) t += ", split-K " + std::to_string(c.split_k);
    return t + " (" + s.found + ")";
}

}  // namespace inlay::inline INLAY_ABI
