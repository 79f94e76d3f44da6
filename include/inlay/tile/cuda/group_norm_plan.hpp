// SPDX-License-Identifier: Apache-2.0
/// How a GroupNorm is split over blocks: a team of blocks normalises a range of whole groups of one item, each block
/// a slab of its pixels. Chosen by the bytes a multiprocessor moves, so that any extents and any device have a plan.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/tile/cuda/launch.hpp>

#include <algorithm>
#include <numeric>

namespace inlay::inline INLAY_ABI::cuda {

/// The work [items, pixels, channels] in groups of `width` channels, and its split. A thread has a chunk of `lanes`
/// channels and every `rows`-th pixel of a slab.
struct GroupNormPlan {
    static constexpr int threads = 512, warps = threads / 32;
    static constexpr int lanes = 8;     ///< 16 bytes of a 16-bit type
    static constexpr int ahead = 4;     ///< chunks that a thread has in flight

    index_t each = 0;                   ///< pixels of a slab; the first `more` have another one
    int more = 0;
    int width = 0;
    int span = 0;                       ///< channels of a range, whole groups
    int ranges = 0, groups = 0;         ///< of an item; of a range
    int chunks = 0;                     ///< of a range
    int columns = 0, rows = 0;          ///< threads along the channels and along the pixels
    int passes = 0;                     ///< over the chunks, where they are more than the threads
    int parts = 0;                      ///< warps that merge a group within a block
    int team = 1;                       ///< blocks that share an item and range, and meet
    int tasks = 0, slots = 0;           ///< items · ranges, and how many of them are under way at once
    int kept = 0;                       ///< chunks of a thread and pass that fit in shared memory

    INLAY_FN index_t first_pixel(int member) const {
        return each * member + (member < more ? member : more);
    }
    INLAY_FN int padded() const { return chunks * lanes; }
    /// Bytes of shared memory for statistics, scales and shifts; what is kept comes after them.
    INLAY_FN int table() const { return 16 * groups * parts + padded() * (8 * rows + 12); }
    /// Partial statistics that cross blocks.
    std::size_t partials() const { return meetings() * static_cast<std::size_t>(groups * parts * team); }
    std::size_t meetings() const { return team > 1 ? static_cast<std::size_t>(tasks) : 0; }
    std::size_t shared(int element) const {
        return static_cast<std::size_t>(table()) + chunk_bytes(element) * static_cast<std::size_t>(kept * passes);
    }

    /// A split by hand into ranges of `span` channels and teams of `team` blocks, or of as many as keep everything (0);
    /// of span 0 where it does not fit. `element`: bytes of an element as it is kept.
    static GroupNormPlan split(const Device& d, index_t items, index_t pixels, index_t channels, int group_count,
                               int element, int span, index_t team) {
        GroupNormPlan p(items, static_cast<int>(channels), static_cast<int>(channels) / group_count, span);
        const int room = std::max(0, d.shared_bytes - p.table());
        const int fits = room / static_cast<int>(chunk_bytes(element)) / p.passes;
        const index_t filling = fits > 0 ? pixels / (fits * p.rows) + 1 : 1;
        const index_t most = std::min<index_t>(pixels, d.multiprocessors);
        p.team = static_cast<int>(std::clamp<index_t>(team > 0 ? team : filling, 1, most));
        p.each = pixels / p.team, p.more = static_cast<int>(pixels % p.team);
        p.slots = p.team > 1 ? std::min(p.tasks, d.multiprocessors / p.team) : p.tasks;
        p.kept = static_cast<int>(std::min<index_t>(fits, p.steps()));
        if (p.kept < p.steps() && p.kept < ahead) p.span = 0;
        return p;
    }
    /// The cheapest split. Throws where a group is too wide for the device.
    static GroupNormPlan of(const Device& d, index_t items, index_t pixels, index_t channels, int group_count,
                            int element) {
        require(channels < (index_t(1) << 24) && items * group_count < (index_t(1) << 30), "GroupNorm: ", items,
                " items of ", channels, " channels are too many");
        const int width = static_cast<int>(channels) / group_count;
        const int least = channels % lanes == 0 ? std::lcm(width, int(lanes)) : width;
        GroupNormPlan best;
        double best_cost = 0;
        for (int span = least; span <= channels; span += least) {
            if (channels % span) continue;
            const index_t tasks = items * (channels / span);
            // alone, as many as fill the device, and as many as keep all in shared memory
            for (const index_t team : {index_t(1), std::max<index_t>(1, d.multiprocessors / tasks), index_t(0)}) {
                const GroupNormPlan p = split(d, items, pixels, channels, group_count, element, span, team);
                const double cost = p.span ? p.cost(d, element) : 0;
                if (p.span && (best.span == 0 || cost < best_cost)) best = p, best_cost = cost;
            }
        }
        require(best.span > 0, "GroupNorm: groups of ", width, " channels are too wide for this device");
        return best;
    }

private:
    GroupNormPlan() = default;
    GroupNormPlan(index_t items, int channels, int w, int s)
        : width(w), span(s), ranges(channels / s), groups(s / w), chunks((s + lanes - 1) / lanes),
          columns(std::min(chunks, threads)), rows(threads / columns), passes((chunks + columns - 1) / columns),
          parts(std::max(1, warps / groups)), tasks(static_cast<int>(items) * ranges) {}

    static std::size_t chunk_bytes(int element) { return static_cast<std::size_t>(lanes * element * threads); }
    index_t slab() const { return each + (more > 0 ? 1 : 0); }
    index_t steps() const { return (slab() + rows - 1) / rows; }
    /// In bytes that a multiprocessor moves: a meeting of blocks takes as long as 60 KB; part of a row of channels
    /// costs as much as 16 bytes more, and a whole sector more where it does not fill its sectors.
    double cost(const Device& d, int element) const {
        constexpr double meeting = 60e3;
        constexpr int sector = 32;
        const int row = span * element, more = ranges == 1 ? 0 : row % sector ? 16 + sector : 16;
        const double read = static_cast<double>(slab()) * (row + more);
        const double again = read * (1.0 - static_cast<double>(kept) / static_cast<double>(steps()));
        const double together = team > 1 ? meeting + 16.0 * groups * parts * team : 0.0;
        const int at_once = team > 1 ? slots : d.multiprocessors;
        return static_cast<double>((tasks + at_once - 1) / at_once) * (2 * read + again + together);
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
