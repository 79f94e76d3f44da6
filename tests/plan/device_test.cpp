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
        EXPECT_STREQ(e.what(), "inlay: target 'sm_20' is not known, expected one of host, sm_80, sm_90, sm_90a");
    }
}

}  // namespace
