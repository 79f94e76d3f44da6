// SPDX-License-Identifier: Apache-2.0
/// Against transformers' CLIPTokenizer: golden/make_added_tokens_golden.py
#include <inlay/io/tokenizer/clip.hpp>

#include "clip_vocabulary.hpp"
#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay::io;
using Ids = std::vector<std::int32_t>;

/// The folder that a case of the golden file describes.
void write_case(const Json& c, const test::fs::path& folder) {
    test::fs::create_directories(folder);
    test::fs::copy(test::golden() / "tiny-sd" / "tokenizer", folder);
    if (c["base"] == "clip") {
        const test::ClipVocabulary& clip = test::clip_vocabulary();
        test::put(folder / "vocab.json", clip.vocabulary);
        test::put(folder / "merges.txt", clip.merges);
    }
    for (const auto& [name, content] : c["files"].items()) test::put(folder / name, content.dump());
    if (c["single"].is_null()) return;
    const Json single{{"added_tokens", c["single_tokens"]},
                      {"model", {{"vocab", read_json_object(folder / "vocab.json")}, {"merges", Json::array()}}}};
    test::put(folder / "tokenizer.json", single.dump());
    if (c["single"] == "alone")
        for (const char* name : {"vocab.json", "merges.txt"}) test::fs::remove(folder / name);
}

void expect_golden(const char* base, std::size_t least) {
    const Json golden = read_json_object(test::golden() / "added_tokens.json");
    std::size_t texts = 0;
    for (const Json& c : golden["cases"]) {
        if (c["base"] != base) continue;
        const test::Folder folder;
        write_case(c, folder / "t");
        const ClipTokenizer tokenizer(folder / "t");
        EXPECT_EQ(tokenizer.vocabulary_size(), c["size"].get<std::int32_t>()) << c["files"];
        for (std::size_t i = 0; i < c["texts"].size(); ++i) {
            const auto text = c["texts"][i].get<std::string>();
            const Ids ids = tokenizer.tokenize(text);
            EXPECT_EQ(ids, c["ids"][i].get<Ids>()) << Json(text) << " " << c["files"] << c["single_tokens"];
            EXPECT_EQ(tokenizer.decode(ids), c["decoded"][i].get<std::string>()) << Json(text);
            ++texts;
        }
    }
    EXPECT_GE(texts, least);
}

TEST(AddedTokens, GiveTheIdsOfTransformersForBytes) {
    expect_golden("bytes", 400);
}
TEST(AddedTokens, GiveTheIdsOfTransformers) {
    NEED_MERGES();
    expect_golden("clip", 60);
}

std::string error_of(const std::string& config, const std::string& added = "{}") {
    constexpr const char* vocabulary = R"({"a":0,"a</w>":1,"!":2,"<|startoftext|>":3,"<|endoftext|>":4})";
    return test::error_of([&] { ClipTokenizer(parse_tokenizer(vocabulary, "", config, added)); });
}

/// transformers 5 would give such a token another id than the file, and so another row of the embeddings.
TEST(AddedTokens, IdsFollowTheVocabulary) {
    EXPECT_EQ(error_of("{}", R"({"<x>":5,"<y>":6})"), "no error");
    EXPECT_EQ(error_of("{}", R"({"<y>":6,"<x>":5,"a":0})"), "no error");
    EXPECT_EQ(error_of("{}", R"({"<x>":9})"),
              "inlay: tokenizer: the added token '<x>' has id 9, expected 5, the first one that is free");
    EXPECT_EQ(error_of("{}", R"({"<x>":2})"),
              "inlay: tokenizer: the added token '<x>' has id 2, expected 5, the first one that is free");
    EXPECT_EQ(error_of("{}", R"({"a":5})"),
              "inlay: tokenizer: the added token 'a' has id 5, expected 0, that of the vocabulary");
    EXPECT_EQ(error_of(R"({"added_tokens_decoder":{"x":{"content":"<x>"}}})"),
              "inlay: tokenizer: the id of token '<x>' is 'x', expected a whole number");
    for (const char* id : {"-1", "1.5", "\"5\"", "null", "12345678901"})
        EXPECT_NE(error_of("{}", std::string("{\"<x>\":") + id + "}").find("expected a whole number"),
                  std::string::npos)
            << id;
    EXPECT_EQ(error_of("{}", "[]"),
              "inlay: tokenizer: the added tokens are a JSON array, expected an object of ids");
    EXPECT_EQ(error_of(R"({"added_tokens_decoder":{"5":{"content":"<x>","lstrip":1}}})"),
              "inlay: tokenizer: 'lstrip' of token '<x>' is 1, expected true or false");
    EXPECT_EQ(error_of(R"({"added_tokens_decoder":[{"content":"<x>"}]})"),
              "inlay: tokenizer: the config: 'added_tokens_decoder' is [{\"content\":\"<x>\"}], expected an object of "
              "tokens by their ids");
    EXPECT_EQ(error_of(R"({"added_tokens_decoder":null})"), "no error");
}

/// White space is stripped by its bytes: a stray byte behind it, or between it and a token, is refused all the same.
TEST(AddedTokens, StrayBytesBesideThemAreErrors) {
    constexpr const char* vocabulary = R"({"a":0,"a</w>":1,"!":2,"<|startoftext|>":3,"<|endoftext|>":4})";
    for (const char* flag : {"lstrip", "rstrip", "single_word"}) {
        const Json token{{"content", "<x>"}, {"normalized", false}, {flag, true}};
        const ClipTokenizer tokenizer(
            parse_tokenizer(vocabulary, "", Json{{"added_tokens_decoder", {{"5", token}}}}.dump()));
        for (const char* space : {"", " ", "\u00a0", "\u3000"}) {
            EXPECT_EQ(tokenizer.tokenize(std::string("!") + space + "<x>" + space + "!").at(1), 5) << flag;
            for (const char* stray : {"\x80", "\xa3", "\xc3", "\xff"})
                for (const std::string& text :
                     {std::string(space) + stray + "<x>", std::string("<x>") + space + stray,
                      std::string(space) + stray + space + "<x>", std::string("<x>") + space + stray + space})
                    EXPECT_NE(test::error_of([&] { tokenizer.tokenize(text); }).find("is not valid UTF-8"),
                              std::string::npos)
                        << flag << ' ' << unicode::repaired(text);
        }
    }
}

TEST(AddedTokens, EveryKeyOfATokenizerIsKnownOrRefused) {
    EXPECT_EQ(
        error_of(R"({"tokenizer_class":"CLIPTokenizer","model_max_length":77,"do_lower_case":true,"errors":"replace",
                           "add_prefix_space":false,"clean_up_tokenization_spaces":true,"name_or_path":"x",
                           "special_tokens_map_file":"./special_tokens_map.json","_x":1,"y":null})"),
        "no error");
    EXPECT_EQ(error_of(R"({"model_max_length":1000000000000000019884624838656})"), "no error");
    const std::string front = "inlay: tokenizer: the config: ";
    EXPECT_EQ(error_of(R"({"model_max_length":64})"), front + "'model_max_length' is 64, expected at least 77");
    EXPECT_EQ(error_of(R"({"tokenizer_class":"T5Tokenizer"})"),
              front + "'tokenizer_class' is \"T5Tokenizer\", expected \"CLIPTokenizer\" or \"CLIPTokenizerFast\"");
    EXPECT_EQ(error_of(R"({"padding_side":"left"})"), front + "'padding_side' is \"left\", expected \"right\"");
    EXPECT_EQ(error_of(R"({"split_special_tokens":true})"), front + "'split_special_tokens' is true, expected false");
    EXPECT_EQ(error_of(R"({"brand_new":1})"),
              front +
                  "the key 'brand_new' (1) is unknown, and so is its effect, expected no such key: delete it if it "
                  "changes nothing");
}

}  // namespace
