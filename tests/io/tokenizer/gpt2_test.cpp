// SPDX-License-Identifier: Apache-2.0
/// Against transformers' GPT2TokenizerFast: golden/make_gpt2_tokenizer_golden.py
#include <inlay/io/tokenizer/gpt2.hpp>

#include "gpt2_vocabulary.hpp"
#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay::io;
using Ids = std::vector<std::int32_t>;

const Json& golden() {
    static const Json json = read_json_object(test::golden() / "gpt2_tokenizer.json");
    return json;
}
test::fs::path tiny() { return test::golden() / "tiny-gpt2-tokenizer"; }

void expect_golden(const Gpt2Tokenizer& tokenizer, const char* name) {
    const auto strings = golden()["strings"].get<std::vector<std::string>>();
    ASSERT_GE(strings.size(), 1000u);
    ASSERT_EQ(golden()[name].size(), strings.size());
    for (std::size_t i = 0; i < strings.size(); ++i) {
        const Ids ids = tokenizer.encode(strings[i]);
        EXPECT_EQ(ids, golden()[name][i].get<Ids>()) << Json(strings[i]);
        EXPECT_EQ(tokenizer.decode(ids), strings[i]);
        TextStream stream;
        std::string streamed;
        for (const std::int32_t id : ids) {
            const std::string part = stream.add(tokenizer.bytes(id));
            EXPECT_TRUE(strings[i].find("\xef\xbf\xbd") != std::string::npos || part.find("\xef\xbf\xbd") == part.npos);
            streamed += part;
        }
        EXPECT_EQ(streamed + stream.finish(), strings[i]);
    }
}

TEST(Gpt2Tokenizer, GivesTheIdsOfTransformers) {
    NEED_TIKTOKEN();
    const test::Gpt2Vocabulary gpt2 = test::make_gpt2_vocabulary();
    const Gpt2Tokenizer tokenizer(parse_tokenizer(gpt2.vocabulary, gpt2.merges, "{}", "{}", "gpt2", gpt2_kind()));
    EXPECT_EQ(tokenizer.vocabulary_size(), 50257);
    EXPECT_EQ(tokenizer.end(), 50256);
    expect_golden(tokenizer, "gpt2");
    for (const auto& [number, text] : golden()["decoded"].items()) {
        Ids ids = golden()["gpt2"][static_cast<std::size_t>(std::stoi(number))].get<Ids>();
        ids.pop_back();
        EXPECT_EQ(tokenizer.decode(ids), text.get<std::string>());
    }
}

TEST(Gpt2Tokenizer, GivesTheIdsOfTransformersForATinyVocabulary) { expect_golden(Gpt2Tokenizer(tiny()), "tiny"); }

TEST(Gpt2Tokenizer, ReadsASingleFile) {
    const test::Folder folder;
    Json merges = Json::array();
    for (const auto& [left, right] : read_tokenizer(tiny(), gpt2_kind()).merges) merges.push_back({left, right});
    const Json vocabulary = read_json_object(tiny() / "vocab.json");
    Json file{{"added_tokens", {{{"id", 0}, {"content", "<|endoftext|>"}, {"special", true}}}},
              {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
    test::put(folder / "tokenizer.json", file.dump());
    expect_golden(Gpt2Tokenizer(folder.path()), "tiny");
    file["model"]["dropout"] = 0.1;
    test::put(folder / "tokenizer.json", file.dump());
    EXPECT_NE(test::error_of([&] { Gpt2Tokenizer{folder.path()}; }).find("'dropout' is 0.1, expected 0.0"),
              std::string::npos);
}

TEST(Gpt2Tokenizer, PutsABlankBeforeATextWhereTheConfigSaysSo) {
    TokenizerFiles files = read_tokenizer(tiny(), gpt2_kind());
    const Gpt2Tokenizer plain(files);
    files.prefix_space = true;
    const Gpt2Tokenizer prefixed(files);
    EXPECT_EQ(prefixed.encode("the row"), plain.encode(" the row"));
    EXPECT_EQ(prefixed.encode(" the row"), plain.encode(" the row"));
    EXPECT_EQ(prefixed.encode("a<|endoftext|>b"), plain.encode(" a<|endoftext|> b"));
}

TEST(Gpt2Tokenizer, BadFilesAndTextsAreErrors) {
    const auto error = [](const char* vocabulary, const char* merges, const char* config = "{}") {
        return test::error_of(
            [&] { Gpt2Tokenizer(parse_tokenizer(vocabulary, merges, config, "{}", "bad", gpt2_kind())); });
    };
    EXPECT_EQ(error(R"({"a": 0})", ""), "inlay: the tokenizer's vocabulary lacks the special token '<|endoftext|>'");
    EXPECT_EQ(error(R"({"a": 1, "<|endoftext|>": 1})", "").substr(0, 61),
              "inlay: the tokenizer's vocabulary gives the id 1 to two token");
    EXPECT_EQ(error(R"({"a": 99999999999, "<|endoftext|>": 1})", ""),
              "inlay: bad: the id of token 'a' is not a whole number from 0 to 2147483646");
    EXPECT_EQ(error(R"({"a": 0, "<|endoftext|>": 1})", "a b"),
              "inlay: the merges use 'b', which the vocabulary lacks");
    EXPECT_NE(error(R"({"a": 0, "<|endoftext|>": 1})", "", R"({"add_bos_token": true})")
                  .find("'add_bos_token' is true"), std::string::npos);
    const Gpt2Tokenizer tokenizer(tiny());
    EXPECT_EQ(test::error_of([&] { tokenizer.encode("a cat\xff"); }),
              "inlay: the text is not valid UTF-8 1 bytes before its end");
    EXPECT_EQ(test::error_of([&] { tokenizer.decode(Ids{9999}); }), "inlay: the tokenizer has no token with id 9999");
    EXPECT_TRUE(tokenizer.encode("").empty());
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(std::string("a\0b", 3))), std::string("a\0b", 3));
}

/// As in the reference: a byte without a symbol is left out, and its neighbours meet.
TEST(Gpt2Tokenizer, LeavesOutBytesThatTheVocabularyLacks) {
    const Gpt2Tokenizer tokenizer(
        parse_tokenizer(R"({"a": 0, "b": 3, "ab": 7, "<|endoftext|>": 9})", "a b", "{}", "{}", "holes", gpt2_kind()));
    EXPECT_EQ(tokenizer.encode("axb"), Ids{7});
    EXPECT_EQ(tokenizer.encode("xyz"), Ids{});
    EXPECT_EQ(tokenizer.vocabulary_size(), 10);
    EXPECT_FALSE(tokenizer.contains(5));
}

}  // namespace
