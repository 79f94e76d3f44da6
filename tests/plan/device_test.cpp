// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/device.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

TEST(Target, IsFoundByName) {
    EXPECT_EQ(target_named("host").copy, "vector loads");
    EXPECT_EQ(target_named("sm_80").copy, "cp.async");
}
TEST(Target, AnUnknownOneIsAnErrorThatNamesTheKnown) {
    try {
        target_named("sm_20");
        FAIL();
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: target 'sm_20' is not known, expected one of host, sm_80, sm_90, sm_90a, "
                               "gfx90a, gfx942, gfx1100");
    }
}

TEST(Target, WavesAreAsWideAsTheArchitectures) {
    EXPECT_EQ(target_named("gfx90a").warp, 64);
    EXPECT_EQ(target_named("gfx942").warp, 64);
    EXPECT_EQ(target_named("gfx1100").warp, 32);
    EXPECT_EQ(target_named("sm_80").warp, 32);
    for (const TargetInfo& t : known_targets) EXPECT_EQ(t.amd(), std::string_view(t.name).starts_with("gfx"));
}

}  // namespace
