// SPDX-License-Identifier: Apache-2.0
/// The shapes of a model's networks from diffusers' config.json files. What this library does not do is one error that
/// names the key, the value and what was expected.
#pragma once

#include <inlay/io/json_file.hpp>
#include <inlay/model/networks.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// The values of one config; `component` opens every error.
class ConfigReader {
public:
    ConfigReader(const Json& json, std::string component) : json_(&json), component_(std::move(component)) {}

    index_t integer(const char* key, index_t otherwise) const {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!v->is_number_integer() || v->get<index_t>() < 1 || v->get<index_t>() > 1 << 20)
            expected(key, "a positive integer");
        return v->get<index_t>();
    }
    double number(const char* key, double otherwise) const {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!v->is_number()) expected(key, "a number");
        return v->get<double>();
    }
    std::string text(const char* key, const char* otherwise) const {
        const Json* v = find(key);
        if (!v) return otherwise;
        if (!v->is_string()) expected(key, "a string");
        return v->get<std::string>();
    }
    std::vector<index_t> integers(const char* key) const {
        std::vector<index_t> out;
        const Json* v = find(key);
        if (!v || !v->is_array() || v->empty() || v->size() > 16) expected(key, "a list of positive integers");
        for (const Json& x : *v) {
            if (!x.is_number_integer() || x.get<index_t>() < 1 || x.get<index_t>() > 1 << 20)
                expected(key, "a list of positive integers");
            out.push_back(x.get<index_t>());
        }
        return out;
    }
    /// For each of `count` block types: whether it is `with` or `without` attention.
    std::vector<bool> attention(const char* key, std::size_t count, const char* with, const char* without) const {
        const std::string wanted = std::to_string(count) + " of '" + with + "' and '" + without + "'";
        const Json* v = find(key);
        if (!v || !v->is_array() || v->size() != count) expected(key, wanted);
        std::vector<bool> out;
        for (const Json& x : *v) {
            if (x != with && x != without) expected(key, wanted);
            out.push_back(x == with);
        }
        return out;
    }
    /// The key is absent, null, or has the one value this library does.
    void only(const char* key, const Json& value) const {
        const Json* v = find(key);
        if (v && *v != value) expected(key, value.dump());
    }

    [[noreturn]] void expected(const std::string& key, const std::string& what) const {
        const Json* v = find(key.c_str());
        fail(component_ + ": config.json: '" + key + "' is " + (v ? v->dump() : "missing") + ", expected " + what);
    }

private:
    const Json* find(const char* key) const {
        const auto it = json_->find(key);
        return it == json_->end() || it->is_null() ? nullptr : &*it;
    }
    const Json* json_;
    std::string component_;
};

}  // namespace detail

inline model::ClipConfig clip_config(const Json& json) {
    const detail::ConfigReader r(json, "text_encoder");
    model::ClipConfig c;
    c.vocabulary = r.integer("vocab_size", c.vocabulary);
    c.hidden = r.integer("hidden_size", c.hidden);
    c.heads = r.integer("num_attention_heads", c.heads);
    c.layers = r.integer("num_hidden_layers", c.layers);
    c.intermediate = r.integer("intermediate_size", c.intermediate);
    c.positions = r.integer("max_position_embeddings", c.positions);
    c.activation = r.text("hidden_act", "quick_gelu");
    r.only("layer_norm_eps", 1e-5);
    if (c.hidden % c.heads != 0) r.expected("hidden_size", "a multiple of num_attention_heads");
    return c;
}

inline model::UNetConfig unet_config(const Json& json) {
    const detail::ConfigReader r(json, "unet");
    model::UNetConfig c;
    c.in_channels = r.integer("in_channels", 4);
    c.out_channels = r.integer("out_channels", 4);
    c.layers_per_block = r.integer("layers_per_block", 2);
    c.context = r.integer("cross_attention_dim", 1280);
    c.groups = r.integer("norm_num_groups", 32);
    c.heads = r.integer("attention_head_dim", 8);  // diffusers' old slip: the number of heads
    c.channels = r.integers("block_out_channels");
    c.down_attention = r.attention("down_block_types", c.channels.size(), "CrossAttnDownBlock2D", "DownBlock2D");
    c.up_attention = r.attention("up_block_types", c.channels.size(), "CrossAttnUpBlock2D", "UpBlock2D");
    r.only("act_fn", "silu");
    r.only("norm_eps", 1e-5);
    r.only("use_linear_projection", false);
    r.only("center_input_sample", false);
    r.only("flip_sin_to_cos", true);
    r.only("freq_shift", 0);
    r.only("downsample_padding", 1);
    r.only("class_embed_type", nullptr);
    r.only("addition_embed_type", nullptr);
    r.only("num_attention_heads", nullptr);
    r.only("only_cross_attention", false);
    r.only("transformer_layers_per_block", 1);
    r.only("resnet_time_scale_shift", "default");
    r.only("mid_block_scale_factor", 1);
    for (const index_t n : c.channels)
        if (n % c.heads != 0 || n % c.groups != 0)
            r.expected("block_out_channels", "multiples of attention_head_dim and norm_num_groups");
    return c;
}

inline model::VaeConfig vae_config(const Json& json) {
    const detail::ConfigReader r(json, "vae");
    model::VaeConfig c;
    c.in_channels = r.integer("in_channels", 3);
    c.out_channels = r.integer("out_channels", 3);
    c.latent_channels = r.integer("latent_channels", 4);
    c.layers_per_block = r.integer("layers_per_block", 1);
    c.groups = r.integer("norm_num_groups", 32);
    c.channels = r.integers("block_out_channels");
    c.scaling_factor = r.number("scaling_factor", 0.18215);
    r.only("act_fn", "silu");
    r.only("shift_factor", nullptr);
    r.only("mid_block_add_attention", true);
    r.only("use_post_quant_conv", true);
    if (c.scaling_factor == 0) r.expected("scaling_factor", "a number that is not 0");
    if (c.out_channels != 3) r.expected("out_channels", "3");
    for (const index_t n : c.channels)
        if (n % c.groups != 0) r.expected("block_out_channels", "multiples of norm_num_groups");
    return c;
}

/// The three of a checkpoint, which must fit each other.
inline model::Configs model_configs(const Json& text_encoder, const Json& unet, const Json& vae) {
    const model::Configs c{clip_config(text_encoder), unet_config(unet), vae_config(vae)};
    require(c.clip.hidden == c.unet.context, "unet: config.json: 'cross_attention_dim' is ", c.unet.context,
            ", expected the text encoder's hidden_size, ", c.clip.hidden);
    require(c.vae.latent_channels == c.unet.in_channels && c.unet.in_channels == c.unet.out_channels,
            "unet: config.json: in_channels and out_channels are ", c.unet.in_channels, " and ", c.unet.out_channels,
            ", expected the VAE's latent_channels, ", c.vae.latent_channels);
    return c;
}

}  // namespace inlay::inline INLAY_ABI::io
