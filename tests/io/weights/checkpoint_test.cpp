// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/tokenizer/clip.hpp>
#include <inlay/io/config/model.hpp>
#include <inlay/io/weights/safetensors_writer.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace inlay;
using namespace inlay::io;

const test::fs::path tiny = test::golden() / "tiny-sd";

struct LdmFile {
    bool (*keep)(const std::string& name) = [](const std::string&) { return true; };  ///< tensors that are written
    std::string prefix;                ///< taken off the front of names
    std::vector<std::string> tensors;  ///< further ones, empty
    std::map<std::string, std::string> metadata;
};
/// The tiny pipeline as a single file under the original names, the VAE's attention as 1×1 convolutions; the pairs of
/// names are diffusers' (golden/make_ldm_golden.py).
void write_ldm(const test::fs::path& path, const LdmFile& file = {}) {
    const Checkpoint model = open_checkpoint(tiny);
    const Json golden = read_json_object(test::golden() / "ldm_names.json")["tiny"];
    std::vector<TensorDeclaration> tensors;
    std::vector<WeightView> views;
    const auto collect = [&](const Weights& weights, const char* component) {
        for (const auto& [ldm, diffusers] : golden[component].items()) {
            if (!file.keep(ldm)) continue;
            WeightView view = weights.get(std::string(diffusers));
            if (ldm.find(".mid.attn_1.") != std::string::npos && view.shape.size() == 2)
                view.shape.insert(view.shape.end(), {1, 1});
            const bool shorter = !file.prefix.empty() && ldm.starts_with(file.prefix);
            tensors.push_back({shorter ? ldm.substr(file.prefix.size()) : ldm, view.dtype, view.shape});
            views.push_back(view);
        }
    };
    collect(model.text_encoder, "text_encoder");
    collect(model.unet, "unet");
    collect(model.vae, "vae");
    tensors.push_back({"betas", DType::f32, {2}});
    for (const std::string& name : file.tensors) tensors.push_back({name, DType::f32, {0}});
    SafetensorsWriter writer(path, tensors, file.metadata);
    for (std::size_t i = 0; i < views.size(); ++i) {
        std::vector<fp16> data(static_cast<std::size_t>(views[i].size()));
        std::memcpy(data.data(), views[i].data, views[i].bytes());
        writer.append(tensors[i].name, std::span<const fp16>(data));
    }
    const float betas[] = {0, 1};
    writer.append("betas", std::span<const float>(betas));
    for (const std::string& name : file.tensors) writer.append(name, std::span<const float>());
    writer.commit();
}

void expect_same(const Weights& a, const Weights& b) {
    ASSERT_EQ(a.names(), b.names());
    for (const std::string& name : a.names()) {
        const WeightView left = a.get(name), right = b.get(name, left.shape);
        EXPECT_EQ(std::memcmp(left.data, right.data, left.bytes()), 0) << name;
    }
}

TEST(Checkpoint, OpensAFolderThatDiffusersWrote) {
    const Checkpoint model = open_checkpoint(tiny);
    EXPECT_EQ(model.unet.get("conv_in.weight", {32, 4, 3, 3}).dtype, DType::f16);
    EXPECT_EQ(model.vae.get("decoder.conv_out.weight").shape, (Shape{3, 32, 3, 3}));
    EXPECT_EQ(model.text_encoder.get("text_model.embeddings.token_embedding.weight").shape, (Shape{514, 64}));
    EXPECT_EQ(model.unet_config["cross_attention_dim"], 64);
    EXPECT_EQ(model.vae_config["scaling_factor"], 0.18215);
    EXPECT_EQ(model.text_encoder_config["num_hidden_layers"], 2);
    EXPECT_EQ(model.scheduler_config["steps_offset"], 1);
    EXPECT_EQ(model.tokenizer, tiny / "tokenizer");
}

TEST(Checkpoint, SingleFileHoldsTheSameModelAsTheFolder) {
    const test::Folder folder;
    write_ldm(folder / "m.safetensors");
    const Checkpoint one = open_checkpoint(folder / "m.safetensors"), many = open_checkpoint(tiny);
    expect_same(many.text_encoder, one.text_encoder);
    expect_same(many.unet, one.unet);
    expect_same(many.vae, one.vae);
    EXPECT_TRUE(one.tokenizer.empty());
    EXPECT_EQ(one.scheduler_config, many.scheduler_config);

    // Values that tensors show are theirs; others (heads, groups) are SD1.5's.
    for (const char* key : {"in_channels", "out_channels", "block_out_channels", "layers_per_block",
                            "cross_attention_dim", "down_block_types", "up_block_types", "norm_num_groups", "norm_eps"})
        EXPECT_EQ(one.unet_config[key], many.unet_config[key]) << key;
    for (const char* key : {"in_channels", "out_channels", "latent_channels", "block_out_channels", "layers_per_block",
                            "down_block_types", "up_block_types", "norm_num_groups", "scaling_factor"})
        EXPECT_EQ(one.vae_config[key], many.vae_config[key]) << key;
    for (const char* key :
         {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "max_position_embeddings", "hidden_act", "layer_norm_eps", "bos_token_id", "eos_token_id"})
        EXPECT_EQ(one.text_encoder_config[key], many.text_encoder_config[key]) << key;
    EXPECT_EQ(one.unet_config["attention_head_dim"], 8);

    test::fs::copy(tiny / "tokenizer", folder / "tokenizer");
    EXPECT_EQ(open_checkpoint(folder / "m.safetensors").tokenizer, folder / "tokenizer");
    const Checkpoint configured =
        open_checkpoint(folder / "m.safetensors", {.configs = tiny, .vae = {}, .scheduler_config = {}});
    EXPECT_EQ(configured.unet_config, many.unet_config);
    EXPECT_EQ(configured.tokenizer, tiny / "tokenizer");
}

/// Textual inversion saves the words it learned as further rows of the embeddings.
TEST(Checkpoint, OpensEmbeddingsOfFurtherTokens) {
    const test::Folder folder;
    test::fs::copy(tiny, folder.path(), test::fs::copy_options::recursive);
    const auto weights = folder / "text_encoder/model.safetensors";
    const Safetensors before(tiny / "text_encoder/model.safetensors");
    std::vector<TensorDeclaration> tensors;
    for (const std::string& name : before.names()) tensors.push_back({name, DType::f16, before.at(name).shape});
    SafetensorsWriter writer(weights, [&] {
        for (TensorDeclaration& t : tensors)
            if (t.name.ends_with("token_embedding.weight")) t.shape[0] += 2;
        return tensors;
    }());
    for (const TensorDeclaration& t : tensors) {
        const WeightView view = before.at(t.name);
        std::vector<fp16> data(static_cast<std::size_t>(view.size()) + (t.shape != view.shape ? 2 * 64 : 0), fp16(0.5f));
        std::memcpy(data.data(), view.data, view.bytes());
        writer.append(t.name, std::span<const fp16>(data));
    }
    writer.commit();
    Json config = read_json_object(tiny / "text_encoder/config.json");
    config["vocab_size"] = 516;
    test::put(folder / "text_encoder/config.json", config.dump());
    test::put(folder / "tokenizer/added_tokens.json", R"({"<cat-toy>":514,"sks":515})");

    const Checkpoint model = open_checkpoint(folder.path());
    const model::ClipConfig clip = clip_config(model.text_encoder_config);
    std::vector<fp16> rows(516 * 64);
    model.text_encoder.copy("text_model.embeddings.token_embedding.weight", {clip.vocabulary, clip.hidden}, rows.data());
    EXPECT_EQ(rows.back().bits, fp16(0.5f).bits);
    const ClipTokenizer tokenizer(model.tokenizer);
    EXPECT_EQ(tokenizer.vocabulary_size(), clip.vocabulary);
    EXPECT_EQ(tokenizer.tokenize("<cat-toy>sks"), (std::vector<std::int32_t>{514, 515}));
}

TEST(Checkpoint, VaeOfAnotherFile) {
    const test::Folder folder;
    const Checkpoint own = open_checkpoint(tiny);
    const auto with = [&](const test::fs::path& vae) {
        return open_checkpoint(tiny, {.configs = {}, .vae = vae, .scheduler_config = {}});
    };
    const auto is_vae = [](const std::string& n) { return n.starts_with("first_stage_model."); };
    write_ldm(folder / "whole.safetensors");
    write_ldm(folder / "prefixed.safetensors", {.keep = is_vae, .prefix = {}, .tensors = {}, .metadata = {}});
    write_ldm(folder / "bare.safetensors",
              {.keep = is_vae, .prefix = "first_stage_model.", .tensors = {}, .metadata = {}});
    test::fs::copy(tiny / "vae" / "diffusion_pytorch_model.safetensors", folder / "lone.safetensors");
    for (const auto& vae : {folder / "whole.safetensors", folder / "prefixed.safetensors", folder / "bare.safetensors",
                            folder / "lone.safetensors", tiny / "vae", tiny,
                            tiny / "vae" / "diffusion_pytorch_model.safetensors"}) {
        const Checkpoint c = with(vae);
        expect_same(own.vae, c.vae);
        for (const char* key : {"block_out_channels", "layers_per_block", "latent_channels", "scaling_factor"})
            EXPECT_EQ(c.vae_config[key], own.vae_config[key]) << vae << ": " << key;
    }

    // Its place in the model may be empty.
    test::fs::copy(tiny, folder / "m", test::fs::copy_options::recursive);
    test::fs::remove_all(folder / "m" / "vae");
    const auto from_bare = [&](const test::fs::path& model) {
        return open_checkpoint(model, {.configs = {}, .vae = folder / "bare.safetensors", .scheduler_config = {}});
    };
    expect_same(own.vae, from_bare(folder / "m").vae);
    write_ldm(folder / "rest.safetensors", {.keep = [](const std::string& n) { return !n.starts_with("first_stage"); },
                                            .prefix = {},
                                            .tensors = {},
                                            .metadata = {}});
    expect_same(own.vae, from_bare(folder / "rest.safetensors").vae);

    const std::string at = folder.path().string();
    EXPECT_EQ(test::error_of([&] { with(folder / "none"); }), "inlay: no such VAE: '" + at + "/none'");
    test::put(folder / "vae.pt", "");
    EXPECT_EQ(test::error_of([&] { with(folder / "vae.pt"); }),
              "inlay: VAE '" + at + "/vae.pt' is neither a folder nor a .safetensors file");
    EXPECT_EQ(test::error_of([&] { with(folder / "rest.safetensors"); }),
              "inlay: safetensors file '" + at +
                  "/rest.safetensors': no tensor 'decoder.conv_in.weight', expected a VAE");
}

TEST(Checkpoint, FileWithoutTheEncoderOfItsVae) {
    const test::Folder folder;
    const auto drawing = [](const std::string& n) {
        return !n.starts_with("first_stage_model.encoder.") && !n.starts_with("first_stage_model.quant_conv.");
    };
    write_ldm(folder / "m.safetensors", {.keep = drawing, .prefix = {}, .tensors = {}, .metadata = {}});
    const Checkpoint one = open_checkpoint(folder / "m.safetensors"), many = open_checkpoint(tiny);
    EXPECT_FALSE(one.vae.contains("encoder.conv_in.weight"));
    EXPECT_TRUE(one.vae.contains("decoder.conv_in.weight"));
    for (const char* key : {"in_channels", "block_out_channels", "layers_per_block", "latent_channels"})
        EXPECT_EQ(one.vae_config[key], many.vae_config[key]) << key;
}

TEST(Checkpoint, FileWithoutAMiddleBlock) {
    const test::Folder folder;
    write_ldm(folder / "m.safetensors",
              {.keep = [](const std::string& n) { return n.find(".middle_block.") == n.npos; },
               .prefix = {},
               .tensors = {},
               .metadata = {}});
    const Checkpoint one = open_checkpoint(folder / "m.safetensors");
    EXPECT_TRUE(one.unet_config.at("mid_block_type").is_null());
    EXPECT_EQ(one.unet_config["cross_attention_dim"], 64);
}

TEST(Checkpoint, MarkersSayWhatTheNetworkPredicts) {
    const test::Folder folder;
    const auto file = folder / "m.safetensors";
    const auto prediction = [&](const LdmFile& of) {
        write_ldm(file, of);
        return open_checkpoint(file).scheduler_config.value("prediction_type", "unmarked");
    };
    using Metadata = std::map<std::string, std::string>;
    const auto marked = [&](const std::vector<std::string>& tensors, const Metadata& metadata) {
        LdmFile of;
        of.tensors = tensors;
        of.metadata = metadata;
        return prediction(of);
    };
    EXPECT_EQ(marked({}, {}), "unmarked");
    EXPECT_EQ(marked({"v_pred"}, {}), "v_prediction");
    EXPECT_EQ(marked({}, {{"modelspec.prediction_type", "v"}}), "v_prediction");
    EXPECT_EQ(marked({}, {{"modelspec.predict_key", "v"}}), "v_prediction");
    EXPECT_EQ(marked({}, {{"modelspec.predict_key", "epsilon"}}), "epsilon");
    const std::string front = "inlay: safetensors file '" + file.string() + "': ";
    EXPECT_EQ(test::error_of([&] { marked({}, {{"modelspec.predict_key", "x0"}}); }),
              front + "metadata 'modelspec.predict_key' is 'x0', expected 'epsilon' or 'v'");
    EXPECT_EQ(test::error_of([&] { marked({"v_pred", "ztsnr"}, {}); }),
              front + "tensor 'ztsnr' marks a schedule that ends without signal, which is not supported");
}

TEST(Checkpoint, SchedulerConfigOfAnotherFile) {
    const test::Folder folder;
    test::put(folder / "s.json", R"({"beta_start": 0.5})");
    const auto with = [&](const test::fs::path& config) {
        return open_checkpoint(tiny, {.configs = {}, .vae = {}, .scheduler_config = config}).scheduler_config;
    };
    EXPECT_EQ(with(folder / "s.json"), Json::parse(R"({"beta_start": 0.5})"));
    EXPECT_NE(test::error_of([&] { with(folder / "none.json"); }).find("none.json"), std::string::npos);
}

/// The files of 2022: `text_model.`, position_ids, and the old names of the VAE's attention.
TEST(Checkpoint, OpensTheSpellingOf2022) {
    const test::Folder folder;
    test::fs::copy(tiny, folder.path(), test::fs::copy_options::recursive);
    const auto rename = [&](const char* file, const auto& rules) {
        // The header's length changes with the names: it is taken apart and put together again.
        const std::string bytes = test::get(folder / file);
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), 8);
        std::string header = bytes.substr(8, length);
        for (const auto& [from, to] : rules)
            for (std::size_t at = 0; (at = header.find(from, at)) != std::string::npos; at += to.size())
                header.replace(at, from.size(), to);
        test::put(folder / file, test::safetensors(header, std::string_view(bytes).substr(8 + length)));
    };
    using Rules = std::vector<std::pair<std::string, std::string>>;
    rename("vae/diffusion_pytorch_model.safetensors",
           Rules{{".to_q.", ".query."}, {".to_k.", ".key."}, {".to_v.", ".value."}, {".to_out.0.", ".proj_attn."}});
    rename("text_encoder/model.safetensors", Rules{{"\"embeddings.", "\"text_model.embeddings."},
                                                   {"\"encoder.", "\"text_model.encoder."},
                                                   {"\"final_layer_norm.", "\"text_model.final_layer_norm."}});
    const Checkpoint old = open_checkpoint(folder.path()), today = open_checkpoint(tiny);
    expect_same(today.vae, old.vae);
    expect_same(today.text_encoder, old.text_encoder);
}

TEST(Checkpoint, MissingPartsAreNamed) {
    const test::Folder folder;
    const std::string at = folder.path().string();
    const auto error = [&] { return test::error_of([&] { open_checkpoint(folder / "m"); }); };
    EXPECT_EQ(error(), "inlay: no such model: '" + at + "/m'");
    test::fs::create_directory(folder / "m");
    EXPECT_EQ(error(), "inlay: model folder '" + at + "/m' has no folder 'text_encoder'");
    test::fs::create_directory(folder / "m/text_encoder");
    EXPECT_EQ(error(), "inlay: cannot open '" + at + "/m/text_encoder/config.json': No such file or directory");
    test::put(folder / "m/text_encoder/config.json", "{]");
    EXPECT_EQ(error(), "inlay: '" + at + "/m/text_encoder/config.json' is not valid JSON at its byte 2");
    test::put(folder / "m/text_encoder/config.json", "{}");
    test::put(folder / "m/unet/config.json", "{}");
    test::put(folder / "m/vae/config.json", "{}");
    EXPECT_EQ(error(), "inlay: '" + at +
                           "/m/text_encoder' has no 'model.safetensors', nor its fp16 variant or an index "
                           "of shards");
    test::put(folder / "m/model_index.json", R"({"text_encoder_2":[]})");
    EXPECT_EQ(error(), "inlay: model folder '" + at +
                           "/m' has a second text encoder (SDXL), expected Stable Diffusion 1.x");
    test::put(folder / "m.ckpt", "");
    EXPECT_EQ(test::error_of([&] { open_checkpoint(folder / "m.ckpt"); }),
              "inlay: model '" + at + "/m.ckpt' is neither a folder nor a .safetensors file");
}

TEST(Checkpoint, SingleFileOfAnotherModelIsNamed) {
    const test::Folder folder;
    const std::string file = (folder / "m.safetensors").string(), front = "inlay: safetensors file '" + file + "': ";
    const auto error = [&](const std::vector<std::string>& names) {
        std::vector<TensorDeclaration> tensors;
        for (const std::string& name : names) tensors.push_back({name, DType::f32, {0}});
        SafetensorsWriter writer(file, tensors);
        for (const std::string& name : names) writer.append(name, std::span<const float>());
        writer.commit();
        return test::error_of([&] { open_checkpoint(file); });
    };
    const std::string unet = "model.diffusion_model.out.0.bias", vae = "first_stage_model.quant_conv.bias";
    EXPECT_EQ(error({"lora_up.weight"}),
              front + "no tensor named 'model.diffusion_model.*', expected a Stable Diffusion 1.x checkpoint");
    EXPECT_EQ(error({unet}), front + "no tensor named 'first_stage_model.*', the checkpoint comes without its VAE");
    EXPECT_EQ(error({unet, vae}), front +
                                      "no tensor named 'cond_stage_model.transformer.*', the checkpoint comes without "
                                      "its text encoder");
    EXPECT_EQ(error({unet, vae, "cond_stage_model.model.ln_final.bias"}),
              front + "tensor 'cond_stage_model.model.ln_final.bias' belongs to Stable Diffusion 2, expected 1.x");
    EXPECT_EQ(error({unet, vae, "conditioner.embedders.0.x"}),
              front + "tensor 'conditioner.embedders.0.x' belongs to SDXL, expected Stable Diffusion 1.x");
    EXPECT_EQ(error({unet, vae, "cond_stage_model.transformer.text_model.final_layer_norm.bias"}),
              "inlay: text_encoder: no tensor 'text_model.embeddings.token_embedding.weight' in safetensors file '" +
                  file + "'");
}

}  // namespace
