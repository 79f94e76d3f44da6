// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/tokenizer/clip.hpp>
#include <inlay/io/tokenizer/files.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

using namespace inlay::io;

constexpr const char* vocabulary = R"({"a":0,"a</w>":1,"!":2,"<|startoftext|>":3,"<|endoftext|>":4})";

/// "<|endoftext|> raw, <|startoftext|> normalized"
std::string special(const TokenizerFiles& files) {
    std::string out;
    std::map<std::string, AddedToken> sorted;
    for (const AddedToken& t : files.added) sorted[t.content] = t;
    for (const auto& [content, t] : sorted)
        out += (out.empty() ? "" : ", ") + t.content + (t.normalized ? " normalized" : " raw");
    return out;
}
std::string special_of(const std::string& config) { return special(parse_tokenizer(vocabulary, "", config)); }

std::string token(const char* key, const char* content, bool normalized) {
    return std::string("\"") + key + "\":{\"content\":\"" + content +
           "\",\"normalized\":" + (normalized ? "true}" : "false}");
}

/// transformers 5.23 gave each of these; where it has no padding token (null), ours is the end token.
TEST(TokenizerFiles, LastDistinctSpellingOfASpecialTokenCounts) {
    const char* eos = "<|endoftext|>";
    const std::string pad = "\"pad_token\":\"<|endoftext|>\"";
    const auto with = [&](const std::string& a, const std::string& b, const std::string& c) {
        return special_of("{" + a + "," + b + "," + c + "}");
    };
    const std::string bos = ", <|startoftext|> raw";
    EXPECT_EQ(special_of("{}"), "<|endoftext|> raw" + bos);
    EXPECT_EQ(with(token("eos_token", eos, true), token("unk_token", eos, true), pad), "<|endoftext|> raw" + bos);
    EXPECT_EQ(with(token("eos_token", eos, true), token("unk_token", eos, true), token("pad_token", eos, true)),
              "<|endoftext|> normalized" + bos);
    EXPECT_EQ(with(token("eos_token", eos, false), token("unk_token", eos, true), token("pad_token", eos, false)),
              "<|endoftext|> normalized" + bos);
    EXPECT_EQ(with(token("eos_token", eos, true), token("unk_token", eos, false), token("pad_token", eos, true)),
              "<|endoftext|> raw" + bos);
    EXPECT_EQ(with("\"eos_token\":\"<|endoftext|>\"", token("unk_token", eos, true), pad),
              "<|endoftext|> normalized" + bos);
    EXPECT_EQ(special_of(R"({"pad_token":"!"})"), "! raw, <|endoftext|> raw" + bos);
    EXPECT_EQ(special_of(R"({"pad_token":null})"), "<|endoftext|> raw" + bos);
    EXPECT_EQ(special_of(R"({"added_tokens_decoder":{"3":{"content":"<|startoftext|>","normalized":true},
                             "4":{"content":"<|endoftext|>","normalized":true}},"pad_token":"<|endoftext|>"})"),
              "<|endoftext|> normalized, <|startoftext|> normalized");
}

TEST(TokenizerFiles, SpecialTokensMapOverrulesTheConfig) {
    const test::Folder folder;
    test::put(folder / "vocab.json", vocabulary);
    test::put(folder / "merges.txt", "#version: 0.2\r\na a</w>\r\n\n");
    test::put(folder / "tokenizer_config.json", R"({"pad_token":"<|endoftext|>"})");
    test::put(folder / "special_tokens_map.json", R"({"pad_token":"!"})");
    const TokenizerFiles files = read_tokenizer(folder.path());
    EXPECT_EQ(files.pad, "!");
    EXPECT_EQ(files.eos, "<|endoftext|>");
    EXPECT_EQ(files.merges, (Merges{{"a", "a</w>"}}));
}

/// Byte order marks and line ends, as editors and checkouts on Windows write them.
TEST(TokenizerFiles, MarksOfUtf8AndLineEndsOfWindowsChangeNothing) {
    const std::string mark = "\xef\xbb\xbf";
    const test::Folder folder;
    test::put(folder / "vocab.json", mark + "{\r\n \"a\": 0,\r\n \"a</w>\": 1, \"aa</w>\": 2,\r\n"
                                            " \"<|startoftext|>\": 3, \"<|endoftext|>\": 4}\r\n");
    test::put(folder / "tokenizer_config.json", mark + "{\r\n\"pad_token\": \"a\"}\r\n");
    test::put(folder / "special_tokens_map.json", mark + "{\"unk_token\":\r\n\"a\"}");
    for (const char* merges : {"#version: 0.2\r\na a</w>\r\n", "a a</w>\r\n", "a a</w>"}) {
        test::put(folder / "merges.txt", mark + merges);
        const TokenizerFiles files = read_tokenizer(folder.path());
        EXPECT_EQ(files.merges, (Merges{{"a", "a</w>"}}));
        EXPECT_EQ(files.pad, "a");
        EXPECT_EQ(files.unknown, "a");
    }
    test::put(folder / "merges.txt", std::string_view("\xff\xfe" "a\0", 4));
    EXPECT_EQ(test::error_of([&] { read_tokenizer(folder.path()); }),
              "inlay: '" + (folder / "merges.txt").string() + "' is text in UTF-16, expected UTF-8");
}

/// The one file that transformers 5 saves.
TEST(TokenizerFiles, ReadsTokenizerJson) {
    const test::Folder folder;
    const std::string front =
        R"({"added_tokens":[{"id":3,"content":"<|startoftext|>","normalized":true}],"model":{"vocab":)";
    for (const char* merges : {R"(["a a</w>"])", R"([["a","a</w>"]])"}) {
        test::put(folder / "tokenizer.json", front + vocabulary + ",\"merges\":" + merges + "}}");
        const TokenizerFiles files = read_tokenizer(folder.path());
        EXPECT_EQ(files.merges, (Merges{{"a", "a</w>"}}));
        EXPECT_EQ(files.vocabulary.at("!"), 2);
        EXPECT_EQ(special(files), "<|endoftext|> raw, <|startoftext|> normalized");
    }
    test::put(folder / "tokenizer.json", "{}");
    EXPECT_EQ(test::error_of([&] { read_tokenizer(folder.path()); }),
              "inlay: '" + (folder / "tokenizer.json").string() + "' has no BPE model with vocab and merges");
}

TEST(TokenizerFiles, MalformedTextIsOneError) {
    const auto error = [](const char* vocabulary, const char* merges, const char* config = "{}") {
        return test::error_of([&] { ClipTokenizer(parse_tokenizer(vocabulary, merges, config)); });
    };
    EXPECT_EQ(error(vocabulary, ""), "no error");
    EXPECT_EQ(error("{", ""), "inlay: tokenizer is not valid JSON at its byte 2");
    EXPECT_EQ(error("[]", ""), "inlay: tokenizer holds a JSON array, expected an object of ids");
    for (const char* id : {R"({"a":-1})", R"({"a":1.5})", R"({"a":"1"})", R"({"a":2147483648})", R"({"a":null})"})
        EXPECT_EQ(error(id, ""), "inlay: tokenizer: the id of token 'a' is not a whole number from 0 to 2147483646");
    EXPECT_EQ(error("{}", ""), "inlay: the tokenizer's vocabulary lacks the special token '<|startoftext|>'");
    EXPECT_EQ(error(vocabulary, "#version\na a\nb"), "inlay: tokenizer: line 3 is not two tokens with a space between");
    EXPECT_EQ(error(vocabulary, "a a a"), "inlay: tokenizer: line 1 is not two tokens with a space between");
    EXPECT_EQ(error(vocabulary, "a b"), "inlay: the merges use 'b', which the vocabulary lacks");
    EXPECT_EQ(error(vocabulary, "", "[]"), "inlay: tokenizer: the config is a JSON array, expected an object");
    EXPECT_EQ(error(vocabulary, "", R"({"pad_token":7})"),
              "inlay: tokenizer: a special token is neither text nor an object with 'content'");
    EXPECT_EQ(error(vocabulary, "", R"({"added_tokens_decoder":{"9":{"content":"!"}}})"),
              "inlay: tokenizer: the added token '!' has id 9, expected 2, that of the vocabulary");
}

TEST(TokenizerFiles, MissingFilesAreNamed) {
    const test::Folder folder;
    EXPECT_EQ(test::error_of([&] { read_tokenizer(folder / "no"); }),
              "inlay: no such tokenizer folder: '" + (folder / "no").string() + "'");
    EXPECT_EQ(test::error_of([&] { read_tokenizer(folder.path()); }),
              "inlay: cannot open '" + (folder / "vocab.json").string() + "': No such file or directory");
    test::put(folder / "vocab.json", vocabulary);
    EXPECT_EQ(test::error_of([&] { read_tokenizer(folder.path()); }),
              "inlay: cannot open '" + (folder / "merges.txt").string() + "': No such file or directory");
}

/// The same vocabulary as the one a Python script wrote for transformers (tests/parity/pipeline_files.py).
TEST(TokenizerFiles, ByteVocabularyIsThatOfTheTinyModel) {
    const test::Folder folder;
    write_byte_vocabulary(folder / "a" / "tokenizer");
    const auto tiny = test::golden() / "tiny-sd" / "tokenizer";
    for (const char* name : {"vocab.json", "special_tokens_map.json", "tokenizer_config.json"})
        EXPECT_EQ(read_json_object(folder / "a" / "tokenizer" / name), read_json_object(tiny / name)) << name;
    EXPECT_EQ(test::get(folder / "a" / "tokenizer" / "merges.txt"), test::get(tiny / "merges.txt"));
    EXPECT_EQ(folder.entries(), 6) << "two folders and four files";
}

}  // namespace
