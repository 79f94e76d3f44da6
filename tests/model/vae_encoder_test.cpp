// SPDX-License-Identifier: Apache-2.0
#include "tiny.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(TinyF32, VaeEncoder) {
    std::vector<float> moments = expected_values("vae.mean");
    const std::vector<float> logvar = expected_values("vae.logvar");
    moments.insert(moments.end(), logvar.begin(), logvar.end());
    EXPECT_LE(relative_l2(networks(DType::f32).encode(expected_image("vae.image", 1)).v, moments), 1e-4);
}

}  // namespace
