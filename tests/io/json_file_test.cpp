// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/json_file.hpp>

#include "folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
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

/// As Python's json.dump writes them and json.load reads them.
TEST(JsonFile, ReadsThePythonNumbersThatJsonLacks) {
    const Json json = parse_json(R"({"a": -Infinity, "b": [Infinity, null, 1.5, NaN], "c": null, "NaN": "a \"NaN\", \\",
                                     "d": {"e": -Infinity}, "f": "Infinity"})", "it");
    EXPECT_EQ(json["a"], -INFINITY);
    EXPECT_EQ(json["b"][0], INFINITY);
    EXPECT_TRUE(json["b"][1].is_null());
    EXPECT_EQ(json["b"][2], 1.5);
    EXPECT_TRUE(std::isnan(json["b"][3].get<double>()));
    EXPECT_TRUE(json["c"].is_null());
    EXPECT_EQ(json["NaN"], "a \"NaN\", \\");
    EXPECT_EQ(json["d"]["e"], -INFINITY);
    EXPECT_EQ(json["f"], "Infinity");
    EXPECT_TRUE(std::isnan(parse_json("NaN", "it").get<double>()));
    EXPECT_EQ(parse_json("\xef\xbb\xbf[Infinity]", "it")[0], INFINITY);
    EXPECT_EQ(shown(json["a"]), "-Infinity");
    EXPECT_EQ(shown(json["b"][0]), "Infinity");
    EXPECT_EQ(shown(json["b"][3]), "NaN");
    // An error of syntax names the byte of the text as it was given.
    const auto error = [](const char* text) { return test::error_of([&] { parse_json(text, "it"); }); };
    EXPECT_EQ(error("[NaN, NaN, -Infinity, x]"), "inlay: it is not valid JSON at its byte 23");
    EXPECT_EQ(error("[-NaN]"), "inlay: it is not valid JSON at its byte 3");
    EXPECT_EQ(error("[+Infinity]"), "inlay: it is not valid JSON at its byte 2");
    EXPECT_EQ(error("[NaNs]"), "inlay: it is not valid JSON at its byte 5");
    EXPECT_EQ(error("[nan]"), "inlay: it is not valid JSON at its byte 3");
    EXPECT_EQ(error("{NaN: 1}"), "inlay: it is not valid JSON at its byte 4");
    EXPECT_EQ(error("[NaN, 9e99999]"), "inlay: it holds a number that is too large");
    EXPECT_EQ(error("[\"Infinity"), "inlay: it is not valid JSON at its byte 11");
}

TEST(JsonFile, TextInUtf16IsNamed) {
    for (const std::string_view text : {"\xff\xfe{\0}\0", "\xfe\xff\0{\0}"})
        EXPECT_EQ(test::error_of([&] { parse_json(text, "it"); }), "inlay: it is text in UTF-16, expected UTF-8");
}

}  // namespace
