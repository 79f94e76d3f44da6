// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/weights/safetensors_writer.hpp>
#include <inlay/io/weights/load.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace {

using namespace inlay;
using io::Safetensors;
using io::Weights;

const auto same_name = [](std::string_view n) { return std::string(n); };

std::shared_ptr<const Safetensors> in_memory(const std::string& bytes) {
    return std::make_shared<Safetensors>(std::as_bytes(std::span(bytes)), "it");
}

TEST(Weights, RenamesAndLeavesOut) {
    const std::string bytes = test::safetensors(R"({"a.x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                                R"("b.x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                                "12345678");
    Weights weights("unet");
    weights.add(in_memory(bytes),
                [](std::string_view n) { return n.starts_with("a.") ? std::string(n.substr(2)) : ""; });
    EXPECT_EQ(weights.names(), std::vector<std::string>{"x"});
    EXPECT_EQ(std::memcmp(weights.get("x").data, "1234", 4), 0);
    EXPECT_EQ(test::error_of([&] { weights.add(in_memory(bytes), [](std::string_view) { return std::string("x"); }); }),
              "inlay: unet: tensor 'x' comes twice, from it and it");
}

TEST(Weights, ErrorsNameTensorAndBothShapes) {
    const std::string bytes = test::safetensors(
        R"({"w":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},)"
        R"("ids":{"dtype":"I64","shape":[1],"data_offsets":[24,32]}})",
        std::string(32, '\0'));
    Weights weights("unet");
    weights.add(in_memory(bytes), same_name);
    EXPECT_EQ(test::error_of([&] { weights.get("v", {3, 2}); }),
              "inlay: unet: no tensor 'v' in it, expected with shape [3, 2]");
    EXPECT_EQ(test::error_of([&] { weights.get("w", {2, 3}); }),
              "inlay: unet: tensor 'w' has shape [3, 2] in it, expected [2, 3]");
    EXPECT_EQ(test::error_of([&] { weights.get("w", {6}); }),
              "inlay: unet: tensor 'w' has shape [3, 2] in it, expected [6]");
    EXPECT_EQ(test::error_of([&] { weights.get("ids", {1}); }),
              "inlay: it: tensor 'ids' is I64, expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or I32");
    EXPECT_EQ(test::error_of([&] { Weights("vae").get("w", {1}); }),
              "inlay: vae: no tensor 'w' in no file, expected with shape [1]");
}

TEST(Weights, MatrixAndOneByOneFilterAreTheSame) {
    const std::string bytes = test::safetensors(R"({"conv":{"dtype":"F16","shape":[3,2,1,1],"data_offsets":[0,12]},)"
                                                R"("line":{"dtype":"F16","shape":[3,2],"data_offsets":[12,24]},)"
                                                R"("old":{"dtype":"F16","shape":[3,1,1],"data_offsets":[24,30]},)"
                                                R"("three":{"dtype":"F16","shape":[1,1,3,3],"data_offsets":[30,48]}})",
                                                std::string(48, '\0'));
    Weights weights("vae");
    weights.add(in_memory(bytes), same_name);
    for (const char* name : {"conv", "line"})
        for (const io::Shape& shape : {io::Shape{3, 2}, io::Shape{3, 2, 1, 1}})
            EXPECT_EQ(weights.get(name, shape).shape, shape) << name;
    EXPECT_EQ(weights.get("old", {3, 1}).shape, (io::Shape{3, 1}));
    EXPECT_NE(test::error_of([&] { weights.get("old", {3}); }), "no error") << "a bias is no filter";
    EXPECT_NE(test::error_of([&] { weights.get("three", {1, 1}); }), "no error");
}

/// Every stored type to every requested type, against the conversions of core/half.hpp, which have their own tests.
TEST(Weights, CopyConvertsBetweenAllFloatTypes) {
    const test::Folder folder;
    std::vector<double> values{0, -0.0, 1, -1.5, 0.1, 65504, 1e-7, 3.14159265358979, 1e30,
                               std::numeric_limits<double>::infinity()};
    while (values.size() < 1500) values.push_back(std::sin(static_cast<double>(values.size())));  // more than one block
    const index_t n = static_cast<index_t>(values.size());
    io::SafetensorsWriter writer(folder / "x", {{"f64", DType::f64, {n}},
                                                {"f32", DType::f32, {n}},
                                                {"f16", DType::f16, {n}},
                                                {"bf16", DType::bf16, {n}},
                                                {"i32", DType::i32, {2}}});
    const auto as = [&]<class T>(T) {
        std::vector<T> out;
        for (const double v : values) out.push_back(to_storage<T>(v));
        return out;
    };
    writer.append("f64", std::span<const double>(values));
    writer.append("f32", std::span<const float>(as(float())));
    writer.append("f16", std::span<const fp16>(as(fp16())));
    writer.append("bf16", std::span<const bf16>(as(bf16())));
    const std::int32_t ints[] = {5, -6};
    writer.append("i32", std::span<const std::int32_t>(ints));
    writer.commit();
    Weights weights("unet");
    weights.add(std::make_shared<Safetensors>(folder / "x"), same_name);

    const auto check = [&]<class To, class From>(const char* name, const std::vector<From>& from, To) {
        std::vector<To> got(values.size());
        weights.copy(name, {n}, got.data());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const To expected = to_storage<To>(from_storage<double>(from[i]));
            ASSERT_EQ(std::memcmp(&got[i], &expected, sizeof(To)), 0) << name << " " << i;
        }
    };
    const auto check_all = [&](const char* name, const auto& from) {
        check(name, from, double());
        check(name, from, float());
        check(name, from, fp16());
        check(name, from, bf16());
    };
    check_all("f64", values);
    check_all("f32", as(float()));
    check_all("f16", as(fp16()));
    check_all("bf16", as(bf16()));

    std::int32_t back[2];
    weights.copy("i32", {2}, back);
    EXPECT_EQ(back[1], -6);
    float no[2];
    EXPECT_EQ(test::error_of([&] { weights.copy("i32", {2}, no); }),
              "inlay: unet: tensor 'i32' is int32, expected fp32");
    EXPECT_EQ(test::error_of([&] { weights.copy("f32", {n}, back); }),
              "inlay: unet: tensor 'f32' is fp32, expected int32");
}

/// Weights of the types that ComfyUI and others save to halve a file again. Every value of theirs, converted, is in
/// float8_test.cpp.
TEST(Weights, EightBitWeightsAreWidened) {
    const std::string bytes = test::safetensors(
        R"({"a.weight":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]},)"
        R"("b.weight":{"dtype":"F8_E5M2","shape":[4],"data_offsets":[4,8]},)"
        R"("c.weight":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[8,9]}})",
        std::string("\x38\xb8\x01\x7e\x3c\xc0\x01\xfc\0", 9));
    Weights weights("unet");
    weights.add(in_memory(bytes), same_name);
    EXPECT_EQ(weights.get("a.weight").bytes(), 4u);
    float f[4];
    weights.copy("a.weight", {2, 2}, f);
    EXPECT_EQ(std::vector<float>(f, f + 4), (std::vector<float>{1, -1, 1.0f / 512, 448}));
    weights.copy("b.weight", {4}, f);
    EXPECT_EQ(std::vector<float>(f, f + 4), (std::vector<float>{1, -2, 1.0f / 65536, -INFINITY}));
    fp16 h[4];
    weights.copy("b.weight", {4}, h);
    EXPECT_EQ(h[2].bits, 0x0100) << "a subnormal number";
    bf16 b[4];
    weights.copy("a.weight", {2, 2}, b);
    EXPECT_EQ(static_cast<float>(b[3]), 448);
    double d[4];
    weights.copy("a.weight", {2, 2}, d);
    EXPECT_EQ(d[2], 1.0 / 512);
    EXPECT_EQ(test::error_of([&] { weights.copy("c.weight", {1}, f); }),
              "inlay: it: tensor 'c.weight' is F8_E8M0, expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or I32");
}

TEST(Weights, EightBitWeightsWithAScaleAreRefused) {
    for (const std::string scale : {"a.scale_weight", "a.weight_scale", "a.weight_scale_inv"}) {
        const std::string bytes =
            test::safetensors(R"({"a.weight":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]},")" + scale +
                                  R"(":{"dtype":"F32","shape":[],"data_offsets":[1,5]}})",
                              std::string(5, '\0'));
        Weights weights("unet");
        weights.add(in_memory(bytes), [](std::string_view n) { return n == "a.weight" ? "other" : ""; });
        float f[1];
        EXPECT_EQ(test::error_of([&] { weights.copy("other", {1}, f); }),
                  "inlay: unet: tensor 'a.weight' of F8_E4M3 has a scale '" + scale + "' beside it in it, expected none");
    }
}

}  // namespace
