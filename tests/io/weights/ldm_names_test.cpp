// SPDX-License-Identifier: Apache-2.0
/// Against diffusers' converters: golden/make_ldm_golden.py
#include <inlay/io/json_file.hpp>
#include <inlay/io/weights/ldm_names.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay::io;

class LdmNames : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        golden = read_json_object(test::golden() / "ldm_names.json")[GetParam()];
        for (const auto& component : golden)
            for (const auto& [ldm, diffusers] : component.items()) layout.note(ldm);
    }
    Json golden;
    LdmLayout layout;
};
INSTANTIATE_TEST_SUITE_P(Architectures, LdmNames, testing::Values("sd15", "tiny"));

TEST_P(LdmNames, AreThoseThatDiffusersGives) {
    std::size_t names = 0;
    for (const auto& [component, pairs] : golden.items())
        for (const auto& [ldm, diffusers] : pairs.items()) {
            ++names;
            EXPECT_EQ(unet_name_from_ldm(ldm, layout), component == "unet" ? std::string(diffusers) : "") << ldm;
            EXPECT_EQ(vae_name_from_ldm(ldm, layout), component == "vae" ? std::string(diffusers) : "") << ldm;
            EXPECT_EQ(text_name_from_ldm(ldm), component == "text_encoder" ? std::string(diffusers) : "") << ldm;
        }
    EXPECT_EQ(names, std::string(GetParam()) == "sd15" ? 1130u : 540u);
}

TEST_P(LdmNames, TellTheLayout) {
    const bool sd15 = std::string(GetParam()) == "sd15";
    EXPECT_EQ(layout.unet_layers, sd15 ? 2 : 1);
    EXPECT_EQ(layout.vae_levels, 4);
}

TEST(LdmName, OfNoPartOfTheModelMapsToNothing) {
    const LdmLayout layout{2, 4};
    for (const char* name :
         {"betas", "model_ema.diffusion_modelinput_blocks00bias", "alphas_cumprod", "",
          "model.diffusion_model.input_blocks", "model.diffusion_model.input_blocks.1",
          "model.diffusion_model.input_blocks.x.0.op.weight",
          "model.diffusion_model.input_blocks.99999999999.0.op.weight",
          "model.diffusion_model.input_blocks.-1.0.op.weight", "model.diffusion_model.output_blocks.1.7.weight",
          "first_stage_model.decoder.up.4.block.0.conv1.weight", "first_stage_model.decoder.up.0.other.weight"}) {
        EXPECT_EQ(unet_name_from_ldm(name, layout), "") << name;
        EXPECT_EQ(vae_name_from_ldm(name, layout), "") << name;
        EXPECT_EQ(text_name_from_ldm(name), "") << name;
    }
}

TEST(PublishedNames, OfTheVaeAttentionAreThoseOfToday) {
    EXPECT_EQ(vae_name("decoder.mid_block.attentions.0.query.weight"), "decoder.mid_block.attentions.0.to_q.weight");
    EXPECT_EQ(vae_name("decoder.mid_block.attentions.0.key.bias"), "decoder.mid_block.attentions.0.to_k.bias");
    EXPECT_EQ(vae_name("encoder.mid_block.attentions.0.value.weight"), "encoder.mid_block.attentions.0.to_v.weight");
    EXPECT_EQ(vae_name("encoder.mid_block.attentions.0.proj_attn.bias"),
              "encoder.mid_block.attentions.0.to_out.0.bias");
    EXPECT_EQ(vae_name("encoder.mid_block.attentions.0.to_q.bias"), "encoder.mid_block.attentions.0.to_q.bias");
    EXPECT_EQ(vae_name("encoder.conv_in.weight"), "encoder.conv_in.weight");
}

TEST(PublishedNames, OfTheTextEncoderHaveItsPrefix) {
    for (const std::string name :
         {"embeddings.token_embedding.weight", "encoder.layers.0.mlp.fc1.bias", "final_layer_norm.bias"}) {
        EXPECT_EQ(text_name(name), "text_model." + name);
        EXPECT_EQ(text_name("text_model." + name), "text_model." + name);
    }
    EXPECT_EQ(text_name("text_projection.weight"), "text_projection.weight");
}

}  // namespace
