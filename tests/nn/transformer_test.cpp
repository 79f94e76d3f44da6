// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/transformer.hpp>

#include "../exec/sentence.hpp"
#include "asked.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(SpatialTransformer, IsFourteenLaunches) {
    Asked asked, once;
    const nn::SpatialTransformer<fp16> layer(asked.load() / "attentions" / 0, 320, 8, 768);
    const auto text = layer.build_text(once.build(), asked.tensor(2, 77, 768));
    const auto y = layer.build(asked.build(), asked.tensor(2, 16, 16, 320), text);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 16, 16, 320}}));
    EXPECT_EQ(asked.launches(),
              "norm groupnorm\nproj_in linear\nnorm1 layernorm\nattn1.to_q linear\nattention attention\n"
              "attn1.to_out.0 linear\nnorm2 layernorm\nattn2.to_q linear\nattention attention\n"
              "attn2.to_out.0 linear\nnorm3 layernorm\nff.net.0.proj linear\nff.net.2 linear\nproj_out linear\n");
}
// The products behind the LayerNorms read records that the kernels before publish.
TEST(SpatialTransformer, IsElevenLaunchesWithNormsInProducts) {
    Asked asked, once;
    const nn::SpatialTransformer<fp16, nn::LayerNorms::in_products> layer(asked.load() / "attentions" / 0, 320, 8, 768,
                                                                         true);
    const auto text = layer.build_text(once.build(), asked.tensor(2, 77, 768));
    const auto y = layer.build(asked.build(), asked.tensor(2, 16, 16, 320), text);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 16, 16, 320}}));
    const std::string before = "norm groupnorm\nproj_in linear\nattn1.to_q linear\nattention attention\n"
                               "attn1.to_out.0 linear\nattn2.to_q linear\n",
                      behind = "attention attention\nattn2.to_out.0 linear\nff.net.0.proj linear\nff.net.2 linear\n"
                               "proj_out linear\n";
    EXPECT_EQ(asked.launches(), before + behind);
    Asked guided;
    const auto of_both = layer.build_guided_text(once.build(), asked.tensor(2, 77, 768));
    layer.build_guided(guided.build(), asked.tensor(1, 16, 16, 320), of_both);
    EXPECT_EQ(guided.launches(), before + "elementwise elementwise\n" + behind);  // Q of one half, and a copy of it
}
// The text's keys and values are of their own, once per prompt.
TEST(SpatialTransformer, ReadsTheTextOnce) {
    Asked asked;
    const nn::SpatialTransformer<fp16> layer(asked.load() / "attentions" / 0, 320, 8, 768);
    layer.build_text(asked.build(), asked.tensor(2, 77, 768));
    EXPECT_EQ(asked.launches(), "attn2.to_k linear\n");
}
// Up to the query of cross-attention both halves of guidance are one; no kernel is added.
TEST(SpatialTransformer, HalvesOfGuidancePartInCrossAttention) {
    Asked asked, once;
    const nn::SpatialTransformer<fp16> layer(asked.load() / "attentions" / 0, 320, 8, 768, true);
    const auto text = layer.build_guided_text(once.build(), asked.tensor(2, 77, 768));
    const auto y = layer.build_guided(asked.build(), asked.tensor(1, 16, 16, 320), text);
    EXPECT_EQ(y->extents, (Extents<4>{{2, 16, 16, 320}}));
    EXPECT_EQ(asked.launches(),
              "norm groupnorm\nproj_in linear\nnorm1 layernorm\nattn1.to_q linear\nattention attention\n"
              "attn1.to_out.0 linear\nnorm2 layernorm\nattn2.to_q linear\nattention attention\n"
              "attn2.to_out.0 linear\nnorm3 layernorm\nff.net.0.proj linear\nff.net.2 linear\nproj_out linear\n");
}
TEST(SpatialTransformer, RefusesGuidedTextElsewhere) {
    Asked asked;
    const nn::SpatialTransformer<fp16> layer(asked.load() / "attentions" / 0, 320, 8, 768);
    EXPECT_EQ(sentence([&] { layer.build_guided_text(asked.build(), asked.tensor(2, 77, 768)); }),
              "inlay: transformer: guided text is of a first transformer, and this is none");
}

}  // namespace
