// SPDX-License-Identifier: Apache-2.0
/// Any bytes as text, and any bytes as vocabulary, merges, config and config.json of GPT-2: an error, or ids that spell
/// the text.
#include <inlay/io/config/gpt2.hpp>
#include <inlay/io/tokenizer/gpt2.hpp>

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

const Gpt2Tokenizer& toy() {
    static const Gpt2Tokenizer tokenizer = [] {
        Json vocabulary = Json::object();
        int id = 0;
        for (const unsigned char b : byte_order()) vocabulary[byte_symbol(b)] = id++;
        for (const char* token : {"th", "the", "Ġt", "aa", "aaaa", "Ã©", "<|endoftext|>"}) vocabulary[token] = id++;
        return Gpt2Tokenizer(parse_tokenizer(vocabulary.dump(), "t h\nth e\nĠ t\na a\naa aa\nÃ ©\n", "{}", "{}", "toy",
                                             gpt2_kind()));
    }();
    return tokenizer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string repaired = unicode::repaired(text);
    const auto ids = toy().encode(repaired);
    check(toy().decode(ids) == repaired);
    TextStream stream;
    std::string streamed;
    for (const char c : text) streamed += stream.add(std::string_view(&c, 1));
    check(streamed + stream.finish() == repaired);
    if (!text.starts_with('{')) return 0;
    std::string_view parts[4], rest = text;
    for (auto& part : parts) {
        part = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
    try {
        const Gpt2Tokenizer t(parse_tokenizer(parts[0], parts[1], parts[2].empty() ? "{}" : parts[2], "{}", "fuzz",
                                              gpt2_kind()));
        for (const std::int32_t id : t.encode(parts[3])) check(t.contains(id) && id < t.vocabulary_size());
    } catch (const inlay::Error&) {
    }
    try {
        const auto c = gpt2_config(parse_json(parts[0], "fuzz"));
        check(c.hidden % c.heads == 0 && c.layers > 0 && c.inner > 0);
    } catch (const inlay::Error&) {
    }
    return 0;
}
