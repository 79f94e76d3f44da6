// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/json_file.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay::io;

TEST(JsonFile, ReadsAnObject) {
    const test::Folder folder;
    test::put(folder / "x.json", "\xef\xbb\xbf{\"a\": [1, \"é\"]}\n");
    const Json json = read_json_object(folder / "x.json");
    EXPECT_EQ(json["a"][0], 1);
    EXPECT_EQ(json["a"][1], "é");
}

TEST(JsonFile, AnythingElseIsOneErrorThatNamesIt) {
    const test::Folder folder;
    const std::string name = "'" + (folder / "x.json").string() + "'";
    const auto error = [&](std::string_view text) {
        test::put(folder / "x.json", text);
        return test::error_of([&] { read_json_object(folder / "x.json"); });
    };
    EXPECT_EQ(error(""), "inlay: " + name + " is not valid JSON at its byte 1");
    EXPECT_EQ(error("{\"a\":}"), "inlay: " + name + " is not valid JSON at its byte 6");
    EXPECT_EQ(error("{\"a\":\"\xff\"}"), "inlay: " + name + " is not valid JSON at its byte 7");
    EXPECT_EQ(error("{\"a\":9e99999}"), "inlay: " + name + " holds a number that is too large");
    EXPECT_EQ(error("[1]"), "inlay: " + name + " holds a JSON array, expected an object");
    EXPECT_EQ(error("null"), "inlay: " + name + " holds a JSON null, expected an object");
    EXPECT_EQ(error("{}"), "no error");
}

}  // namespace
