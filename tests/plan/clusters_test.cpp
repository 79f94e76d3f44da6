// SPDX-License-Identifier: Apache-2.0
/// The number of clusters that run at once: never more than have a place, and fewer the larger they are.
#include <inlay/plan/clusters.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(WgmmaClusters, FitOnTheDevice) {
    for (const int units : {66, 114, 132})
        for (int blocks = 1; blocks <= 8; ++blocks) {
            EXPECT_GE(sm90_clusters(units, blocks), 1);
            EXPECT_LE(sm90_clusters(units, blocks) * blocks, units);
            EXPECT_LE(sm90_clusters(units, blocks), sm90_clusters(units, blocks > 1 ? blocks - 1 : 1));
        }
}
TEST(WgmmaClusters, ASmallDeviceHasNoLargeOnes) {
    EXPECT_EQ(sm90_clusters(6, 1), 6);
    EXPECT_EQ(sm90_clusters(6, 8), 0);
}

}  // namespace
