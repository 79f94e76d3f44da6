// SPDX-License-Identifier: Apache-2.0
/// The split of a GroupNorm over blocks of any GPU: a team of blocks normalises a range of whole groups of one item,
/// each block a share of its pixels. Chosen by the bytes a multiprocessor moves, so that any extents and any device
/// have a split.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/order.hpp>
#include <inlay/plan/device.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI {

/// The work [items, pixels, channels] in groups of `width` channels, and its split. A thread has a chunk of `lanes`
/// channels and every `rows`-th pixel of a block's share.
struct GroupNormTeams {
    static constexpr int most_threads = 512;
    static constexpr int lanes = 8;     ///< 16 bytes of a 16-bit type

    int threads = most_threads;         ///< of a block
    index_t each = 0;                   ///< pixels of a block; the first `more` blocks have another one
    int more = 0;
    int width = 0;
    int span = 0;                       ///< channels of a range, whole groups
    int ranges = 0, groups = 0;         ///< of an item; of a range
    int chunks = 0;                     ///< of a range
    int columns = 0, rows = 0;          ///< threads along the channels and along the pixels
    int passes = 0;                     ///< over the chunks, where they are more than the threads
    int whole = 0, rest = 0;            ///< `each` = whole · rows + rest
    int team = 1;                       ///< blocks that share an item and range, and meet
    int tasks = 0, slots = 0;           ///< items · ranges, and those of them under way at once
    int kept = 0;                       ///< chunks of a thread and pass that fit in shared memory
    int ahead = 0;                      ///< and how many of them it has in flight: 4 or 8
    int shares = 1;                     ///< warps of a block that add up a group

    INLAY_FN constexpr index_t first_pixel(int member) const {
        return each * member + (member < more ? member : more);
    }
    INLAY_FN constexpr index_t pixels_of(int member) const { return each + (member < more ? 1 : 0); }
    INLAY_FN constexpr index_t pixels() const { return each * team + more; }
    /// Values of a thread.
    INLAY_FN constexpr int passes_of(int column) const {
        return column + (passes - 1) * columns < chunks ? passes : passes - 1;
    }
    INLAY_FN constexpr int steps_of(int member, int row) const {
        return whole + (row < rest + (member < more ? 1 : 0) ? 1 : 0);
    }
    INLAY_FN constexpr int padded() const { return chunks * lanes; }
    /// A piece is the part of a chunk in one group: at most as many begin as chunks and groups do.
    INLAY_FN constexpr int pieces() const { return groups + chunks; }
    INLAY_FN constexpr int slot_bytes(int element) const { return lanes * element * threads; }
    /// Floats in which warps leave their sums to each other: three each.
    static constexpr int shared_sums = 3 * most_threads / narrowest_warp;
    /// Bytes of shared memory beside the pixel tiles: these, means, scales and shifts of channels, moments of pieces.
    INLAY_FN constexpr int table() const { return 4 * shared_sums + 12 * padded() + 8 * pieces() * rows; }
    /// Moments of a task that cross blocks.
    INLAY_FN constexpr int handed_over() const { return groups * team; }
    /// All of them and a counter a task, 8 bytes each.
    constexpr std::size_t words() const {
        return team > 1 ? static_cast<std::size_t>(tasks) * static_cast<std::size_t>(handed_over() + 1) : 0;
    }
    constexpr std::size_t shared(int element) const {
        return static_cast<std::size_t>(table()) + static_cast<std::size_t>(slot_bytes(element)) *
                                                       static_cast<std::size_t>(kept * passes);
    }

    /// A split by hand into ranges of `span` channels and teams of `team` blocks, or of as many as keep everything (0);
    /// of span 0 where it does not fit. `element`: bytes of an element as it is kept.
    static constexpr GroupNormTeams split(int units, int shared_bytes, index_t items, index_t pixels, index_t channels,
                                          int group_count, int element, int span, index_t team,
                                          int threads = most_threads, int warp = narrowest_warp) {
        GroupNormTeams p(items, static_cast<int>(channels), static_cast<int>(channels) / group_count, span, threads,
                         warp);
        const int fits = larger(0, shared_bytes - p.table()) / p.slot_bytes(element) / p.passes;
        const index_t filling = fits > 0 ? pixels / (fits * p.rows) + 1 : 1;
        const index_t most = smaller<index_t>(pixels, units);
        p.team = static_cast<int>(smaller(larger<index_t>(team > 0 ? team : filling, 1), most));
        p.each = pixels / p.team, p.more = static_cast<int>(pixels % p.team);
        p.rows = static_cast<int>(smaller<index_t>(p.rows, p.each));
        p.whole = static_cast<int>(p.each / p.rows), p.rest = static_cast<int>(p.each % p.rows);
        p.slots = p.team > 1 ? smaller(p.tasks, units / p.team) : p.tasks;
        const int steps = p.steps_of(0, 0);
        p.kept = smaller(fits, steps);
        p.ahead = steps > 4 && (p.kept == steps || p.kept >= 8) ? 8 : 4;
        if (p.kept < steps && p.kept < p.ahead) p.span = 0;
        return p;
    }
    /// The cheapest split among blocks of `threads` in warps of `warp`; of span 0 where a group is too wide for the
    /// device, or there are too many.
    static constexpr GroupNormTeams of(int units, int shared_bytes, index_t items, index_t pixels, index_t channels,
                                       int group_count, int element, int threads = most_threads,
                                       int warp = narrowest_warp) {
        GroupNormTeams best;
        if (channels >= (index_t(1) << 24) || items * group_count >= (index_t(1) << 30)) return best;
        const int width = static_cast<int>(channels) / group_count;
        const int least = channels % lanes == 0 ? common_multiple(width, int(lanes)) : width;
        double least_bytes = 0;
        for (int span = least; span <= channels; span += least) {
            if (channels % span) continue;
            const index_t tasks = items * (channels / span);
            // alone, as many as fill the device, and as many as keep all in shared memory
            for (const index_t team : {index_t(1), larger<index_t>(1, units / tasks), index_t(0)}) {
                const GroupNormTeams p = split(units, shared_bytes, items, pixels, channels, group_count, element, span,
                                               team, threads, warp);
                const double bytes = p.span ? p.moved(units, element) : 0;
                if (p.span && (best.span == 0 || bytes < least_bytes)) best = p, least_bytes = bytes;
            }
        }
        return best;
    }

    /// True where all that is read is kept until it is written.
    constexpr bool keeps_all() const { return kept == steps_of(0, 0); }
    /// Bytes that a multiprocessor moves, by which splits are ranked: a meeting of blocks takes as long as 20 KB, 400
    /// bytes for each of them and 128 for each moment that crosses (by a sweep of splits); part of a row of channels
    /// costs as much as 16 bytes more, and a whole sector more where it does not fill its sectors.
    constexpr double moved(int units, int element) const {
        constexpr double meeting = 20e3, member = 400, crossing = 128;
        constexpr int sector = 32;
        const int row = span * element, edge = ranges == 1 ? 0 : row % sector ? 16 + sector : 16;
        const double read = static_cast<double>(pixels_of(0)) * (row + edge);
        const double again = read * (1.0 - static_cast<double>(kept) / steps_of(0, 0));
        const double together = team > 1 ? meeting + member * team + crossing * handed_over() : 0.0;
        const int at_once = team > 1 ? slots : units;
        return static_cast<double>((tasks + at_once - 1) / at_once) * (2 * read + again + together);
    }

    constexpr GroupNormTeams() = default;

private:
    constexpr GroupNormTeams(index_t items, int channels, int w, int s, int in_block, int warp)
        : threads(in_block), width(w), span(s), ranges(channels / s), groups(s / w), chunks((s + lanes - 1) / lanes),
          columns(smaller(chunks, threads)), rows(threads / columns), passes((chunks + columns - 1) / columns),
          tasks(static_cast<int>(items) * ranges), shares(larger(1, threads / warp / groups)) {}
};

}  // namespace inlay::inline INLAY_ABI
