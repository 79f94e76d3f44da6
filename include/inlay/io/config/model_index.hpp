// SPDX-License-Identifier: Apache-2.0
/// model_index.json of a model folder: the pipeline, and the class of each of its components.
#pragma once

#include <inlay/io/config/keys.hpp>

#include <string>
#include <utility>

namespace inlay::inline INLAY_ABI::io {

/// Throws unless the folder is a Stable Diffusion 1.x whose components this library has.
inline void check_model_index(const Json& json, const std::filesystem::path& folder) {
    require(!json.contains("text_encoder_2"), "model folder ", quote(folder),
            " has a second text encoder (SDXL), expected Stable Diffusion 1.x");
    ConfigKeys keys(json, quote(folder / "model_index.json"));
    // The same networks, whatever a pipeline does with them.
    keys.one_of("_class_name", {"StableDiffusionPipeline", "StableDiffusionImg2ImgPipeline",
                                "StableDiffusionInpaintPipeline", "StableDiffusionInpaintPipelineLegacy"});
    const auto pair = [](const Json& library, const Json& name) { return Json::array({library, name}); };
    keys.one_of("text_encoder",
                {pair("transformers", "CLIPTextModel"), pair("transformers", "CLIPTextModelWithProjection")});
    keys.one_of("tokenizer", {pair("transformers", "CLIPTokenizer"), pair("transformers", "CLIPTokenizerFast")});
    keys.only("unet", pair("diffusers", "UNet2DConditionModel"));
    keys.only("vae", pair("diffusers", "AutoencoderKL"));
    // The scheduler has a file of its own. A picture is not checked, and none is part of the prompt.
    keys.without_effect(
        {"feature_extractor", "image_encoder", "requires_safety_checker", "safety_checker", "scheduler"});
    const Json none = pair(nullptr, nullptr);
    for (const auto& [key, value] : json.items())
        if (value == none) keys.without_effect({key.c_str()});
    keys.done();
}

}  // namespace inlay::inline INLAY_ABI::io
