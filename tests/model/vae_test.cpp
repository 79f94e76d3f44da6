// SPDX-License-Identifier: Apache-2.0
#include "tiny.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(TinyF32, Vae) {
    for (const std::string size : {"16x16", "8x16"})
        EXPECT_LE(relative_l2(networks(DType::f32).vae(scaled_latents("vae.latent." + size)).v,
                              expected_values("vae.decoded." + size)),
                  1e-4)
            << size;
}

}  // namespace
