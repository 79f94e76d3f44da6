// SPDX-License-Identifier: Apache-2.0
/// Against transformers' CLIPTokenizerFast: golden/make_tokenizer_golden.py
#include <inlay/io/tokenizer/clip.hpp>

#include "clip_vocabulary.hpp"
#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay::io;
using Ids = std::vector<std::int32_t>;

const Json& golden() {
    static const Json json = read_json_object(test::golden() / "tokenizer.json");
    return json;
}

TokenizerFiles clip_files(const std::string& pad) {
    const test::ClipVocabulary& clip = test::clip_vocabulary();
    const auto special = [](const char* content) { return Json{{"content", content}, {"normalized", true}}; };
    const Json config{{"bos_token", special("<|startoftext|>")},
                      {"eos_token", special("<|endoftext|>")},
                      {"unk_token", special("<|endoftext|>")},
                      {"pad_token", pad}};
    return parse_tokenizer(clip.vocabulary, clip.merges, config.dump());
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
