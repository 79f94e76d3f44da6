// SPDX-License-Identifier: Apache-2.0
#include "make_model.hpp"

#include "../program/stand_in.hpp"

#include <inlay/exec/host.hpp>
#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/config/model.hpp>
#include <inlay/io/tokenizer/files.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace inlay;
using stand_in::ends_with_any, stand_in::write_json;

/// Receives the names that a network reads.
struct Listing {
    mutable std::vector<std::pair<std::string, std::vector<index_t>>> tensors;
    void list(const std::string& name, std::vector<index_t> shape) const {
        // 1×1 convolutions, which the networks read as matrices.
        for (const char* filter : {"conv_shortcut.weight", "proj_in.weight", "proj_out.weight", "quant_conv.weight"})
            if (name.ends_with(filter)) shape.insert(shape.end(), {1, 1});
        // A layer with two plans reads its weights for each.
        const bool listed = std::ranges::any_of(tensors, [&](const auto& t) { return t.first == name; });
        if (!listed) tensors.emplace_back(name, std::move(shape));
    }
};

/// The standard deviation of a weight, and its mean. SiLU of a standard normal has mean square 0.356, so what follows
/// one has gain 1.68; branches that join a residual stream have less than 1, so that depth does not blow it up.
std::pair<float, float> spread(const std::string& name, const std::vector<index_t>& shape) {
    const bool norm = name.find("norm") != name.npos;
    if (shape.size() == 1) return norm && name.ends_with("weight") ? std::pair(0.1f, 1.0f) : std::pair(0.05f, 0.0f);
    if (name.find("token_embedding") != name.npos) return {0.5f, 0};
    if (name.find("position_embedding") != name.npos) return {0.25f, 0};
    double fan_in = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= static_cast<double>(shape[i]);
    double gain = 1;
    if (ends_with_any(name, {"conv1.weight", "conv_out.weight", "linear_2.weight"})) gain = 1.68;
    if (ends_with_any(name, {"conv2.weight"})) gain = 0.8;
    if (ends_with_any(name, {"time_emb_proj.weight"})) gain = 0.5;
    if (ends_with_any(name, {"linear_1.weight"})) gain = 1.41;
    if (ends_with_any(name, {"to_out.0.weight", "out_proj.weight", "ff.net.2.weight", "fc2.weight", "proj_out.weight"}))
        gain = 0.6;
    if (name == "decoder.conv_out.weight") gain = 0.8;
    return {static_cast<float>(gain / std::sqrt(fan_in)), 0};
}

template <Storage T>
void write_all(const std::filesystem::path& folder, const model::Configs& configs, std::uint64_t seed) {
    Host host(1);
    Arena arena;
    Listing clip, unet, vae;
    using Loader = nn::Loader<T, Listing, Host>;
    model::ClipText<T>(Loader(&clip, host, arena, "text_model."), configs.clip);
    model::UNet<T>(Loader(&unet, host, arena, ""), configs.unet);
    model::VaeDecoder<T>(Loader(&vae, host, arena, ""), configs.vae);
    model::VaeEncoder<T>(Loader(&vae, host, arena, ""), configs.vae);
    const auto write = [&](const char* network, const char* file, const Listing& listing, std::uint64_t from) {
        stand_in::write_weights<T>(folder / network / file, listing.tensors, from, spread);
    };
    write("text_encoder", "model.safetensors", clip, seed);
    write("unet", "diffusion_pytorch_model.safetensors", unet, seed + 1);
    write("vae", "diffusion_pytorch_model.safetensors", vae, seed + 2);
}

}  // namespace

void make_model(const std::string& kind, const std::filesystem::path& given, std::uint64_t seed,
                const std::string& dtype) {
    require(kind == "tiny" || kind == "sd15", "--make-model ", kind, ": expected tiny or sd15");
    const std::filesystem::path folder = stand_in::new_folder(given);
    io::Json text = io::sd15_text_encoder_config(), unet = io::sd15_unet_config(), vae = io::sd15_vae_config();
    text["architectures"] = {"CLIPTextModel"};
    text["vocab_size"] = 514;  // the byte vocabulary
    text["bos_token_id"] = 512;
    text["eos_token_id"] = 513;
    if (kind == "tiny") {
        text.update(
            {{"hidden_size", 64}, {"num_attention_heads", 1}, {"num_hidden_layers", 2}, {"intermediate_size", 128}});
        unet.update({{"block_out_channels", {32, 64, 64}}, {"layers_per_block", 1}, {"attention_head_dim", 1},
                     {"cross_attention_dim", 64}, {"sample_size", 32},
                     {"down_block_types", {"CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"}},
                     {"up_block_types", {"UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"}}});
        vae.update({{"block_out_channels", {32, 32, 32, 64}}, {"layers_per_block", 1}, {"sample_size", 256}});
    }
    const model::Configs configs = io::model_configs(text, unet, vae);

    stand_in::write_folder(folder, [&](const std::filesystem::path& part) {
        for (const char* sub : {"text_encoder", "unet", "vae", "scheduler", "tokenizer"})
            std::filesystem::create_directories(part / sub);
        write_json(part / "model_index.json",
                   {{"_class_name", "StableDiffusionPipeline"}, {"text_encoder", {"transformers", "CLIPTextModel"}},
                    {"tokenizer", {"transformers", "CLIPTokenizer"}}, {"unet", {"diffusers", "UNet2DConditionModel"}},
                    {"vae", {"diffusers", "AutoencoderKL"}}, {"scheduler", {"diffusers", "PNDMScheduler"}},
                    {"safety_checker", {nullptr, nullptr}}, {"feature_extractor", {nullptr, nullptr}},
                    {"requires_safety_checker", false}});
        write_json(part / "text_encoder" / "config.json", text);
        write_json(part / "unet" / "config.json", unet);
        write_json(part / "vae" / "config.json", vae);
        write_json(part / "scheduler" / "scheduler_config.json", io::sd15_scheduler_config());
        io::write_byte_vocabulary(part / "tokenizer");
        if (dtype == "fp32") write_all<float>(part, configs, seed);
        else if (dtype == "fp16") write_all<fp16>(part, configs, seed);
        else write_all<bf16>(part, configs, seed);
    });
}
