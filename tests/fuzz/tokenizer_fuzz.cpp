// SPDX-License-Identifier: Apache-2.0
/// Any bytes as prompt, and any bytes as vocabulary, merges, config and added tokens: an error, or ids that the
/// vocabulary has.
#include <inlay/io/tokenizer/clip.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace inlay::io;

namespace {

void check(bool ok) {
    if (!ok) std::abort();
}

/// A vocabulary of bytes and some merges.
const TokenizerFiles& toy_files() {
    static const TokenizerFiles files = [] {
        Json vocabulary = Json::object();
        int id = 0;
        for (const char* end : {"", "</w>"})
            for (const unsigned char b : byte_order()) vocabulary[byte_symbol(b) + end] = id++;
        const std::string merges =
            "t h\na n\nth e</w>\nan d</w>\ni n\n' s</w>\nÃ ©\nð Ł\nâ Ģ\na a\naa aa\n! !\n< |\n< /\n";
        std::string kept;
        for (std::size_t begin = 0; begin < merges.size();) {
            const std::size_t end = merges.find('\n', begin), space = merges.find(' ', begin);
            const std::string left = merges.substr(begin, space - begin),
                              right = merges.substr(space + 1, end - space - 1);
            if (vocabulary.contains(left) && vocabulary.contains(right)) {
                if (!vocabulary.contains(left + right)) vocabulary[left + right] = id++;
                kept += merges.substr(begin, end + 1 - begin);
            }
            begin = end + 1;
        }
        vocabulary["<|startoftext|>"] = id++;
        vocabulary["<|endoftext|>"] = id++;
        // Tokens of every flag, some of which begin alike.
        Json added = Json::object();
        for (int flags = 0; flags < 16; ++flags)
            added[std::to_string(id++)] = {{"content", std::string(flags % 3, '<') + "x" + std::to_string(flags)},
                                           {"normalized", (flags & 1) != 0},
                                           {"single_word", (flags & 2) != 0},
                                           {"lstrip", (flags & 4) != 0},
                                           {"rstrip", (flags & 8) != 0}};
        return parse_tokenizer(vocabulary.dump(), kept, Json{{"added_tokens_decoder", added}}.dump());
    }();
    return files;
}

void encode(const ClipTokenizer& tokenizer, std::string_view prompt) {
    const Encoded encoded = tokenizer.encode(prompt);
    check(encoded.ids.size() == ClipTokenizer::usual_length && encoded.ids[0] == tokenizer.bos());
    check(std::ranges::all_of(encoded.ids, [&](auto id) { return id >= 0 && id < tokenizer.vocabulary_size(); }));
    check(encoded.dropped.empty() || encoded.ids.back() == tokenizer.eos());
    check(unicode::repaired(encoded.dropped) == encoded.dropped);
    tokenizer.decode(encoded.ids);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const ClipTokenizer toy(toy_files());
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string repaired = unicode::repaired(text);
    encode(toy, repaired);  // well-formed text is never an error
    if (repaired != text) {
        bool refused = false;
        try {
            toy.tokenize(text);
        } catch (const inlay::Error&) {
            refused = true;
        }
        check(refused);
    }
    // vocab.json, merges.txt, tokenizer_config.json, prompt and added_tokens.json, with a byte 0 between.
    std::string_view parts[5], rest = text;
    for (auto& part : parts) {
        part = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    if (!text.starts_with('{')) return 0;
    try {
        const auto json = [](std::string_view part) { return part.empty() ? "{}" : part; };
        encode(ClipTokenizer(parse_tokenizer(parts[0], parts[1], json(parts[2]), json(parts[4]))), parts[3]);
    } catch (const inlay::Error&) {
    }
    return 0;
}
