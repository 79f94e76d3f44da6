// SPDX-License-Identifier: Apache-2.0
/// The shapes of a model's networks from diffusers' config.json files. Every key of diffusers 0.42 and
/// transformers 5.24 is honoured, accepted at the one value this library does, or listed as one without effect;
/// docs/model.md has the rules for the others.
#pragma once

#include <inlay/io/config/keys.hpp>
#include <inlay/model/networks.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// Keys that an exponential moving average of the weights leaves in a config beside them.
inline void ignore_averaging(ConfigKeys& keys) {
    keys.without_effect(
        {"decay", "inv_gamma", "min_decay", "optimization_step", "power", "update_after_step", "use_ema_warmup"});
}

/// transformers' keys of any model: of training, generation, classification, and of how a result is handed back.
inline void ignore_pretrained(ConfigKeys& keys) {
    keys.without_effect({"add_cross_attention", "attn_implementation", "bad_words_ids", "begin_suppress_tokens",
                         "chunk_size_feed_forward", "cross_attention_hidden_size", "decoder_start_token_id",
                         "diversity_penalty", "do_sample", "dtype", "early_stopping", "encoder_no_repeat_ngram_size",
                         "exponential_decay_length_penalty", "finetuning_task", "forced_bos_token_id",
                         "forced_eos_token_id", "gradient_checkpointing", "id2label", "is_decoder",
                         "is_encoder_decoder", "label2id", "length_penalty", "max_length", "min_length",
                         "no_repeat_ngram_size", "num_beam_groups", "num_beams", "num_labels",
                         "num_return_sequences", "output_attentions", "output_hidden_states", "output_scores",
                         "prefix", "problem_type", "remove_invalid_values", "repetition_penalty", "return_dict",
                         "return_dict_in_generate", "sep_token_id", "suppress_tokens", "task_specific_params",
                         "temperature", "tf_legacy_loss", "tie_encoder_decoder", "tie_word_embeddings",
                         "tokenizer_class", "top_k", "top_p", "torch_dtype", "torchscript", "transformers_version",
                         "typical_p", "use_bfloat16", "use_cache", "use_return_dict"});
    keys.only("pruned_heads", Json::object());
}

}  // namespace detail

inline model::ClipConfig clip_config(const Json& json) {
    ConfigKeys keys(json, "text_encoder: config.json");
    model::ClipConfig c;
    c.vocabulary = keys.integer("vocab_size", c.vocabulary);
    c.hidden = keys.integer("hidden_size", c.hidden);
    c.heads = keys.integer("num_attention_heads", c.heads);
    c.layers = keys.integer("num_hidden_layers", c.layers);
    c.intermediate = keys.integer("intermediate_size", c.intermediate);
    c.positions = keys.integer("max_position_embeddings", c.positions);
    c.activation = keys.text("hidden_act", "quick_gelu");
    keys.only("layer_norm_eps", 1e-5);
    keys.only("model_type", "clip_text_model");
    keys.one_of("architectures", {Json::array({"CLIPTextModel"}), Json::array({"CLIPTextModelWithProjection"})});
    // The pooled result and its projection are not used, dropout and initial values belong to training.
    keys.without_effect({"attention_dropout", "bos_token_id", "dropout", "eos_token_id", "initializer_factor",
                         "initializer_range", "pad_token_id", "projection_dim"});
    detail::ignore_pretrained(keys);
    keys.done();
    if (c.hidden % c.heads != 0) keys.expected("hidden_size", "a multiple of num_attention_heads");
    return c;
}

inline model::UNetConfig unet_config(const Json& json) {
    ConfigKeys keys(json, "unet: config.json");
    keys.only("_class_name", "UNet2DConditionModel");
    model::UNetConfig c;
    c.in_channels = keys.integer("in_channels", 4);
    c.out_channels = keys.integer("out_channels", 4);
    c.channels = keys.integers("block_out_channels");
    for (const char* key : {"layers_per_block", "cross_attention_dim", "attention_head_dim", "only_cross_attention",
                            "transformer_layers_per_block"})
        keys.unfold(key, c.channels.size());
    c.layers_per_block = keys.integer("layers_per_block", 2);
    c.context = keys.integer("cross_attention_dim", 1280);
    c.groups = keys.integer("norm_num_groups", 32);
    c.heads = keys.integer("attention_head_dim", 8);  // diffusers' old slip: the number of heads
    c.down_attention = keys.attention("down_block_types", c.channels.size(), "CrossAttnDownBlock2D", "DownBlock2D");
    c.up_attention = keys.attention("up_block_types", c.channels.size(), "CrossAttnUpBlock2D", "UpBlock2D");
    c.mid = keys.unless_null("mid_block_type", "UNetMidBlock2DCrossAttn");
    keys.one_of("act_fn", {"silu", "swish"});
    keys.only("norm_eps", 1e-5);
    for (const char* key :
         {"center_input_sample", "class_embeddings_concat", "dual_cross_attention", "mid_block_only_cross_attention",
          "only_cross_attention", "resnet_skip_time_act", "use_linear_projection"})
        keys.only(key, false);
    for (const char* key :
         {"addition_embed_type", "class_embed_type", "cross_attention_norm", "encoder_hid_dim", "encoder_hid_dim_type",
          "num_attention_heads", "num_class_embeds", "reverse_transformer_layers_per_block", "time_cond_proj_dim",
          "time_embedding_act_fn", "timestep_post_act"})
        keys.only_null(key);
    for (const char* key :
         {"downsample_padding", "mid_block_scale_factor", "resnet_out_scale_factor", "transformer_layers_per_block"})
        keys.only(key, 1);
    keys.only("flip_sin_to_cos", true);
    keys.only("freq_shift", 0);
    keys.only("attention_type", "default");
    keys.only("resnet_time_scale_shift", "default");
    keys.only("time_embedding_type", "positional");
    keys.only("time_embedding_dim", 4 * c.channels.front());
    keys.only("conv_in_kernel", 3);
    keys.only("conv_out_kernel", 3);
    // Sums are in fp32 anyhow; the other keys belong to training, or to embeddings that are refused above.
    keys.without_effect({"addition_embed_type_num_heads", "addition_time_embed_dim", "dropout",
                         "projection_class_embeddings_input_dim", "sample_size", "upcast_attention"});
    detail::ignore_averaging(keys);
    keys.done();
    for (const index_t n : c.channels)
        if (n % c.heads != 0 || n % c.groups != 0)
            keys.expected("block_out_channels", "multiples of attention_head_dim and norm_num_groups");
    return c;
}

inline model::VaeConfig vae_config(const Json& json) {
    ConfigKeys keys(json, "vae: config.json");
    keys.only("_class_name", "AutoencoderKL");
    model::VaeConfig c;
    c.in_channels = keys.integer("in_channels", 3);
    c.out_channels = keys.integer("out_channels", 3);
    c.latent_channels = keys.integer("latent_channels", 4);
    c.layers_per_block = keys.integer("layers_per_block", 1);
    c.groups = keys.integer("norm_num_groups", 32);
    c.channels = keys.integers("block_out_channels");
    c.scaling_factor = keys.number("scaling_factor", 0.18215);
    const std::size_t levels = c.channels.size();
    keys.only("down_block_types", Json(std::vector<std::string>(levels, "DownEncoderBlock2D")));
    keys.only("up_block_types", Json(std::vector<std::string>(levels, "UpDecoderBlock2D")));
    keys.one_of("act_fn", {"silu", "swish"});
    for (const char* key : {"mid_block_add_attention", "use_post_quant_conv", "use_quant_conv"}) keys.only(key, true);
    for (const char* key : {"latents_mean", "latents_std", "shift_factor"}) keys.only_null(key);
    // Whatever the type of storage, the decoder sums in fp32.
    keys.without_effect({"force_upcast", "sample_size"});
    detail::ignore_averaging(keys);
    keys.done();
    if (c.scaling_factor == 0) keys.expected("scaling_factor", "a number that is not 0");
    if (c.out_channels != 3) keys.expected("out_channels", "3");
    for (const index_t n : c.channels)
        if (n % c.groups != 0) keys.expected("block_out_channels", "multiples of norm_num_groups");
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
