// SPDX-License-Identifier: Apache-2.0
#include "tiny.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(TinyF32, Clip) {
    EXPECT_LE(relative_l2(networks(DType::f32).clip(ids()), expected_values("clip.last_hidden_state")), 1e-4);
}

}  // namespace
