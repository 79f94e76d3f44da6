// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/transformer.hpp>

#include "asked.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(SpatialTransformer, IsFourteenLaunches) {
    Asked asked;
    const nn::SpatialTransformer<fp16> layer(asked.load() / "attentions" / 0, 320, 8, 768);
    EXPECT_EQ(layer.factors.extents, (Extents<1>{{960}})) << "of Q, K and V";
    const nn::TextKeys<fp16> text{asked.build().temporary(2, 8, 77, 40), asked.build().temporary(2, 8, 77, 40)};
    const auto y = layer.build(asked.build(), asked.tensor(2, 16, 16, 320), text);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 16, 16, 320}}));
    EXPECT_EQ(asked.launches(),
              "norm groupnorm\nproj_in linear\nnorm1 layernorm\nattn1.to_qkv linear\nattn1.attention attention\n"
              "attn1.to_out linear\nnorm2 layernorm\nattn2.to_q linear\nattn2.attention attention\n"
              "attn2.to_out linear\nnorm3 layernorm\nff.in linear\nff.to_out linear\nproj_out linear\n");
}
// The text's keys and values are of their own, once per prompt.
TEST(SpatialTransformer, ReadsTheTextOnce) {
    Asked asked;
    const nn::SpatialTransformer<fp16> layer(asked.load() / "attentions" / 0, 320, 8, 768);
    const auto text = layer.build_text(asked.build(), asked.tensor(2, 77, 768));
    EXPECT_EQ(text.k->extents, (Extents<4>{{2, 8, 77, 40}}));
    EXPECT_EQ(asked.launches(), "attn2.to_kv linear\n");
}
// Of 16 bits scores are powers of two; Q of fp32 would be rounded once more.
static_assert(nn::SpatialTransformer<fp16>::Score::binary && nn::SpatialTransformer<bf16>::Score::binary &&
              !nn::SpatialTransformer<float>::Score::binary);

}  // namespace
