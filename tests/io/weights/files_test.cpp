// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/weights/files.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace inlay::io;

/// A file with one F32 tensor whose four bytes are `data`.
std::string one(const std::string& name, const std::string& data) {
    return test::safetensors("{\"" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", data);
}
Weights open(const test::Folder& folder) {
    return open_weights(folder.path(), "m", "unet", [](std::string_view n) { return std::string(n); });
}
std::string data(const Weights& weights, const char* name) {
    return std::string(reinterpret_cast<const char*>(weights.get(name, {1}).data), 4);
}

TEST(WeightFiles, AreLookedForInOrder) {
    const test::Folder folder;
    const char* order[] = {"m.bf16.safetensors", "m.fp16.safetensors", "m.safetensors"};
    for (const char* name : order) {
        test::put(folder / name, one("w", std::string(name).substr(0, 4)));
        EXPECT_EQ(data(open(folder), "w"), std::string(name).substr(0, 4));
    }
}

TEST(WeightFiles, ShardsAreOneSetOfWeights) {
    // The names that libraries of different years give the index of a variant.
    for (const char* index :
         {"m.safetensors.index.json", "m.safetensors.index.fp16.json", "m.fp16.safetensors.index.json"}) {
        const test::Folder folder;
        test::put(folder / "m-1.safetensors", one("a", "aaaa"));
        test::put(folder / "m-2.safetensors", one("b", "bbbb"));
        test::put(folder / index,
                  R"({"metadata":{"total_size":8},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}})");
        const Weights weights = open(folder);
        EXPECT_EQ(weights.size(), 2u);
        EXPECT_EQ(data(weights, "a"), "aaaa");
        EXPECT_EQ(data(weights, "b"), "bbbb");
        EXPECT_NE(test::error_of([&] { weights.get("c", {1}); }).find(" and 1 more, expected with shape [1]"),
                  std::string::npos);
    }
}

TEST(WeightFiles, BadIndexIsOneError) {
    const test::Folder folder;
    const auto error = [&](const char* json) {
        test::put(folder / "m.safetensors.index.json", json);
        const std::string at = folder.path().string() + "/", e = test::error_of([&] { open(folder); });
        std::string out;
        for (std::size_t i = 0; i < e.size(); ++i)
            if (e.compare(i, at.size(), at) == 0) i += at.size() - 1;
            else out += e[i];
        return out;
    };
    test::put(folder / "s", one("a", "aaaa"));
    EXPECT_EQ(error("{"), "inlay: 'm.safetensors.index.json' is not valid JSON at its byte 2");
    EXPECT_EQ(error("[]"), "inlay: 'm.safetensors.index.json' holds a JSON array, expected an object");
    EXPECT_EQ(error("{}"), "inlay: 'm.safetensors.index.json' has no object 'weight_map'");
    for (const char* escape : {R"({"weight_map":{"a":1}})", R"({"weight_map":{"a":""}})",
                               R"({"weight_map":{"a":"/etc/passwd"}})", R"({"weight_map":{"a":"../s"}})",
                               R"({"weight_map":{"a":"./s"}})"})
        EXPECT_EQ(error(escape), "inlay: 'm.safetensors.index.json': the shard of tensor 'a' is not a plain file name");
    EXPECT_EQ(error(R"({"weight_map":{"a":"none"}})"), "inlay: cannot open 'none': No such file or directory");
    EXPECT_EQ(error(R"({"weight_map":{"a":"s","b":"s"}})"),
              "inlay: safetensors file 's': no tensor 'b', which 'm.safetensors.index.json' places there");
    EXPECT_EQ(error(R"({"weight_map":{"a":"s"}})"), "no error");
}

TEST(WeightFiles, MissingIsOneErrorThatSaysWhatWasFound) {
    const test::Folder folder;
    const std::string error = "inlay: '" + folder.path().string() +
                              "' has no 'm.safetensors', nor its fp16 variant or an index of shards";
    EXPECT_EQ(test::error_of([&] { open(folder); }), error);
    test::put(folder / "m.bin", "");
    EXPECT_EQ(test::error_of([&] { open(folder); }), error + "; its .bin file is not read, convert it to safetensors");
}

}  // namespace
