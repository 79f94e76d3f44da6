// SPDX-License-Identifier: Apache-2.0
/// The split of a GroupNorm over clusters of blocks of sm_90: a cluster normalises a range of whole groups of one item,
/// each of its blocks a share of the pixels, which stays in shared memory. Chosen by a rule for the time it takes.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/order.hpp>
#include <inlay/plan/clusters.hpp>

namespace inlay::inline INLAY_ABI {

/// The cost of a split, in microseconds, fitted to a sweep of splits on an H200: the split it chooses is 2.7 % slower
/// than the best split on average, 15 % at most.
struct GroupNormCost {
    double begin = 0;           ///< launch, and latencies of each round of blocks
    double meet = 0;            ///< blocks of a cluster exchange their moments
    double add = 0;             ///< a warp adds up its threads' sums of its groups
    double pixels = 0;          ///< a thread waits for its pixels, one after the other
    double warps = 0;           ///< of a multiprocessor share its units for theirs
    double bytes = 0;           ///< the input on its way to multiprocessors

    constexpr double us() const { return begin + meet + add + pixels + warps + bytes; }
};

/// The work [items, pixels, channels] in groups of `width` channels, and its split. A thread has a chunk of `lanes`
/// channels, which lies in two groups at most, and every `rows`-th pixel of a block's share.
struct GroupNormSplit {
    static constexpr int lanes = 8;             ///< 16 bytes of a 16-bit type
    static constexpr int most_in_group = 8;         ///< blocks of a cluster
    static constexpr int most_threads = 512;
    static constexpr int other_bytes = 2048;    ///< of shared memory: a barrier, and 1 KB that the compiler adds to it

    int threads = 0;                    ///< of a block
    int each = 0, more = 0;             ///< pixels of a block; the first `more` blocks have another one
    int width = 0;
    int span = 0;                       ///< channels of a range, whole groups; 0: there is no such split
    int ranges = 0, groups = 0;         ///< of an item; of a range
    int columns = 0, rows = 0;          ///< threads along the channels and along the pixels
    int whole = 0, rest = 0;            ///< `each` = whole · rows + rest
    int team = 1;                       ///< blocks of a cluster
    int tasks = 0;                      ///< items · ranges
    int kept = 0;                       ///< pixels of a thread, at most

    INLAY_FN constexpr int first_pixel(int member) const { return each * member + (member < more ? member : more); }
    INLAY_FN constexpr int pixels_of(int member) const { return each + (member < more ? 1 : 0); }
    INLAY_FN constexpr int steps_of(int member, int row) const {
        return whole + (row < rest + (member < more ? 1 : 0) ? 1 : 0);
    }
    INLAY_FN constexpr int slot_bytes(int element) const { return lanes * element * threads; }
    INLAY_FN constexpr int pixels() const { return each * team + more; }
    /// Bytes of shared memory beside the pixel tiles: sums of pieces, γ and β, moments of blocks, two numbers a group.
    INLAY_FN constexpr int table() const { return 16 * (groups + columns) * rows + 8 * span + 8 * groups * (team + 1); }
    constexpr int shared(int element) const { return table() + slot_bytes(element) * kept; }

    /// A split by hand. `shared_bytes`: of shared memory that a block may have; `element`: bytes of an element as it
    /// is kept.
    static constexpr GroupNormSplit split(int shared_bytes, index_t items, index_t pixels, index_t channels,
                                          int group_count, int element, int span, int team, int threads) {
        GroupNormSplit p;
        const int c = static_cast<int>(channels);
        p.threads = threads;
        p.width = c / group_count;
        p.columns = span / lanes, p.groups = span / p.width;
        p.team = static_cast<int>(smaller<index_t>(team, pixels));
        p.each = static_cast<int>(pixels / p.team), p.more = static_cast<int>(pixels % p.team);
        p.rows = smaller(threads / p.columns, p.each);
        if (p.rows == 0) return p;
        p.whole = p.each / p.rows, p.rest = p.each % p.rows;
        p.ranges = c / span;
        p.tasks = static_cast<int>(items) * p.ranges;
        p.kept = p.steps_of(0, 0);
        p.span = span;
        if (index_t(p.kept) * p.slot_bytes(element) + p.table() + other_bytes > shared_bytes) p.span = 0;
        return p;
    }
    /// The cheapest split on `units` multiprocessors; of span 0 where there is none, or the portable kernel takes less.
    static constexpr GroupNormSplit of(int units, int shared_bytes, index_t items, index_t pixels, index_t channels,
                                       int group_count, int element) {
        GroupNormSplit best;
        const index_t width = channels / group_count;
        if (channels % lanes || width < lanes || channels >= index_t(1) << 24 ||
            items * group_count >= index_t(1) << 30 || pixels >= index_t(1) << 30)
            return best;
        const int least = common_multiple(static_cast<int>(width), int(lanes));
        // The portable kernel: a launch that waits for all others, and the pixels that it reads twice.
        const double bytes = static_cast<double>(items * pixels * channels * element);
        double best_cost = 5 + (element == 2 ? 0.73e-6 : 1.05e-6) * bytes;
        for (int span = least; span <= channels; span += least) {
            if (channels % span) continue;
            for (const int team : {1, 2, 4, 6, 8}) {    // others were 4 % better for 2 of 88 shapes
                if (team > pixels || sm90_clusters(units, team) == 0) break;
                for (const int threads : {128, 192, 256, 384, 512}) {
                    const GroupNormSplit p =
                        split(shared_bytes, items, pixels, channels, group_count, element, span, team, threads);
                    if (p.span == 0) continue;
                    const double cost = p.cost(units, shared_bytes, element).us();
                    if (cost < best_cost) best = p, best_cost = cost;
                }
            }
        }
        return best;
    }
    /// True if every block has a multiprocessor of its own.
    constexpr bool alone(int units) const { return tasks <= sm90_clusters(units, team); }
    constexpr GroupNormCost cost(int units, int shared_bytes, int element) const {
        // Blocks that a multiprocessor gets where clusters are even, and the number of rounds.
        const auto up = [](int a, int b) { return (a + b - 1) / b; };
        const int blocks = up(tasks, sm90_clusters(units, team)),
                  rounds = up(blocks, resident(shared_bytes, element));
        const int warps = threads / 32, turns = up(groups, warps), fours = up(rows * larger(1, width / lanes), 4 * 32);
        const double bytes = 1e-6 * pixels() * span * tasks * element;
        return {.begin = 1.31 + rounds,
                .meet = team > 1 ? 0.43 * rounds : 0.0,
                .add = (0.081 + 0.025 * fours) * turns * rounds,
                .pixels = 0.018 * kept * rounds,
                .warps = (element == 2 ? 0.0148 : 0.0468) * blocks * warps * kept,
                .bytes = 0.393 * bytes * (1 + 0.89 * (touched(32, element) - 1) + 0.234 * (touched(64, element) - 1))};
    }

private:
    /// Blocks that a multiprocessor holds, by registers of its threads and by shared memory.
    constexpr int resident(int shared_bytes, int element) const {
        constexpr int most = 800, reserved = 1024;      // threads; bytes that every block takes
        return larger(1, smaller(most / threads, (shared_bytes + reserved) / (shared(element) + reserved)));
    }
    /// Bytes of the lines of `line` bytes, a power of two, that a range's channels of a pixel lie in, for each byte of
    /// theirs: it begins at any multiple of what divides both.
    constexpr double touched(int line, int element) const {
        const int row = span * element, apart = smaller(row & -row, line);
        return static_cast<double>(row + line - apart) / row;
    }
};

}  // namespace inlay::inline INLAY_ABI
