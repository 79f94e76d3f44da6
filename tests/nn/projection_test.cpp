// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/projection.hpp>

#include "asked.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Projection, AsksForAMatrixAndABias) {
    const Asked asked;
    const nn::Projection<fp16> p(asked.load() / "to_out", 320, 640);
    EXPECT_EQ(asked.names(), "to_out.weight [320, 640]\nto_out.bias [320]\n");
    EXPECT_EQ(p.weight.extents, (Extents<2>{{320, 640}}));
    EXPECT_EQ(p.bias.extents, (Extents<1>{{320}}));
}
TEST(Filter3x3, AsksForAFilterAndABias) {
    const Asked asked;
    const nn::Filter3x3<fp16> f(asked.load() / "conv_in", 320, 4);
    EXPECT_EQ(asked.names(), "conv_in.weight [320, 4, 3, 3]\nconv_in.bias [320]\n");
    EXPECT_EQ(f.weight.extents, (Extents<4>{{320, 3, 3, 4}}));
}

}  // namespace
