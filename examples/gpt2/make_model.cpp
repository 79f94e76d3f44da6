// SPDX-License-Identifier: Apache-2.0
#include "make_model.hpp"

#include "../program/stand_in.hpp"

#include <inlay/core/half.hpp>
#include <inlay/io/tokenizer/byte_symbols.hpp>

#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace inlay;

struct Shape {
    index_t vocabulary, positions, hidden, layers, heads;
};

/// Merges of letters, each of two tokens that are there already: pairs, words of up to three behind a space, then of
/// up to four.
class Merges {
public:
    explicit Merges(std::size_t count) : count_(count) {
        constexpr std::string_view letters = "etaoinshrdlcumwfgypbvkjxqz";  // by how often English has them
        std::vector<std::string> one;
        for (const char c : letters) one.emplace_back(1, c);
        const auto pairs = products(one, one);
        const auto begun = products({io::byte_symbol(' ')}, one);
        products(products(begun, one), one);
        products(pairs, one);
        products(pairs, pairs);
        require(all_.size() == count_, "merges of letters end at ", all_.size(), ", expected ", count_);
    }
    /// Left and right part of each.
    const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

private:
    std::vector<std::string> products(const std::vector<std::string>& left, const std::vector<std::string>& right) {
        std::vector<std::string> made;
        for (const std::string& a : left)
            for (const std::string& b : right) {
                if (all_.size() == count_) return made;
                all_.emplace_back(a, b);
                made.push_back(a + b);
            }
        return made;
    }

    std::size_t count_;
    std::vector<std::pair<std::string, std::string>> all_;
};

/// Bytes, merges of letters and, with the last id, the end of a text.
void write_tokenizer(const std::filesystem::path& folder, index_t vocabulary) {
    nlohmann::ordered_json ids = nlohmann::ordered_json::object();
    std::int32_t id = 0;
    for (const unsigned char b : io::byte_order()) ids.push_back({io::byte_symbol(b), id++});
    std::string merges = "#version: 0.2\n";
    const Merges made(static_cast<std::size_t>(vocabulary) - 257);
    for (const auto& [a, b] : made.all()) {
        ids.push_back({a + b, id++});
        merges += a + " " + b + "\n";
    }
    ids.push_back({"<|endoftext|>", id});
    io::write_file(folder / "vocab.json", ids.dump() + "\n");
    io::write_file(folder / "merges.txt", merges);
}

stand_in::Tensors tensors(const Shape& s) {
    const index_t c = s.hidden;
    stand_in::Tensors all{{"wte.weight", {s.vocabulary, c}}, {"wpe.weight", {s.positions, c}}};
    const auto pair = [&](const std::string& name, std::vector<index_t> shape) {
        const index_t columns = shape.back();
        all.emplace_back(name + ".weight", std::move(shape));
        all.emplace_back(name + ".bias", std::vector<index_t>{columns});
    };
    for (index_t i = 0; i < s.layers; ++i) {
        const std::string layer = "h." + std::to_string(i) + ".";
        pair(layer + "ln_1", {c});
        pair(layer + "attn.c_attn", {c, 3 * c});
        pair(layer + "attn.c_proj", {c, c});
        pair(layer + "ln_2", {c});
        pair(layer + "mlp.c_fc", {c, 4 * c});
        pair(layer + "mlp.c_proj", {4 * c, c});
    }
    pair("ln_f", {c});
    return all;
}

/// Tokens weigh less than positions, as logits are products with their embeddings: else each token would be followed by
/// itself. Branches that join the residual stream have a gain below 1, so that depth does not blow it up.
std::pair<float, float> spread(const std::string& name, const std::vector<index_t>& shape) {
    const bool norm = name.find("ln_") != name.npos;
    if (shape.size() == 1) return norm && name.ends_with("weight") ? std::pair(0.1f, 1.0f) : std::pair(0.05f, 0.0f);
    if (name == "wte.weight") return {1.0f / std::sqrt(static_cast<float>(shape[1])), 0.0f};
    if (name == "wpe.weight") return {0.5f, 0.0f};
    const float gain = name.ends_with("c_proj.weight") ? 0.6f : 1.0f;
    return {gain / std::sqrt(static_cast<float>(shape[0])), 0.0f};
}

}  // namespace

void make_model(const std::string& kind, const std::filesystem::path& given, std::uint64_t seed,
                const std::string& dtype) {
    require(kind == "tiny" || kind == "124m" || kind == "355m", "--make-model ", kind, ": expected tiny, 124m or 355m");
    const std::filesystem::path folder = stand_in::new_folder(given);
    const Shape s = kind == "tiny"   ? Shape{300, 1024, 64, 2, 2}
                    : kind == "124m" ? Shape{50257, 1024, 768, 12, 12}
                                     : Shape{50257, 1024, 1024, 24, 16};
    stand_in::write_folder(folder, [&](const std::filesystem::path& part) {
        stand_in::write_json(part / "config.json",
                             {{"architectures", {"GPT2LMHeadModel"}}, {"model_type", "gpt2"},
                              {"vocab_size", s.vocabulary}, {"n_positions", s.positions}, {"n_embd", s.hidden},
                              {"n_layer", s.layers}, {"n_head", s.heads}, {"activation_function", "gelu_new"},
                              {"layer_norm_epsilon", 1e-5}, {"bos_token_id", s.vocabulary - 1},
                              {"eos_token_id", s.vocabulary - 1}});
        write_tokenizer(part, s.vocabulary);
        const auto file = part / "model.safetensors";
        if (dtype == "fp32") stand_in::write_weights<float>(file, tensors(s), seed, spread);
        else if (dtype == "fp16") stand_in::write_weights<fp16>(file, tensors(s), seed, spread);
        else stand_in::write_weights<bf16>(file, tensors(s), seed, spread);
    });
}
