// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/config/keys.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace inlay::io;
using inlay::index_t;

/// The sentence of reading one key of a config.
template <class Read>
std::string error_of(const char* json, Read&& read) {
    const Json config = Json::parse(json);
    return test::error_of([&] {
        ConfigKeys keys(config, "unet: config.json");
        read(keys);
        keys.done();
    });
}

TEST(ConfigKeys, AbsentAndNullAreTheDefault) {
    const Json config = Json::parse(R"({"a": null, "b": 3})");
    ConfigKeys keys(config, "unet: config.json");
    EXPECT_EQ(keys.integer("a", 7), 7);
    EXPECT_EQ(keys.integer("absent", 8), 8);
    EXPECT_EQ(keys.integer("b", 7), 3);
    EXPECT_FALSE(keys.given("a"));
    EXPECT_TRUE(keys.given("b"));
    keys.done();
}

TEST(ConfigKeys, ValuesOfOtherTypesAreNamed) {
    EXPECT_EQ(error_of(R"({"n": 0})", [](ConfigKeys& k) { k.integer("n", 1); }),
              "inlay: unet: config.json: 'n' is 0, expected a positive integer");
    EXPECT_EQ(error_of(R"({"n": "x"})", [](ConfigKeys& k) { k.number("n", 1); }),
              "inlay: unet: config.json: 'n' is \"x\", expected a number");
    EXPECT_EQ(error_of(R"({"n": 1})", [](ConfigKeys& k) { k.boolean("n", true); }),
              "inlay: unet: config.json: 'n' is 1, expected true or false");
    EXPECT_EQ(error_of("[]", [](ConfigKeys&) {}), "inlay: unet: config.json is a JSON array, expected an object");
}

TEST(ConfigKeys, OnlyTheseValues) {
    const auto only = [](ConfigKeys& k) { k.one_of("act", {"silu", "swish"}); };
    EXPECT_EQ(error_of(R"({"act": "swish"})", only), "no error");
    EXPECT_EQ(error_of(R"({"act": "mish"})", only),
              "inlay: unet: config.json: 'act' is \"mish\", expected \"silu\" or \"swish\"");
    EXPECT_EQ(error_of(R"({"kind": 1})", [](ConfigKeys& k) { k.only_null("kind"); }),
              "inlay: unet: config.json: 'kind' is 1, expected null");
}

/// null is a value of its own for such a key.
TEST(ConfigKeys, UnlessNull) {
    const auto mid = [](const char* json) {
        const Json config = Json::parse(json);
        return ConfigKeys(config, "unet: config.json").unless_null("mid", "Block");
    };
    EXPECT_TRUE(mid("{}"));
    EXPECT_TRUE(mid(R"({"mid": "Block"})"));
    EXPECT_FALSE(mid(R"({"mid": null})"));
    EXPECT_EQ(error_of(R"({"mid": 1})", [](ConfigKeys& k) { k.unless_null("mid", "Block"); }),
              "inlay: unet: config.json: 'mid' is 1, expected \"Block\" or null");
}

TEST(ConfigKeys, AListOfOneValueIsThatValue) {
    const auto heads = [](const char* json) {
        const Json config = Json::parse(json);
        ConfigKeys keys(config, "unet: config.json");
        keys.unfold("heads", 3);
        return keys.integer("heads", 1);
    };
    EXPECT_EQ(heads(R"({"heads": [8, 8, 8]})"), 8);
    EXPECT_EQ(heads(R"({"heads": 5})"), 5);
    for (const char* other : {R"({"heads": [8, 8]})", R"({"heads": [8, 8, 4]})"})
        EXPECT_NE(test::error_of([&] { heads(other); }), "no error") << other;
}

TEST(ConfigKeys, UnknownKeysAreRefused) {
    const auto none = [](ConfigKeys& k) { k.without_effect({"sample_size"}); };
    EXPECT_EQ(error_of(R"({"sample_size": 64, "_class_name": "x", "new": null})", none), "no error");
    EXPECT_EQ(error_of(R"({"new": 2})", none),
              "inlay: unet: config.json: the key 'new' (2) is unknown, and so is its effect, expected no such key: "
              "delete it if it changes nothing");
}

}  // namespace
