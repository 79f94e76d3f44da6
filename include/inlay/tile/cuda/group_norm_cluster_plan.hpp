// SPDX-License-Identifier: Apache-2.0
/// How a GroupNorm is split over clusters of blocks: a cluster normalises a range of whole groups of one item, each of
/// its blocks a slab of the pixels, which stays in shared memory.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/tile/cuda/index.hpp>
#include <inlay/tile/cuda/launch.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// The work [items, pixels, channels] in groups of `width` channels, and its split. A thread has a chunk of `lanes`
/// channels, which lies in two groups at most, and every `rows`-th pixel of a slab.
struct GroupNormClusters {
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
    ShortDivisor by_columns, by_width, by_ranges, by_team;

    INLAY_FN int first_pixel(int member) const { return each * member + (member < more ? member : more); }
    INLAY_FN int pixels_of(int member) const { return each + (member < more ? 1 : 0); }
    INLAY_FN int steps_of(int member, int row) const { return whole + (row < rest + (member < more ? 1 : 0) ? 1 : 0); }
    INLAY_FN int slot_bytes(int element) const { return lanes * element * threads; }
    INLAY_FN int pixels() const { return each * team + more; }
    /// Bytes of shared memory beside what is kept: sums of pieces, γ and β, moments of blocks, two numbers a group.
    INLAY_FN int table() const { return 16 * (groups + columns) * rows + 8 * span + 8 * groups * (team + 1); }
    int shared(int element) const { return table() + slot_bytes(element) * kept; }

    /// A split by hand.
    static GroupNormClusters split(const Device& d, index_t items, index_t pixels, index_t channels, int group_count,
                                   int element, int span, int team, int threads) {
        GroupNormClusters p;
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
        p.by_columns = ShortDivisor(p.columns), p.by_width = ShortDivisor(p.width);
        p.by_ranges = ShortDivisor(p.ranges), p.by_team = ShortDivisor(p.team);
        if (index_t(p.kept) * p.slot_bytes(element) + p.table() + barrier_bytes <= d.shared_bytes) p.span = span;
        return p;
    }
    /// The cheapest split whose clusters all run at once; of span 0 where there is none.
    static GroupNormClusters of(const Device& d, index_t items, index_t pixels, index_t channels, int group_count,
                                int element) {
        GroupNormClusters best;
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
                    const GroupNormClusters p =
                        split(d, items, pixels, channels, group_count, element, span, team, threads);
                    if (p.span == 0 || p.tasks > p.clusters_at_once(d, element)) continue;
                    const double cost = p.cost(d, element);
                    if (best.span == 0 || cost < best_cost) best = p, best_cost = cost;
                }
        }
        return best;
    }

private:
    static constexpr int narrowest = 64;        ///< bytes of a row: two sectors

    /// Clusters of four blocks and more do not reach all multiprocessors: 120 of 132.
    int clusters_at_once(const Device& d, int element) const {
        constexpr int resident = 800, reserved = 1024;      // threads by registers; bytes that every block takes
        const int blocks = smaller(resident / threads, (d.shared_bytes + reserved) / (shared(element) + reserved));
        return (team < 4 ? d.multiprocessors : d.multiprocessors * 10 / 11) / team * blocks;
    }
    /// In microseconds, fitted to a sweep of splits on an H200: launch and latencies, the meeting of a cluster, pixels
    /// of a thread, groups that a warp adds up, warps of a multiprocessor, bytes.
    double cost(const Device& d, int element) const {
        const int blocks = (tasks * team + d.multiprocessors - 1) / d.multiprocessors, warps = threads / 32;
        const double bytes = static_cast<double>(pixels()) * span * tasks * element;
        return 1.76 + (team > 1 ? 0.33 + 0.039 * team : 0.0) + 0.2 * kept + 0.61 * ((groups + warps - 1) / warps) +
               0.073 * blocks * warps + 0.53e-6 * bytes;
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
