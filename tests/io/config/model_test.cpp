// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/model.hpp>

#include <tests_folder.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace {

using namespace inlay;
using io::Json;

// The config of stable-diffusion-v1-5, without the keys of its making.
const Json clip = Json::parse(R"({"hidden_act": "quick_gelu", "hidden_size": 768, "intermediate_size": 3072,
    "layer_norm_eps": 1e-05, "max_position_embeddings": 77, "num_attention_heads": 12, "num_hidden_layers": 12,
    "projection_dim": 768, "vocab_size": 49408})");
const Json unet = Json::parse(R"({"act_fn": "silu", "attention_head_dim": 8,
    "block_out_channels": [320, 640, 1280, 1280], "center_input_sample": false, "cross_attention_dim": 768,
    "down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
    "downsample_padding": 1, "flip_sin_to_cos": true, "freq_shift": 0, "in_channels": 4, "layers_per_block": 2,
    "mid_block_scale_factor": 1, "norm_eps": 1e-05, "norm_num_groups": 32, "out_channels": 4, "sample_size": 64,
    "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"]})");
const Json vae = Json::parse(R"({"act_fn": "silu", "block_out_channels": [128, 256, 512, 512], "in_channels": 3,
    "latent_channels": 4, "layers_per_block": 2, "norm_num_groups": 32, "out_channels": 3, "sample_size": 512})");

TEST(ModelConfig, ReadsStableDiffusion15) {
    const auto c = io::model_configs(clip, unet, vae);
    const model::ClipConfig t;
    EXPECT_EQ(c.clip.vocabulary, t.vocabulary);
    EXPECT_EQ(c.clip.hidden, t.hidden);
    EXPECT_EQ(c.clip.heads, t.heads);
    EXPECT_EQ(c.clip.layers, t.layers);
    EXPECT_EQ(c.clip.intermediate, t.intermediate);
    EXPECT_EQ(c.clip.positions, t.positions);
    EXPECT_EQ(c.clip.activation, t.activation);
    const model::UNetConfig u;
    EXPECT_EQ(c.unet.in_channels, u.in_channels);
    EXPECT_EQ(c.unet.out_channels, u.out_channels);
    EXPECT_EQ(c.unet.layers_per_block, u.layers_per_block);
    EXPECT_EQ(c.unet.heads, u.heads);
    EXPECT_EQ(c.unet.context, u.context);
    EXPECT_EQ(c.unet.groups, u.groups);
    EXPECT_EQ(c.unet.channels, u.channels);
    EXPECT_EQ(c.unet.down_attention, u.down_attention);
    EXPECT_EQ(c.unet.up_attention, u.up_attention);
    const model::VaeConfig v;
    EXPECT_EQ(c.vae.in_channels, v.in_channels);
    EXPECT_EQ(c.vae.latent_channels, v.latent_channels);
    EXPECT_EQ(c.vae.layers_per_block, v.layers_per_block);
    EXPECT_EQ(c.vae.groups, v.groups);
    EXPECT_EQ(c.vae.channels, v.channels);
    EXPECT_EQ(c.vae.scaling_factor, v.scaling_factor);
    EXPECT_EQ(c.vae.scale(), 8);
}

TEST(ModelConfig, ReadsTheFilesDiffusersWrites) {
    const std::filesystem::path folder = std::filesystem::path(inlay_test::tests_folder()) / "golden/tiny-sd";
    const auto file = [&](const char* component) { return io::read_json_object(folder / component / "config.json"); };
    const auto c = io::model_configs(file("text_encoder"), file("unet"), file("vae"));
    EXPECT_EQ(c.clip.hidden, 64);
    EXPECT_EQ(c.clip.vocabulary, 514);
    EXPECT_EQ(c.unet.channels, (std::vector<index_t>{32, 64, 64}));
    EXPECT_EQ(c.unet.down_attention, (std::vector<bool>{true, true, false}));
    EXPECT_EQ(c.unet.up_attention, (std::vector<bool>{false, true, true}));
    EXPECT_EQ(c.unet.heads, 1);
    EXPECT_EQ(c.vae.channels, (std::vector<index_t>{32, 32, 32, 64}));
    EXPECT_EQ(c.vae.layers_per_block, 1);
}

TEST(ModelConfig, AbsentAndNullKeysAreDefaults) {
    for (const Json& json : {Json::object(), Json{{"hidden_size", nullptr}, {"layer_norm_eps", nullptr}}}) {
        const auto c = io::clip_config(json);
        EXPECT_EQ(c.hidden, 768);
        EXPECT_EQ(c.activation, "quick_gelu");
    }
    Json json = unet;
    json.erase("layers_per_block");
    json["norm_num_groups"] = nullptr;
    EXPECT_EQ(io::unet_config(json).layers_per_block, 2);
    EXPECT_EQ(io::unet_config(json).groups, 32);
}

template <class F>
std::string error_of(F read, Json json, const char* key, const Json& value) {
    json[key] = value;
    try {
        read(json);
    } catch (const Error& e) {
        return e.what();
    }
    return "no error";
}
std::string clip_error(const char* key, const Json& value) { return error_of(io::clip_config, clip, key, value); }
std::string unet_error(const char* key, const Json& value) { return error_of(io::unet_config, unet, key, value); }
std::string vae_error(const char* key, const Json& value) { return error_of(io::vae_config, vae, key, value); }

TEST(ModelConfig, NumbersAreWholeAndPositive) {
    for (const Json& value : {Json(0), Json(-8), Json(8.0), Json("8"), Json(true), Json::array(), Json(1 << 21),
                              Json(18446744073709551615u)})
        EXPECT_EQ(unet_error("norm_num_groups", value),
                  "inlay: unet: config.json: 'norm_num_groups' is " + value.dump() + ", expected a positive integer");
    EXPECT_EQ(vae_error("scaling_factor", "x"),
              "inlay: vae: config.json: 'scaling_factor' is \"x\", expected a number");
    EXPECT_EQ(vae_error("scaling_factor", 0),
              "inlay: vae: config.json: 'scaling_factor' is 0, expected a number that is not 0");
    EXPECT_EQ(vae_error("scaling_factor", 0.13025), "no error");
    EXPECT_EQ(clip_error("hidden_act", 1), "inlay: text_encoder: config.json: 'hidden_act' is 1, expected a string");
    // SD 2's lists of heads.
    EXPECT_EQ(unet_error("attention_head_dim", {5, 10, 20, 20}),
              "inlay: unet: config.json: 'attention_head_dim' is [5,10,20,20], expected a positive integer");
}
TEST(ModelConfig, ListsHaveSomethingInThem) {
    const std::string expected = ", expected a list of positive integers";
    for (const Json& value : {Json(320), Json::array(), Json{320, 0}, Json{320, 1.5}, Json(std::vector<int>(17, 32))})
        EXPECT_EQ(unet_error("block_out_channels", value),
                  "inlay: unet: config.json: 'block_out_channels' is " + value.dump() + expected);
    EXPECT_EQ(vae_error("block_out_channels", nullptr),
              "inlay: vae: config.json: 'block_out_channels' is missing" + expected);
    EXPECT_EQ(unet_error("down_block_types", {"DownBlock2D"}),
              "inlay: unet: config.json: 'down_block_types' is [\"DownBlock2D\"], expected 4 of "
              "'CrossAttnDownBlock2D' and 'DownBlock2D'");
    EXPECT_NE(unet_error("up_block_types", {"UpBlock2D", "UpBlock2D", "UpBlock2D", "AttnUpBlock2D"})
                  .find("expected 4 of 'CrossAttnUpBlock2D' and 'UpBlock2D'"),
              std::string::npos);
}
TEST(ModelConfig, PartsFitTogether) {
    EXPECT_EQ(clip_error("num_attention_heads", 7),
              "inlay: text_encoder: config.json: 'hidden_size' is 768, expected a multiple of num_attention_heads");
    EXPECT_EQ(unet_error("block_out_channels", {320, 640, 1280, 1284}),
              "inlay: unet: config.json: 'block_out_channels' is [320,640,1280,1284], expected multiples of "
              "attention_head_dim and norm_num_groups");
    EXPECT_EQ(vae_error("norm_num_groups", 48),
              "inlay: vae: config.json: 'block_out_channels' is [128,256,512,512], expected multiples of "
              "norm_num_groups");
    const auto misfit = [](const char* key, int value) {
        return error_of([](const Json& json) { io::model_configs(clip, json, vae); }, unet, key, value);
    };
    EXPECT_EQ(misfit("cross_attention_dim", 1024),
              "inlay: unet: config.json: 'cross_attention_dim' is 1024, expected the text encoder's hidden_size, 768");
    EXPECT_EQ(misfit("in_channels", 9),  // an inpainting model
              "inlay: unet: config.json: in_channels and out_channels are 9 and 4, expected the VAE's "
              "latent_channels, 4");
}
TEST(ModelConfig, WhatThisLibraryDoesNotDoIsNamed) {
    EXPECT_EQ(clip_error("layer_norm_eps", 1e-6),
              "inlay: text_encoder: config.json: 'layer_norm_eps' is 1e-06, expected 1e-05");
    EXPECT_EQ(unet_error("use_linear_projection", true),
              "inlay: unet: config.json: 'use_linear_projection' is true, expected false");
    EXPECT_EQ(unet_error("class_embed_type", "timestep"),
              "inlay: unet: config.json: 'class_embed_type' is \"timestep\", expected null");
    EXPECT_EQ(unet_error("mid_block_type", "UNetMidBlock2D"),
              "inlay: unet: config.json: 'mid_block_type' is \"UNetMidBlock2D\", expected "
              "\"UNetMidBlock2DCrossAttn\" or null");
    EXPECT_EQ(unet_error("transformer_layers_per_block", {1, 2, 10}),
              "inlay: unet: config.json: 'transformer_layers_per_block' is [1,2,10], expected 1");
    EXPECT_EQ(vae_error("use_post_quant_conv", false),
              "inlay: vae: config.json: 'use_post_quant_conv' is false, expected true");
    EXPECT_EQ(vae_error("shift_factor", 0.1159), "inlay: vae: config.json: 'shift_factor' is 0.1159, expected null");
    EXPECT_EQ(vae_error("out_channels", 4), "inlay: vae: config.json: 'out_channels' is 4, expected 3");
}

const Json& golden() {
    static const auto tests = std::filesystem::path(inlay_test::tests_folder());
    static const Json json = io::read_json_object(tests / "golden/configs.json");
    return json;
}

TEST(ModelConfig, ReadsThePublishedFiles) {
    for (const char* name : {"sd1.4", "sd1.5"}) {
        const Json& model = golden()["models"][name];
        const auto c = io::model_configs(model["text_encoder"], model["unet"], model["vae"]);
        EXPECT_EQ(c.clip.hidden, 768) << name;
        EXPECT_EQ(c.unet.heads, 8) << name;
        EXPECT_EQ(c.vae.layers_per_block, 2) << name;
    }
    for (const char* name : {"sd2-base", "sd2.1"}) {
        const Json& model = golden()["models"][name];
        EXPECT_EQ(io::clip_config(model["text_encoder"]).layers, 23) << name;
        EXPECT_EQ(io::vae_config(model["vae"]).layers_per_block, 2) << name;
        EXPECT_THROW(io::unet_config(model["unet"]), Error) << name;
    }
}

/// A published config, saved again by today's diffusers, which writes every key of the class.
Json saved_again(const char* type, const char* component, const char* model = "sd1.5") {
    Json config = golden()["classes"][type];
    config.update(golden()["models"][model][component]);
    return config;
}

TEST(ModelConfig, EveryKeyOfTodaysLibrariesIsKnown) {
    EXPECT_EQ(io::unet_config(saved_again("UNet2DConditionModel", "unet")).context, 768);
    EXPECT_EQ(io::vae_config(saved_again("AutoencoderKL", "vae")).channels.back(), 512);
    EXPECT_EQ(io::clip_config(saved_again("CLIPTextModel", "text_encoder")).heads, 12);
}

/// Any other value of a key is refused by name and value, or changes nothing that is read.
TEST(ModelConfig, NoOtherValueOfAKeyIsPassedOver) {
    const std::set<std::string> honoured = {
        "act_fn", "attention_head_dim", "block_out_channels", "cross_attention_dim", "down_block_types", "in_channels",
        "layers_per_block", "norm_num_groups", "out_channels", "up_block_types", "latent_channels", "scaling_factor",
        "vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size",
        "max_position_embeddings", "hidden_act"};
    // Of training, of how the result is handed back, and of embeddings that other keys switch on.
    const std::set<std::string> without_effect = {
        "sample_size", "dropout", "upcast_attention", "addition_time_embed_dim", "addition_embed_type_num_heads",
        "projection_class_embeddings_input_dim", "force_upcast", "_diffusers_version", "_name_or_path",
        "attention_dropout", "bos_token_id", "eos_token_id", "pad_token_id", "projection_dim", "initializer_factor",
        "initializer_range", "dtype", "torch_dtype", "transformers_version", "return_dict", "output_hidden_states",
        "output_attentions", "chunk_size_feed_forward", "is_encoder_decoder", "id2label", "label2id", "problem_type"};
    const auto check = [&](const Json& config, const auto& read, const std::string& component) {
        for (const auto& [key, value] : config.items())
            for (const Json& other : {Json(256), Json("other"), Json(true), Json(false), Json(0.25), Json{7, 8}}) {
                if (other == value || honoured.contains(key)) continue;
                Json changed = config;
                changed[key] = other;
                std::string error = "no error";
                try {
                    read(changed);
                } catch (const Error& e) {
                    error = e.what();
                }
                if (without_effect.contains(key)) EXPECT_EQ(error, "no error") << key;
                else EXPECT_TRUE(error.starts_with("inlay: " + component + ": config.json: '" + key + "' is " +
                                                   other.dump() + ", expected ") ||
                                 (key == "mid_block_only_cross_attention" && other == false))
                    << key << " " << other << ": " << error;
            }
    };
    check(saved_again("UNet2DConditionModel", "unet"), io::unet_config, "unet");
    check(saved_again("AutoencoderKL", "vae"), io::vae_config, "vae");
    check(saved_again("CLIPTextModel", "text_encoder"), io::clip_config, "text_encoder");
}

TEST(ModelConfig, KeysThatChangeTheResultAreNamed) {
    EXPECT_EQ(unet_error("time_cond_proj_dim", 256),
              "inlay: unet: config.json: 'time_cond_proj_dim' is 256, expected null");
    EXPECT_EQ(unet_error("_class_name", "UNet2DModel"),
              "inlay: unet: config.json: '_class_name' is \"UNet2DModel\", expected \"UNet2DConditionModel\"");
    EXPECT_EQ(vae_error("_class_name", "AutoencoderTiny"),
              "inlay: vae: config.json: '_class_name' is \"AutoencoderTiny\", expected \"AutoencoderKL\"");
    EXPECT_EQ(clip_error("model_type", "t5"),
              "inlay: text_encoder: config.json: 'model_type' is \"t5\", expected \"clip_text_model\"");
    EXPECT_EQ(clip_error("pruned_heads", {{"0", {1}}}),
              "inlay: text_encoder: config.json: 'pruned_heads' is {\"0\":[1]}, expected {}");
    EXPECT_EQ(unet_error("time_embedding_dim", 1280), "no error");
    EXPECT_EQ(unet_error("time_embedding_dim", 512),
              "inlay: unet: config.json: 'time_embedding_dim' is 512, expected 1280");
    EXPECT_EQ(unet_error("brand_new", true),
              "inlay: unet: config.json: the key 'brand_new' (true) is unknown, and so is its effect, expected no such "
              "key: delete it if it changes nothing");
    EXPECT_EQ(unet_error("brand_new", nullptr), "no error");
    EXPECT_EQ(unet_error("_brand_new", true), "no error");
    EXPECT_EQ(vae_error("decay", 0.9999), "no error") << "an average of weights leaves its numbers in the config";
}

/// diffusers takes a list with a value for each level as well as one value for all.
TEST(ModelConfig, ListsOfOneValueAreThatValue) {
    Json json = unet;
    json["attention_head_dim"] = {8, 8, 8, 8};
    json["layers_per_block"] = {2, 2, 2, 2};
    json["cross_attention_dim"] = {768, 768, 768, 768};
    json["only_cross_attention"] = {false, false, false, false};
    json["transformer_layers_per_block"] = {1, 1, 1, 1};
    const auto c = io::unet_config(json);
    EXPECT_EQ(c.heads, 8);
    EXPECT_EQ(c.layers_per_block, 2);
    EXPECT_EQ(c.context, 768);
    EXPECT_EQ(unet_error("attention_head_dim", {8, 8, 8}),
              "inlay: unet: config.json: 'attention_head_dim' is [8,8,8], expected a positive integer");
    EXPECT_EQ(unet_error("only_cross_attention", {true, true, true, true}),
              "inlay: unet: config.json: 'only_cross_attention' is [true,true,true,true], expected false");
}

TEST(ModelConfig, NullIsNoMiddleBlock) {
    Json json = unet;
    EXPECT_TRUE(io::unet_config(json).mid);
    json["mid_block_type"] = "UNetMidBlock2DCrossAttn";
    EXPECT_TRUE(io::unet_config(json).mid);
    json["mid_block_type"] = nullptr;
    EXPECT_FALSE(io::unet_config(json).mid);
}

}  // namespace
