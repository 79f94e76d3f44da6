// SPDX-License-Identifier: Apache-2.0
/// A GroupNorm's split over teams of blocks (`plan/norm/group_norm_teams.hpp`) as its kernel takes it: with divisors.
#pragma once

#include <inlay/plan/norm/group_norm_teams.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

static_assert(inlay::narrowest_warp == narrowest_warp);

struct GroupNormPlan : GroupNormTeams {
    ShortDivisor by_columns, by_rows, by_width, by_ranges, by_group_size, by_shares;

    GroupNormPlan(const GroupNormTeams& s)
        : GroupNormTeams(s), by_columns(columns), by_rows(rows), by_width(width), by_ranges(ranges),
          by_group_size(team), by_shares(shares) {}
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
