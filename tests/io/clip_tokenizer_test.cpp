// SPDX-License-Identifier: Apache-2.0
/// Against transformers' CLIPTokenizerFast: golden/make_tokenizer_golden.py
#include <inlay/io/clip_tokenizer.hpp>

#include "folder.hpp"

#include <tests_folder.hpp>

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace inlay::io;
using Ids = std::vector<std::int32_t>;

const Json& golden() {
    static const Json json = read_json_object(test::golden() / "tokenizer.json");
    return json;
}

/// CLIP's merges are not part of the repository: they are looked for under INLAY_DATA, then beside the repository.
test::fs::path merges_file() {
    const char* data = std::getenv("INLAY_DATA");
    const auto beside = test::fs::path(inlay_test::tests_folder()) / ".." / ".." / "shared" / "data";
    const auto folder = data ? test::fs::path(data) : beside;
    return folder / "clip_bpe_merges.txt.gz";
}

std::string unpacked(const test::fs::path& path) {
    const gzFile file = gzopen(path.c_str(), "rb");
    std::string out, block(1 << 16, '\0');
    for (int n; (n = gzread(file, block.data(), static_cast<unsigned>(block.size()))) > 0;)
        out.append(block, 0, static_cast<std::size_t>(n));
    gzclose(file);
    return out;
}

/// As openai/CLIP's simple_tokenizer builds it: bytes, bytes that end a word, lines 2 to 48895 of the merges, specials.
TokenizerFiles clip_files(const std::string& pad) {
    const std::string text = unpacked(merges_file());
    std::string merges = "#version: 0.2\n";
    std::size_t begin = text.find('\n') + 1;
    Json vocabulary = Json::object();
    int id = 0;
    for (const char* end : {"", "</w>"})
        for (const unsigned char b : byte_order()) vocabulary[byte_symbol(b) + end] = id++;
    for (int i = 0; i < 49152 - 256 - 2; ++i) {
        const std::size_t end = text.find('\n', begin), space = text.find(' ', begin);
        vocabulary[text.substr(begin, space - begin) + text.substr(space + 1, end - space - 1)] = id++;
        merges += text.substr(begin, end + 1 - begin);
        begin = end + 1;
    }
    vocabulary["<|startoftext|>"] = id++;
    vocabulary["<|endoftext|>"] = id++;
    const auto special = [](const char* content) { return Json{{"content", content}, {"normalized", true}}; };
    const Json config{{"bos_token", special("<|startoftext|>")},
                      {"eos_token", special("<|endoftext|>")},
                      {"unk_token", special("<|endoftext|>")},
                      {"pad_token", pad}};
    return parse_tokenizer(vocabulary.dump(), merges, config.dump());
}

void expect_golden(const ClipTokenizer& tokenizer, const char* name) {
    const Json& expected = golden()[name];
    const auto prompts = golden()["prompts"].get<std::vector<std::string>>();
    const std::size_t step = expected["step"];
    ASSERT_EQ(expected["ids"].size(), (prompts.size() + step - 1) / step);
    for (std::size_t i = 0; i < prompts.size(); i += step) {
        Ids ids = expected["ids"][i / step].get<Ids>();
        const bool whole = ids.size() < 77;
        ids.resize(77, tokenizer.pad());
        const Encoded encoded = tokenizer.encode(prompts[i]);
        EXPECT_EQ(encoded.ids, ids) << Json(prompts[i]);
        const auto dropped = expected["dropped"].find(std::to_string(i));
        EXPECT_EQ(encoded.dropped, dropped == expected["dropped"].end() ? "" : std::string(*dropped))
            << Json(prompts[i]);
        EXPECT_TRUE(!whole || encoded.dropped.empty());
    }
}

#define NEED_MERGES()                                                                                         \
    if (!test::fs::exists(merges_file()))                                                                     \
    GTEST_SKIP() << "CLIP's merges are not there: " << merges_file() << " (set INLAY_DATA to their folder)"

TEST(ClipTokenizer, GivesTheIdsOfTransformers) {
    NEED_MERGES();
    ASSERT_GE(golden()["prompts"].size(), 500u);
    const ClipTokenizer tokenizer(clip_files("<|endoftext|>"));
    EXPECT_EQ(tokenizer.vocabulary_size(), 49408);
    EXPECT_EQ(tokenizer.bos(), 49406);
    EXPECT_EQ(tokenizer.eos(), 49407);
    EXPECT_EQ(tokenizer.pad(), 49407);
    expect_golden(tokenizer, "clip");
}

/// Stable Diffusion 2 pads with "!", which thereby becomes a special token inside prompts too.
TEST(ClipTokenizer, GivesTheIdsOfTransformersWithAnotherPadding) {
    NEED_MERGES();
    const ClipTokenizer tokenizer(clip_files("!"));
    EXPECT_EQ(tokenizer.pad(), 0);
    expect_golden(tokenizer, "pad");
}

TEST(ClipTokenizer, GivesTheIdsOfTransformersForBytes) {
    const test::Folder folder;
    write_byte_vocabulary(folder.path());
    const ClipTokenizer tokenizer(folder.path());
    EXPECT_EQ(tokenizer.vocabulary_size(), 514);
    expect_golden(tokenizer, "bytes");
}

TEST(ClipTokenizer, ReadsTheFolderOfATinyModel) {
    const ClipTokenizer tokenizer(test::golden() / "tiny-sd" / "tokenizer");
    expect_golden(tokenizer, "bytes");
}

TEST(ClipTokenizer, EmptyPromptIsStartAndPadding) {
    const ClipTokenizer tokenizer(test::golden() / "tiny-sd" / "tokenizer");
    Ids expected(77, 513);
    expected[0] = 512;
    const Encoded encoded = tokenizer.encode("");
    EXPECT_EQ(encoded.ids, expected);
    EXPECT_EQ(encoded.dropped, "");
}

TEST(ClipTokenizer, HandsBackWhatDidNotFit) {
    const ClipTokenizer tokenizer(test::golden() / "tiny-sd" / "tokenizer");
    const Encoded encoded = tokenizer.encode(std::string(70, 'x') + " five SIX Seven");
    EXPECT_EQ(encoded.ids.size(), 77u);
    EXPECT_EQ(encoded.ids.back(), tokenizer.eos());
    EXPECT_EQ(encoded.dropped, "ix seven");  // 70 + 4 tokens, and the s of six
}

TEST(ClipTokenizer, IllFormedTextIsAnError) {
    const ClipTokenizer tokenizer(test::golden() / "tiny-sd" / "tokenizer");
    EXPECT_EQ(test::error_of([&] { tokenizer.encode("a cat\xff"); }),
              "inlay: the text is not valid UTF-8 1 bytes before its end");
    EXPECT_EQ(test::error_of([&] { tokenizer.decode(Ids{9999}); }), "inlay: the tokenizer has no token with id 9999");
}

/// 2^18 letters in one word: the time grows by n log n.
TEST(ClipTokenizer, LongWordIsNoTrouble) {
    NEED_MERGES();
    const ClipTokenizer tokenizer(clip_files("<|endoftext|>"));
    EXPECT_GT(tokenizer.encode(std::string(1 << 18, 'a')).dropped.size(), 1u << 17);
}

}  // namespace
