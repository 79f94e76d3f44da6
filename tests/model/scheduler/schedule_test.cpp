// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/scheduler/schedule.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::model;

TEST(Schedule, StrengthLeavesTheLastSteps) {
    EXPECT_EQ(first_step(20, 1), 0);
    EXPECT_EQ(first_step(20, 0.5), 10);
    EXPECT_EQ(first_step(20, 0.05), 19);
}
TEST(Schedule, AStrengthThatRunsNothingIsAnError) {
    EXPECT_THROW(first_step(20, 0), inlay::Error);
    EXPECT_THROW(first_step(20, 0.04), inlay::Error);
    EXPECT_THROW(first_step(20, 1.5), inlay::Error);
    EXPECT_THROW(first_step(20, -1), inlay::Error);
}
TEST(Schedule, KnowsWhatItsStepsRead) {
    Schedule s;
    s.steps.resize(3);
    EXPECT_FALSE(s.uses_history() || s.uses_noise());
    s.steps[1].c_prev = 0.5f;
    EXPECT_TRUE(s.uses_history());
    EXPECT_FALSE(s.uses_noise());
    s.steps[2].c_noise = 1;
    EXPECT_TRUE(s.uses_noise());
}

}  // namespace
