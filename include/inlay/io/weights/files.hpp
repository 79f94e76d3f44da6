// SPDX-License-Identifier: Apache-2.0
/// Finds the safetensors files of one component folder: a single file or shards with an index, in full or as a variant.
#pragma once

#include <inlay/io/json_file.hpp>
#include <inlay/io/weights/load.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace inlay::inline INLAY_ABI::io {

namespace detail {

/// Opens the shards that `index` lists, each once. Throws when a shard lacks a tensor that the index promises.
template <class Rename>
void add_shards(Weights& weights, const std::filesystem::path& index, const Rename& rename) {
    const Json json = read_json_object(index);
    require(json.contains("weight_map") && json["weight_map"].is_object(), quote(index), " has no object 'weight_map'");
    std::map<std::string, std::shared_ptr<const Safetensors>> shards;
    for (const auto& [tensor, file] : json["weight_map"].items()) {
        // A shard lies beside its index: the index of a downloaded model is no licence to open files elsewhere.
        const std::string name = file.is_string() ? std::string(file) : "";
        require(!name.empty() && std::filesystem::path(name).filename() == name, quote(index), ": the shard of tensor ",
                quote(tensor), " is not a plain file name");
        auto& shard = shards[name];
        if (!shard) shard = std::make_shared<Safetensors>(index.parent_path() / name);
        require(shard->contains(tensor), shard->source(), ": no tensor ", quote(tensor), ", which ", quote(index),
                " places there");
    }
    for (const auto& [name, shard] : shards) weights.add(shard, rename);
}

}  // namespace detail

/// The weights in `folder` under `stem` ("model", "diffusion_pytorch_model"), looked for in this order:
/// `stem.safetensors`, its shards, then the same of the variants fp16 and bf16.
template <class Rename>
Weights open_weights(const std::filesystem::path& folder, const std::string& stem, std::string component,
                     const Rename& rename) {
    Weights weights(std::move(component));
    for (const std::string variant : {"", ".fp16", ".bf16"}) {
        if (const auto file = folder / (stem + variant + ".safetensors"); std::filesystem::exists(file)) {
            weights.add(std::make_shared<Safetensors>(file), rename);
            return weights;
        }
        // Libraries of different years put the variant in different places.
        for (const std::string& index : {".safetensors.index" + variant + ".json", variant + ".safetensors.index.json"})
            if (const auto file = folder / (stem + index); std::filesystem::exists(file)) {
                detail::add_shards(weights, file, rename);
                return weights;
            }
    }
    const bool pickled = std::filesystem::exists(folder / (stem + ".bin")) ||
                         std::filesystem::exists(folder / "pytorch_model.bin");
    fail(quote(folder) + " has no " + quote(stem + ".safetensors") + ", nor its fp16 variant or an index of shards" +
         (pickled ? "; its .bin file is not read, convert it to safetensors" : ""));
}

}  // namespace inlay::inline INLAY_ABI::io
