// SPDX-License-Identifier: Apache-2.0
/// A Stable Diffusion 1.x model on disk: a folder in diffusers' layout, or a single file under the original names.
/// Either way the result has diffusers' names and configs, so a model is built from one kind of description.
#pragma once

#include <inlay/io/config/model_index.hpp>
#include <inlay/io/config/sd15.hpp>
#include <inlay/io/json_file.hpp>
#include <inlay/io/weights/files.hpp>
#include <inlay/io/weights/ldm_names.hpp>
#include <inlay/io/weights/load.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

/// Names are those of diffusers; the text encoder's begin with `text_model.`, also where the file leaves that out.
/// Weights stay mapped, not copied: opening takes milliseconds, and only what is read is paged in.
struct Checkpoint {
    std::filesystem::path path;
    Weights text_encoder, unet, vae;
    Json text_encoder_config, unet_config, vae_config, scheduler_config;
    std::filesystem::path tokenizer;  ///< folder of the tokenizer, empty when there is none
};

/// Parts that come from elsewhere than the model. Empty: the model's own.
struct CheckpointParts {
    std::filesystem::path configs;           ///< of a single file: a model folder, for its configs and tokenizer
    std::filesystem::path vae;               ///< a folder, or a .safetensors file of a VAE or a whole model
    std::filesystem::path scheduler_config;  ///< a JSON file
};

namespace detail {

/// The VAE of a file under the original names, with their prefix or without, or under diffusers'.
inline void open_vae_file(Checkpoint& out, const std::filesystem::path& path) {
    const auto file = std::make_shared<const Safetensors>(path);
    constexpr std::string_view prefix = "first_stage_model.";
    const bool whole = std::ranges::any_of(file->names(), [&](const std::string& n) { return n.starts_with(prefix); });
    const bool diffusers = file->contains("decoder.up_blocks.0.resnets.0.conv1.weight");
    require(whole || diffusers || file->contains("decoder.conv_in.weight"), file->source(),
            ": no tensor 'decoder.conv_in.weight', expected a VAE");
    const auto ldm = [&](std::string_view n) { return (whole ? "" : std::string(prefix)) + std::string(n); };
    LdmLayout layout;
    for (const auto& [name, tensor] : file->tensors()) layout.note(ldm(name));
    out.vae.add(file, [&](std::string_view n) {
        const std::string name = diffusers ? std::string(n) : vae_name_from_ldm(ldm(n), layout);
        for (const std::string_view part : {"encoder.", "decoder.", "quant_conv.", "post_quant_conv."})
            if (name.starts_with(part)) return vae_name(name);
        return std::string();  // left by training: losses, averages
    });
    const auto beside = path.parent_path() / "config.json";
    out.vae_config = diffusers && std::filesystem::exists(beside) ? read_json_object(beside) : vae_config_of(out.vae);
}

/// The VAE of `path`: a folder with config.json and weights, a model folder that has one, or a .safetensors file.
inline void open_vae(Checkpoint& out, const std::filesystem::path& path) {
    require(std::filesystem::exists(path), "no such VAE: ", quote(path));
    out.vae = Weights("vae");
    if (std::filesystem::is_directory(path)) {
        const auto folder = std::filesystem::is_directory(path / "vae") ? path / "vae" : path;
        out.vae_config = read_json_object(folder / "config.json");
        out.vae = open_weights(folder, "diffusion_pytorch_model", "vae", vae_name);
        return;
    }
    require(path.extension() == ".safetensors", "VAE ", quote(path), " is neither a folder nor a .safetensors file");
    open_vae_file(out, path);
}

inline Json component_config(const std::filesystem::path& model, const std::string& component) {
    const auto folder = model / component;
    require(std::filesystem::is_directory(folder), "model folder ", quote(model), " has no folder ", quote(component));
    return read_json_object(folder / "config.json");
}

inline void use_folder_configs(Checkpoint& out, const std::filesystem::path& folder, bool with_vae) {
    out.text_encoder_config = component_config(folder, "text_encoder");
    out.unet_config = component_config(folder, "unet");
    if (with_vae) out.vae_config = component_config(folder, "vae");
    const auto scheduler = folder / "scheduler" / "scheduler_config.json";
    out.scheduler_config = std::filesystem::exists(scheduler) ? read_json_object(scheduler) : sd15_scheduler_config();
    if (std::filesystem::is_directory(folder / "tokenizer")) out.tokenizer = folder / "tokenizer";
}

inline Checkpoint open_folder(const std::filesystem::path& path, bool with_vae) {
    if (const auto index = path / "model_index.json"; std::filesystem::exists(index))
        check_model_index(read_json_object(index), path);
    Checkpoint out;
    out.path = path;
    use_folder_configs(out, path, with_vae);
    out.text_encoder = open_weights(path / "text_encoder", "model", "text_encoder", text_name);
    out.unet = open_weights(path / "unet", "diffusion_pytorch_model", "unet",
                            [](std::string_view n) { return std::string(n); });
    if (with_vae) out.vae = open_weights(path / "vae", "diffusion_pytorch_model", "vae", vae_name);
    return out;
}

/// Throws a sentence that names the kind of file where it is recognised, else the part that is missing.
inline void require_sd1(const Safetensors& file, bool with_vae) {
    bool unet = false, vae = false, text = false;
    for (const auto& [name, tensor] : file.tensors()) {
        const std::string_view n = name;
        require(!n.starts_with("conditioner.") && !n.starts_with("model.diffusion_model.label_emb."), file.source(),
                ": tensor ", quote(n), " belongs to SDXL, expected Stable Diffusion 1.x");
        require(!n.starts_with("cond_stage_model.model."), file.source(), ": tensor ", quote(n),
                " belongs to Stable Diffusion 2, expected 1.x");
        unet = unet || n.starts_with("model.diffusion_model.");
        vae = vae || n.starts_with("first_stage_model.");
        text = text || n.starts_with("cond_stage_model.transformer.");
    }
    require(unet, file.source(),
            ": no tensor named 'model.diffusion_model.*', expected a Stable Diffusion 1.x checkpoint");
    require(vae || !with_vae, file.source(),
            ": no tensor named 'first_stage_model.*', the checkpoint comes without its VAE");
    require(text, file.source(), ": no tensor named 'cond_stage_model.transformer.*', the checkpoint comes without its "
            "text encoder");
}

/// Sets the meaning of the network's output by the markers of a single file: "modelspec.prediction_type" or
/// "modelspec.predict_key" of its metadata, or a tensor `v_pred`, as ComfyUI and AUTOMATIC1111's program read it.
inline void read_markers(const Safetensors& file, Json& scheduler) {
    require(!file.contains("ztsnr"), file.source(),
            ": tensor 'ztsnr' marks a schedule that ends without signal, which is not supported");
    if (file.contains("v_pred")) scheduler["prediction_type"] = "v_prediction";
    for (const char* key : {"modelspec.predict_key", "modelspec.prediction_type"}) {
        const auto it = file.metadata().find(key);
        if (it == file.metadata().end()) continue;
        const bool v = it->second == "v" || it->second == "v_prediction";
        require(v || it->second == "epsilon" || it->second == "eps", file.source(), ": metadata ", quote(key), " is ",
                quote(it->second), ", expected 'epsilon' or 'v'");
        scheduler["prediction_type"] = v ? "v_prediction" : "epsilon";
    }
}

inline Checkpoint open_single_file(const std::filesystem::path& path, const std::filesystem::path& configs,
                                   bool with_vae) {
    const auto file = std::make_shared<const Safetensors>(path);
    require_sd1(*file, with_vae);
    LdmLayout layout;
    for (const auto& [name, tensor] : file->tensors()) layout.note(name);

    Checkpoint out;
    out.path = path;
    out.text_encoder = Weights("text_encoder");
    out.unet = Weights("unet");
    out.text_encoder.add(file, text_name_from_ldm);
    out.unet.add(file, [&](std::string_view n) { return unet_name_from_ldm(n, layout); });
    if (with_vae) {
        out.vae = Weights("vae");
        out.vae.add(file, [&](std::string_view n) { return vae_name(vae_name_from_ldm(n, layout)); });
    }
    if (!configs.empty()) {
        use_folder_configs(out, configs, with_vae);
        return out;
    }
    out.text_encoder_config = text_encoder_config_of(out.text_encoder);
    out.unet_config = unet_config_of(out.unet);
    if (with_vae) out.vae_config = vae_config_of(out.vae);
    out.scheduler_config = sd15_scheduler_config();
    read_markers(*file, out.scheduler_config);
    if (const auto beside = path.parent_path() / "tokenizer"; std::filesystem::is_directory(beside))
        out.tokenizer = beside;
    return out;
}

}  // namespace detail

/// Opens a model folder or a single `.safetensors` file. Unless `parts.configs` is given, a single file has SD1.5's
/// configs with the sizes of its tensors and the meaning of the output by its markers, and the folder `tokenizer`
/// beside it. Throws one sentence naming what is missing, unreadable or not Stable Diffusion 1.x.
inline Checkpoint open_checkpoint(const std::filesystem::path& path, const CheckpointParts& parts = {}) {
    require(std::filesystem::exists(path), "no such model: ", quote(path));
    const bool folder = std::filesystem::is_directory(path), with_vae = parts.vae.empty();
    require(folder || path.extension() == ".safetensors", "model ", quote(path),
            " is neither a folder nor a .safetensors file");
    Checkpoint out = folder ? detail::open_folder(path, with_vae)
                            : detail::open_single_file(path, parts.configs, with_vae);
    if (!with_vae) detail::open_vae(out, parts.vae);
    if (!parts.scheduler_config.empty()) out.scheduler_config = read_json_object(parts.scheduler_config);
    return out;
}

}  // namespace inlay::inline INLAY_ABI::io
