// SPDX-License-Identifier: Apache-2.0
/// A Stable Diffusion 1.x model on disk: a folder in diffusers' layout, or a single file under the original names.
/// Either way the result has diffusers' names and configs, so a model is built from one kind of description.
#pragma once

#include <inlay/io/json_file.hpp>
#include <inlay/io/ldm_names.hpp>
#include <inlay/io/model_index.hpp>
#include <inlay/io/sd15_config.hpp>
#include <inlay/io/weight_files.hpp>
#include <inlay/io/weights.hpp>

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

namespace detail {

inline Json component_config(const std::filesystem::path& model, const std::string& component) {
    const auto folder = model / component;
    require(std::filesystem::is_directory(folder), "model folder ", quote(model), " has no folder ", quote(component));
    return read_json_object(folder / "config.json");
}

inline void use_folder_configs(Checkpoint& out, const std::filesystem::path& folder) {
    out.text_encoder_config = component_config(folder, "text_encoder");
    out.unet_config = component_config(folder, "unet");
    out.vae_config = component_config(folder, "vae");
    const auto scheduler = folder / "scheduler" / "scheduler_config.json";
    out.scheduler_config = std::filesystem::exists(scheduler) ? read_json_object(scheduler) : sd15_scheduler_config();
    if (std::filesystem::is_directory(folder / "tokenizer")) out.tokenizer = folder / "tokenizer";
}

inline Checkpoint open_folder(const std::filesystem::path& path) {
    if (const auto index = path / "model_index.json"; std::filesystem::exists(index))
        check_model_index(read_json_object(index), path);
    Checkpoint out;
    out.path = path;
    use_folder_configs(out, path);
    out.text_encoder = open_weights(path / "text_encoder", "model", "text_encoder", text_name);
    out.unet = open_weights(path / "unet", "diffusion_pytorch_model", "unet",
                            [](std::string_view n) { return std::string(n); });
    out.vae = open_weights(path / "vae", "diffusion_pytorch_model", "vae", vae_name);
    return out;
}

/// Says what the file is where that can be told, and what it lacks otherwise.
inline void require_sd1(const Safetensors& file) {
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
    require(vae, file.source(), ": no tensor named 'first_stage_model.*', the checkpoint comes without its VAE");
    require(text, file.source(), ": no tensor named 'cond_stage_model.transformer.*', the checkpoint comes without its "
            "text encoder");
}

inline Checkpoint open_single_file(const std::filesystem::path& path, const std::filesystem::path& configs) {
    const auto file = std::make_shared<const Safetensors>(path);
    require_sd1(*file);
    LdmLayout layout;
    for (const auto& [name, tensor] : file->tensors()) layout.note(name);

    Checkpoint out;
    out.path = path;
    out.text_encoder = Weights("text_encoder");
    out.unet = Weights("unet");
    out.vae = Weights("vae");
    out.text_encoder.add(file, text_name_from_ldm);
    out.unet.add(file, [&](std::string_view n) { return unet_name_from_ldm(n, layout); });
    out.vae.add(file, [&](std::string_view n) { return vae_name(vae_name_from_ldm(n, layout)); });
    if (!configs.empty()) {
        use_folder_configs(out, configs);
        return out;
    }
    out.text_encoder_config = text_encoder_config_of(out.text_encoder);
    out.unet_config = unet_config_of(out.unet);
    out.vae_config = vae_config_of(out.vae);
    out.scheduler_config = sd15_scheduler_config();
    if (const auto beside = path.parent_path() / "tokenizer"; std::filesystem::is_directory(beside))
        out.tokenizer = beside;
    return out;
}

}  // namespace detail

/// Opens a model folder or a single `.safetensors` file. For a single file, configs and tokenizer come from the model
/// folder `configs` if one is given; else SD1.5's configs with the sizes of the file's tensors, and the folder
/// `tokenizer` beside the file. Throws one sentence naming what is missing, unreadable or not Stable Diffusion 1.x.
inline Checkpoint open_checkpoint(const std::filesystem::path& path, const std::filesystem::path& configs = {}) {
    require(std::filesystem::exists(path), "no such model: ", quote(path));
    if (std::filesystem::is_directory(path)) return detail::open_folder(path);
    require(path.extension() == ".safetensors", "model ", quote(path), " is neither a folder nor a .safetensors file");
    return detail::open_single_file(path, configs);
}

}  // namespace inlay::inline INLAY_ABI::io
