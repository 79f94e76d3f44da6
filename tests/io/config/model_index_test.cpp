// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/model_index.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay::io;

Json published() {
    return read_json_object(test::golden() / "configs.json")["models"]["sd1.5"]["model_index"];
}

std::string error_with(const char* key, const Json& value) {
    Json json = published();
    json[key] = value;
    const std::string error = test::error_of([&] { check_model_index(json, "m"); });
    const std::string front = "inlay: 'm/model_index.json': ";
    return error.starts_with(front) ? error.substr(front.size()) : error;
}

TEST(ModelIndex, OfStableDiffusionIsAccepted) {
    EXPECT_EQ(test::error_of([&] { check_model_index(published(), "m"); }), "no error");
    const Json tiny = read_json_object(test::golden() / "tiny-sd" / "model_index.json");
    EXPECT_EQ(test::error_of([&] { check_model_index(tiny, "m"); }), "no error");
    EXPECT_EQ(error_with("safety_checker", {nullptr, nullptr}), "no error");
    EXPECT_EQ(error_with("requires_safety_checker", false), "no error");
    EXPECT_EQ(error_with("controlnet", {nullptr, nullptr}), "no error");
    EXPECT_EQ(error_with("_class_name", "StableDiffusionImg2ImgPipeline"), "no error");
    EXPECT_EQ(error_with("scheduler", {"diffusers", "DDIMScheduler"}), "no error");
}

TEST(ModelIndex, OtherPipelinesAndComponentsAreNamed) {
    EXPECT_EQ(error_with("_class_name", "LatentConsistencyModelPipeline"),
              "'_class_name' is \"LatentConsistencyModelPipeline\", expected \"StableDiffusionPipeline\", "
              "\"StableDiffusionImg2ImgPipeline\", \"StableDiffusionInpaintPipeline\" or "
              "\"StableDiffusionInpaintPipelineLegacy\"");
    EXPECT_EQ(error_with("unet", {"diffusers", "OnnxRuntimeModel"}),
              "'unet' is [\"diffusers\",\"OnnxRuntimeModel\"], expected [\"diffusers\",\"UNet2DConditionModel\"]");
    EXPECT_EQ(error_with("vae", {"diffusers", "AutoencoderTiny"}),
              "'vae' is [\"diffusers\",\"AutoencoderTiny\"], expected [\"diffusers\",\"AutoencoderKL\"]");
    EXPECT_EQ(
        error_with("controlnet", {"diffusers", "ControlNetModel"}),
        "the key 'controlnet' ([\"diffusers\",\"ControlNetModel\"]) is unknown, and so is its effect, expected no "
        "such key: delete it if it changes nothing");
    EXPECT_EQ(error_with("text_encoder_2", {"transformers", "CLIPTextModel"}),
              "inlay: model folder 'm' has a second text encoder (SDXL), expected Stable Diffusion 1.x");
}

}  // namespace
