// SPDX-License-Identifier: Apache-2.0
/// How a GroupNorm is split over clusters of blocks of sm_90: a cluster normalises a range of whole groups of one item,
/// each of its blocks a slab of the pixels, which stays in shared memory. Chosen by a rule for the time it takes.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/order.hpp>

namespace inlay::inline INLAY_ABI {

/// What a split takes, in microseconds, fitted to a sweep of splits on an H200.
struct GroupNormCost {
    double begin = 0;           ///< launch and latencies
    double meet = 0;            ///< blocks of a cluster tell each other their moments
    double add = 0;             ///< a warp adds up what threads have of its groups
    double pixels = 0;          ///< a thread evaluates, keeps and normalises its pixels
    double warps = 0;           ///< of a multiprocessor share its units
    double bytes = 0;           ///< the input on its way to multiprocessors

    constexpr double us() const { return begin + meet + add + pixels + warps + bytes; }
};

/// The work [items, pixels, channels] in groups of `width` channels, and its split. A thread has a chunk of `lanes`
/// channels, which lies in two groups at most, and every `rows`-th pixel of a slab.
struct GroupNormSplit {
    static constexpr int lanes = 8;             ///< 16 bytes of a 16-bit type
    static constexpr int most_team = 8;         ///< blocks of a cluster
    static constexpr int most_threads = 512;
    static constexpr int barrier_bytes = 8;     ///< of shared memory, beside the table

    int threads = 0;                    ///< of a block
    int each = 0, more = 0;             ///< pixels of a slab; the first `more` have another one
    int width = 0;
    int span = 0;                       ///< channels of a range, whole groups; 0: there is no such split
    int ranges = 0, groups = 0;         ///< of an item; of a range
    int columns = 0, rows = 0;          ///< threads along the channels and along the pixels
    int whole = 0, rest = 0;            ///< `each` = whole · rows + rest
    int team = 1;                       ///< blocks of a cluster
    int tasks = 0;                      ///< items · ranges
    int kept = 0;                       ///< pixels of a thread, at most

    INLAY_FN int first_pixel(int member) const { return each * member + (member < more ? member : more); }
    INLAY_FN int pixels_of(int member) const { return each + (member < more ? 1 : 0); }
    INLAY_FN int steps_of(int member, int row) const { return whole + (row < rest + (member < more ? 1 : 0) ? 1 : 0); }
    INLAY_FN int slot_bytes(int element) const { return lanes * element * threads; }
    INLAY_FN int pixels() const { return each * team + more; }
    /// Bytes of shared memory beside what is kept: sums of pieces, γ and β, moments of blocks, two numbers a group.
    INLAY_FN int table() const { return 16 * (groups + columns) * rows + 8 * span + 8 * groups * (team + 1); }
    int shared(int element) const { return table() + slot_bytes(element) * kept; }

    /// A split by hand. `shared_bytes`: of shared memory that a block may have; `element`: bytes of an element as it
    /// is kept.
    static GroupNormSplit split(int shared_bytes, index_t items, index_t pixels, index_t channels, int group_count,
                                int element, int span, int team, int threads) {
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
        if (index_t(p.kept) * p.slot_bytes(element) + p.table() + barrier_bytes <= shared_bytes) p.span = span;
        return p;
    }
    /// The cheapest split on `units` multiprocessors whose clusters all run at once; of span 0 where there is none.
    static GroupNormSplit of(int units, int shared_bytes, index_t items, index_t pixels, index_t channels,
                             int group_count, int element) {
        GroupNormSplit best;
        const index_t width = channels / group_count;
        if (channels % lanes || width < lanes || channels >= index_t(1) << 24 ||
            items * group_count >= index_t(1) << 30 || pixels >= index_t(1) << 30)
            return best;
        const int least = common_multiple(static_cast<int>(width), int(lanes));
        double best_cost = 0;
        for (int span = least; span <= channels; span += least) {
            if (channels % span || (span * element < narrowest && span < channels)) continue;
            for (int team = 1; team <= most_team && team <= pixels; team *= 2)
                for (const int threads : {128, 256}) {
                    const GroupNormSplit p =
                        split(shared_bytes, items, pixels, channels, group_count, element, span, team, threads);
                    if (p.span == 0 || p.tasks > p.clusters_at_once(units, shared_bytes, element)) continue;
                    const double cost = p.cost(units, element).us();
                    if (best.span == 0 || cost < best_cost) best = p, best_cost = cost;
                }
        }
        return best;
    }
    GroupNormCost cost(int units, int element) const {
        const int all = reached(units), blocks = (tasks * team + all - 1) / all, own = threads / 32;
        return {.begin = 1.76,
                .meet = team > 1 ? 0.33 + 0.039 * team : 0.0,
                .add = 0.61 * ((groups + own - 1) / own),
                .pixels = 0.2 * kept,
                .warps = 0.073 * blocks * own,
                .bytes = 0.53e-6 * pixels() * span * tasks * element};
    }

private:
    static constexpr int narrowest = 64;        ///< bytes of a row: two sectors

    /// Clusters of four blocks and more do not reach all multiprocessors: 120 of 132.
    int reached(int units) const { return team < 4 ? units : units * 10 / 11; }
    int clusters_at_once(int units, int shared_bytes, int element) const {
        constexpr int resident = 800, reserved = 1024;      // threads by registers; bytes that every block takes
        const int blocks = smaller(resident / threads, (shared_bytes + reserved) / (shared(element) + reserved));
        return reached(units) / team * blocks;
    }
};

}  // namespace inlay::inline INLAY_ABI
