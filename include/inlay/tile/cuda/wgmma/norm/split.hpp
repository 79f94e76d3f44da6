// SPDX-License-Identifier: Apache-2.0
/// A GroupNorm's split over clusters (`plan/norm/group_norm_clusters.hpp`) as its kernel takes it: with divisors.
#pragma once

#include <inlay/plan/norm/group_norm_clusters.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

struct GroupNormClusters : GroupNormSplit {
    ShortDivisor by_columns, by_width, by_ranges, by_group_size;

    GroupNormClusters() = default;
    GroupNormClusters(const GroupNormSplit& s) : GroupNormSplit(s) {
        if (span > 0)
            by_columns = ShortDivisor(columns), by_width = ShortDivisor(width), by_ranges = ShortDivisor(ranges),
            by_group_size = ShortDivisor(team);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
