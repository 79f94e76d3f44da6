// SPDX-License-Identifier: Apache-2.0
/// The number of clusters that are resident at once on sm_90.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI {

/// Clusters of `blocks` blocks that run at once, a block on each multiprocessor: those of a cluster lie in one group of
/// multiprocessors, and groups differ. The numbers are an H200's with its 132 (cudaOccupancyMaxActiveClusters).
constexpr int sm90_clusters(int units, int blocks) {
    constexpr int of_132[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
    return of_132[blocks] * units / 132;
}

}  // namespace inlay::inline INLAY_ABI
