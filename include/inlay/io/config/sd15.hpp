// SPDX-License-Identifier: Apache-2.0
/// The configs of Stable Diffusion 1.5 in diffusers' words, for single files, which carry none. Channels, levels,
/// layers and widths are read off the tensors, so that a smaller or wider relative of SD1.5 also opens.
#pragma once

#include <inlay/io/json_file.hpp>
#include <inlay/io/weights/load.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

/// CLIP ViT-L/14's text model.
inline Json sd15_text_encoder_config() {
    return Json::parse(R"({
        "vocab_size": 49408, "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
        "num_attention_heads": 12, "max_position_embeddings": 77, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-05,
        "bos_token_id": 49406, "eos_token_id": 49407, "projection_dim": 768, "model_type": "clip_text_model"})");
}

/// `attention_head_dim` is, by an old slip that diffusers keeps, the number of heads.
inline Json sd15_unet_config() {
    return Json::parse(R"({
        "_class_name": "UNet2DConditionModel", "sample_size": 64, "in_channels": 4, "out_channels": 4,
        "block_out_channels": [320, 640, 1280, 1280], "layers_per_block": 2, "attention_head_dim": 8,
        "cross_attention_dim": 768, "norm_num_groups": 32, "norm_eps": 1e-05, "act_fn": "silu",
        "down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
        "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"],
        "center_input_sample": false, "flip_sin_to_cos": true, "freq_shift": 0, "downsample_padding": 1,
        "mid_block_scale_factor": 1})");
}

inline Json sd15_vae_config() {
    return Json::parse(R"({
        "_class_name": "AutoencoderKL", "sample_size": 512, "in_channels": 3, "out_channels": 3, "latent_channels": 4,
        "block_out_channels": [128, 256, 512, 512], "layers_per_block": 2, "norm_num_groups": 32, "act_fn": "silu",
        "down_block_types": ["DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D", "DownEncoderBlock2D"],
        "up_block_types": ["UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D"],
        "scaling_factor": 0.18215})");
}

/// The file published with SD1.5, key for key: what it leaves out each scheduler fills with its own default.
inline Json sd15_scheduler_config() {
    return Json::parse(R"({
        "_class_name": "PNDMScheduler", "_diffusers_version": "0.6.0", "beta_end": 0.012,
        "beta_schedule": "scaled_linear", "beta_start": 0.00085, "clip_sample": false, "num_train_timesteps": 1000,
        "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1, "trained_betas": null})");
}

namespace detail {

/// Extent `axis` of a tensor that any SD1.x file has; throws when it is missing or has fewer axes.
inline index_t extent(const Weights& weights, const std::string& name, std::size_t axis) {
    const WeightView view = weights.get(name);
    require(axis < view.shape.size(), "tensor ", quote(name), " has shape ", text(view.shape), ", expected at least ",
            axis + 1, " axes");
    return view.shape[axis];
}
/// Number of tensors `front0back`, `front1back`, … up to the first that is missing.
inline int count_numbered(const Weights& weights, const std::string& front, const std::string& back) {
    int n = 0;
    while (weights.contains(front + std::to_string(n) + back)) ++n;
    return n;
}
/// Output channels of the levels below `blocks`, in their order there.
inline std::vector<index_t> channels_of(const Weights& weights, const std::string& blocks) {
    std::vector<index_t> channels;
    const int levels = count_numbered(weights, blocks, ".resnets.0.conv1.weight");
    for (int i = 0; i < levels; ++i)
        channels.push_back(extent(weights, blocks + std::to_string(i) + ".resnets.0.conv1.weight", 0));
    return channels;
}
/// The width of the text: that of any cross-attention's keys, since not every model has a middle block.
inline index_t context_of(const Weights& weights) {
    for (const std::string& name : weights.names())
        if (name.ends_with(".attn2.to_k.weight")) return extent(weights, name, 1);
    fail("unet: no tensor '*.attn2.to_k.weight', expected cross-attention as in Stable Diffusion 1.x");
}

}  // namespace detail

/// SD1.5's text encoder config with the sizes of these weights. A head is 64 wide, as in every CLIP.
inline Json text_encoder_config_of(const Weights& weights) {
    Json config = sd15_text_encoder_config();
    const index_t hidden = detail::extent(weights, "text_model.embeddings.token_embedding.weight", 1);
    const index_t vocabulary = detail::extent(weights, "text_model.embeddings.token_embedding.weight", 0);
    config["vocab_size"] = vocabulary;
    config["bos_token_id"] = vocabulary - 2;
    config["eos_token_id"] = vocabulary - 1;
    config["hidden_size"] = config["projection_dim"] = hidden;
    config["num_attention_heads"] = hidden / 64;
    config["intermediate_size"] = detail::extent(weights, "text_model.encoder.layers.0.mlp.fc1.weight", 0);
    config["max_position_embeddings"] = detail::extent(weights, "text_model.embeddings.position_embedding.weight", 0);
    config["num_hidden_layers"] = detail::count_numbered(weights, "text_model.encoder.layers.", ".mlp.fc1.weight");
    return config;
}

/// SD1.5's UNet config with the sizes of these weights.
inline Json unet_config_of(const Weights& weights) {
    Json config = sd15_unet_config();
    config["in_channels"] = detail::extent(weights, "conv_in.weight", 1);
    config["out_channels"] = detail::extent(weights, "conv_out.weight", 0);
    config["block_out_channels"] = detail::channels_of(weights, "down_blocks.");
    config["layers_per_block"] = detail::count_numbered(weights, "down_blocks.0.resnets.", ".conv1.weight");
    config["cross_attention_dim"] = detail::context_of(weights);
    if (!weights.contains("mid_block.resnets.0.conv1.weight")) config["mid_block_type"] = nullptr;
    const std::string cross = ".attentions.0.transformer_blocks.0.attn2.to_k.weight";
    Json down = Json::array(), up = Json::array();
    for (std::size_t i = 0; i < config["block_out_channels"].size(); ++i) {
        const std::string level = "_blocks." + std::to_string(i) + cross;
        down.push_back(weights.contains("down" + level) ? "CrossAttnDownBlock2D" : "DownBlock2D");
        up.push_back(weights.contains("up" + level) ? "CrossAttnUpBlock2D" : "UpBlock2D");
    }
    config["down_block_types"] = down;
    config["up_block_types"] = up;
    return config;
}

/// SD1.5's VAE config with the sizes of these weights. The decoder shows all but the pictures' channels, so a file
/// without the encoder, which text to image never reads, opens as well.
inline Json vae_config_of(const Weights& weights) {
    Json config = sd15_vae_config();
    if (weights.contains("encoder.conv_in.weight"))
        config["in_channels"] = detail::extent(weights, "encoder.conv_in.weight", 1);
    config["out_channels"] = detail::extent(weights, "decoder.conv_out.weight", 0);
    config["latent_channels"] = detail::extent(weights, "decoder.conv_in.weight", 1);
    std::vector<index_t> channels = detail::channels_of(weights, "decoder.up_blocks.");
    const std::size_t levels = channels.size();
    config["block_out_channels"] = std::vector<index_t>(channels.rbegin(), channels.rend());
    config["layers_per_block"] = detail::count_numbered(weights, "decoder.up_blocks.0.resnets.", ".conv1.weight") - 1;
    config["down_block_types"] = std::vector<std::string>(levels, "DownEncoderBlock2D");
    config["up_block_types"] = std::vector<std::string>(levels, "UpDecoderBlock2D");
    return config;
}

}  // namespace inlay::inline INLAY_ABI::io
