// SPDX-License-Identifier: Apache-2.0
/// A GroupNorm's split over clusters (`plan/norm/group_norm_clusters.hpp`) as its kernel takes it: with divisors.
#pragma once

#include <inlay/plan/norm/group_norm_clusters.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/cuda/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

struct GroupNormClusters : GroupNormSplit {
    ShortDivisor by_columns, by_width, by_ranges, by_group_size;

    GroupNormClusters() = default;
    GroupNormClusters(const GroupNormSplit& s) : GroupNormSplit(s) {
        if (span > 0)
            by_columns = ShortDivisor(columns), by_width = ShortDivisor(width), by_ranges = ShortDivisor(ranges),
            by_group_size = ShortDivisor(team);
    }
    static GroupNormClusters split(const Device& d, index_t items, index_t pixels, index_t channels, int group_count,
                                   int element, int span, int team, int threads) {
        return GroupNormSplit::split(d.shared_bytes, items, pixels, channels, group_count, element, span, team,
                                     threads);
    }
    static GroupNormClusters of(const Device& d, index_t items, index_t pixels, index_t channels, int group_count,
                                int element) {
        return GroupNormSplit::of(d.multiprocessors, d.shared_bytes, items, pixels, channels, group_count, element);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
