// SPDX-License-Identifier: Apache-2.0
/// From the tensor names of the original latent-diffusion code (single-file checkpoints of SD1.x) to those of
/// diffusers. The original counts UNet blocks straight through and the VAE decoder's levels from the finest; diffusers
/// counts by level, from the coarsest. The numbers of levels and layers follow from the names alone.
#pragma once

#include <inlay/core/config.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace inlay::inline INLAY_ABI::io {

/// The architecture that the names of one file show.
struct LdmLayout {
    int unet_layers = 0;  ///< ResNet blocks per level on the way down
    int vae_levels = 0;

    /// To be called with every name of the file.
    void note(std::string_view name);
};

/// The diffusers name, or nothing when the tensor belongs to another component or to none.
std::string unet_name_from_ldm(std::string_view name, const LdmLayout& layout);
std::string vae_name_from_ldm(std::string_view name, const LdmLayout& layout);
std::string text_name_from_ldm(std::string_view name);

/// Today's name of a VAE tensor: files of 2022 call the attention's layers query, key, value and proj_attn.
std::string vae_name(std::string_view name);
/// The name of a CLIP tensor under `text_model.`, as SD1.5 was published; later files leave the prefix out.
std::string text_name(std::string_view name);

namespace detail {

/// Takes `prefix` off the front of `s`.
inline bool take(std::string_view& s, std::string_view prefix) {
    if (!s.starts_with(prefix)) return false;
    s.remove_prefix(prefix.size());
    return true;
}
/// Takes a number and the dot after it off the front of `s`.
inline bool take(std::string_view& s, int& number) {
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
    if (error != std::errc() || number < 0 || number > 999 || end == s.data() + s.size() || *end != '.') return false;
    s.remove_prefix(static_cast<std::size_t>(end - s.data()) + 1);
    return true;
}
/// `s` with its front replaced by the first pair that matches, or as it is.
template <std::size_t N>
std::string swap_front(std::string_view s, const std::pair<std::string_view, std::string_view> (&table)[N]) {
    for (const auto& [from, to] : table)
        if (take(s, from)) return std::string(to) + std::string(s);
    return std::string(s);
}

inline std::string unet_resnet(std::string_view rest) {
    return swap_front(rest, {{"in_layers.0.", "norm1."},
                             {"in_layers.2.", "conv1."},
                             {"emb_layers.1.", "time_emb_proj."},
                             {"out_layers.0.", "norm2."},
                             {"out_layers.3.", "conv2."},
                             {"skip_connection.", "conv_shortcut."}});
}
inline std::string vae_resnet(std::string_view rest) { return swap_front(rest, {{"nin_shortcut.", "conv_shortcut."}}); }
inline std::string vae_attention(std::string_view rest) {
    return swap_front(rest, {{"norm.", "group_norm."},
                             {"q.", "to_q."},
                             {"k.", "to_k."},
                             {"v.", "to_v."},
                             {"proj_out.", "to_out.0."}});
}

/// A module of an input or output block: "{i}.{j}.rest" is ResNet block, attention or sampler of one level.
inline std::string unet_block(std::string_view s, const std::string& side, bool up, int layers) {
    int block = 0, place = 0;
    if (!take(s, block) || !take(s, place) || (!up && block == 0)) return "";
    const int i = up ? block : block - 1;
    const std::string level = side + "_blocks." + std::to_string(i / (layers + 1)) + ".";
    const std::string layer = "." + std::to_string(i % (layers + 1)) + ".";
    if (!up && place == 0 && take(s, "op.")) return level + "downsamplers.0.conv." + std::string(s);
    if (up && place > 0 && take(s, "conv.")) return level + "upsamplers.0.conv." + std::string(s);
    if (place == 0) return level + "resnets" + layer + unet_resnet(s);
    if (place == 1) return level + "attentions" + layer + std::string(s);
    return "";
}

}  // namespace detail

inline void LdmLayout::note(std::string_view name) {
    int n = 0, place = 0;
    // The first downsampler follows the layers of the first level, which are numbered from 1.
    if (detail::take(name, "model.diffusion_model.input_blocks.")) {
        if (detail::take(name, n) && detail::take(name, place) && name.starts_with("op.") && n > 1)
            unet_layers = unet_layers == 0 ? n - 1 : (std::min)(unet_layers, n - 1);
    } else if (detail::take(name, "first_stage_model.decoder.up.") ||
               detail::take(name, "first_stage_model.encoder.down.")) {
        if (detail::take(name, n)) vae_levels = (std::max)(vae_levels, n + 1);
    }
}

inline std::string unet_name_from_ldm(std::string_view name, const LdmLayout& layout) {
    if (!detail::take(name, "model.diffusion_model.")) return "";
    if (detail::take(name, "middle_block.0.")) return "mid_block.resnets.0." + detail::unet_resnet(name);
    if (detail::take(name, "middle_block.1.")) return "mid_block.attentions.0." + std::string(name);
    if (detail::take(name, "middle_block.2.")) return "mid_block.resnets.1." + detail::unet_resnet(name);
    if (detail::take(name, "input_blocks.0.0.")) return "conv_in." + std::string(name);
    if (detail::take(name, "input_blocks.")) return detail::unet_block(name, "down", false, layout.unet_layers);
    if (detail::take(name, "output_blocks.")) return detail::unet_block(name, "up", true, layout.unet_layers);
    const std::string renamed = detail::swap_front(name, {{"time_embed.0.", "time_embedding.linear_1."},
                                                          {"time_embed.2.", "time_embedding.linear_2."},
                                                          {"out.0.", "conv_norm_out."},
                                                          {"out.2.", "conv_out."}});
    return renamed == name ? "" : renamed;
}

inline std::string vae_name_from_ldm(std::string_view name, const LdmLayout& layout) {
    if (!detail::take(name, "first_stage_model.")) return "";
    const bool decoder = name.starts_with("decoder.");
    const std::string side = decoder ? "decoder." : "encoder.";
    if (!detail::take(name, side)) return std::string(name);  // quant_conv, post_quant_conv
    if (detail::take(name, "norm_out.")) return side + "conv_norm_out." + std::string(name);
    if (detail::take(name, "mid.block_1.")) return side + "mid_block.resnets.0." + detail::vae_resnet(name);
    if (detail::take(name, "mid.block_2.")) return side + "mid_block.resnets.1." + detail::vae_resnet(name);
    if (detail::take(name, "mid.attn_1.")) return side + "mid_block.attentions.0." + detail::vae_attention(name);
    if (!detail::take(name, decoder ? "up." : "down.")) return side + std::string(name);  // conv_in, conv_out
    int level = 0, layer = 0;
    if (!detail::take(name, level) || level >= layout.vae_levels) return "";
    const std::string block = side + (decoder ? "up_blocks." : "down_blocks.") +
                              std::to_string(decoder ? layout.vae_levels - 1 - level : level) + ".";
    if (detail::take(name, "downsample.conv.")) return block + "downsamplers.0.conv." + std::string(name);
    if (detail::take(name, "upsample.conv.")) return block + "upsamplers.0.conv." + std::string(name);
    if (!detail::take(name, "block.") || !detail::take(name, layer)) return "";
    return block + "resnets." + std::to_string(layer) + "." + detail::vae_resnet(name);
}

inline std::string text_name_from_ldm(std::string_view name) {
    return detail::take(name, "cond_stage_model.transformer.") ? text_name(name) : "";
}

inline std::string vae_name(std::string_view name) {
    const std::size_t at = name.find(".attentions.0.");
    if (at == std::string_view::npos) return std::string(name);
    const std::size_t rest = at + std::string_view(".attentions.0.").size();
    return std::string(name.substr(0, rest)) + detail::swap_front(name.substr(rest), {{"query.", "to_q."},
                                                                                      {"key.", "to_k."},
                                                                                      {"value.", "to_v."},
                                                                                      {"proj_attn.", "to_out.0."}});
}

inline std::string text_name(std::string_view name) {
    const bool bare = name.starts_with("embeddings.") || name.starts_with("encoder.") ||
                      name.starts_with("final_layer_norm.");
    return (bare ? "text_model." : "") + std::string(name);
}

}  // namespace inlay::inline INLAY_ABI::io
