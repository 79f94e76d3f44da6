// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/json_file.hpp>
#include <inlay/io/png.hpp>
#include <inlay/io/weights/safetensors.hpp>
#include <inlay/io/tokenizer/files.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay::io;

// Git LFS's specification, version 1.
const std::string pointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 3438167534\n";

TEST(StandIn, PointersAndPagesAreNamed) {
    EXPECT_EQ(stand_in(pointer),
              "is a Git LFS pointer to 3438167534 bytes, expected the file itself: 'git lfs pull' fetches it");
    EXPECT_EQ(stand_in("version https://git-lfs.github.com/spec/v1\n"),
              "is a Git LFS pointer, expected the file itself: 'git lfs pull' fetches it");
    for (const char* page : {"<!DOCTYPE html>\n<html>", "<!doctype HTML><html lang=en>", "\xef\xbb\xbf\r\n <html>"})
        EXPECT_EQ(stand_in(page), "is an HTML page, expected the file itself: download it anew") << page;
    EXPECT_EQ(stand_in("<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"),
              "is an XML page, expected the file itself: download it anew");
    for (const char* file : {"", "{}", "{\"<html>\": 1}", "#version: 0.2\n< html\n", "version 2", "<", "\xef\xbb\xbf"})
        EXPECT_EQ(stand_in(file), "") << file;
}

/// Every kind of file that is read.
TEST(StandIn, IsRefusedInThePlaceOfAnyFile) {
    const test::Folder folder;
    for (const auto& [bytes, what] : {std::pair{pointer, "is a Git LFS pointer to 3438167534 bytes"},
                                      std::pair{std::string("<!DOCTYPE html>"), "is an HTML page"}}) {
        const auto refused = [&, what = std::string(what)](const char* name, const auto& read) {
            test::put(folder / name, bytes);
            const std::string error = test::error_of([&] { read(folder / name); });
            EXPECT_TRUE(error.starts_with("inlay: '" + (folder / name).string() + "' " + what)) << error;
            test::fs::remove(folder / name);
        };
        refused("model.safetensors", [](const auto& path) { Safetensors file(path); });
        refused("config.json", [](const auto& path) { read_json_object(path); });
        refused("picture.png", [](const auto& path) { read_png(path); });
        test::put(folder / "tokenizer/vocab.json", R"({"<|startoftext|>":0,"<|endoftext|>":1})");
        refused("tokenizer/merges.txt", [](const auto& path) { read_tokenizer(path.parent_path()); });
        test::put(folder / "tokenizer/merges.txt", "");
        refused("tokenizer/vocab.json", [](const auto& path) { read_tokenizer(path.parent_path()); });
    }
}

}  // namespace
