// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/clip_layer.hpp>

#include "asked.hpp"

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(ClipLayer, IsSevenLaunches) {
    for (const bool quick : {true, false}) {
        Asked asked;
        const nn::ClipLayer<fp16> layer(asked.load() / "layers" / 0, 128, 2, 512, quick);
        const auto y = layer.build(asked.build(), asked.tensor(3, 77, 128));
        EXPECT_EQ(y->extents, (Extents<3>{{3, 77, 128}}));
        EXPECT_EQ(asked.launches(),
                  "layer_norm1 layernorm\nself_attn.q_proj linear\nattention attention\n"
                  "self_attn.out_proj linear\nlayer_norm2 layernorm\nmlp.fc1 linear\nmlp.fc2 linear\n");
    }
}
TEST(ClipLayer, AsksForWhatTransformersNames) {
    const Asked asked;
    const nn::ClipLayer<fp16> layer(asked.load() / "layers" / 0, 128, 2, 512, true);
    EXPECT_EQ(asked.names(),
              "layers.0.layer_norm1.weight [128]\nlayers.0.layer_norm1.bias [128]\n"
              "layers.0.self_attn.q_proj.weight [128, 128]\nlayers.0.self_attn.k_proj.weight [128, 128]\n"
              "layers.0.self_attn.v_proj.weight [128, 128]\nlayers.0.self_attn.q_proj.bias [128]\n"
              "layers.0.self_attn.k_proj.bias [128]\nlayers.0.self_attn.v_proj.bias [128]\n"
              "layers.0.self_attn.out_proj.weight [128, 128]\nlayers.0.self_attn.out_proj.bias [128]\n"
              "layers.0.layer_norm2.weight [128]\nlayers.0.layer_norm2.bias [128]\n"
              "layers.0.mlp.fc1.weight [512, 128]\nlayers.0.mlp.fc1.bias [512]\n"
              "layers.0.mlp.fc2.weight [128, 512]\nlayers.0.mlp.fc2.bias [128]\n");
}

}  // namespace
