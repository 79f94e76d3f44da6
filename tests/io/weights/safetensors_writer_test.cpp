// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/weights/safetensors.hpp>
#include <inlay/io/weights/safetensors_writer.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

using namespace inlay;
using io::Safetensors;
using io::SafetensorsWriter;

TEST(SafetensorsWriter, WhatItWritesReadsBackTheSame) {
    const test::Folder folder;
    const std::vector<double> d{1, 2};
    const std::vector<float> f{1.5f, -2, 3, 4, 5, 6};
    const std::vector<fp16> h{fp16(0.1f)};
    const std::vector<bf16> b{bf16(0.1f), bf16(7)};
    const std::vector<std::int32_t> i{-1};
    SafetensorsWriter writer(folder / "x",
                             {{"d", DType::f64, {2}},
                              {"z \"é\"", DType::f32, {2, 3}},
                              {"h", DType::f16, {}},
                              {"b", DType::bf16, {1, 2, 1}},
                              {"i", DType::i32, {1}},
                              {"none", DType::f32, {0, 4}}},
                             {{"format", "pt"}});
    writer.append("d", std::span(d));
    writer.append("z \"é\"", std::span(f));
    writer.append("h", std::span(h));
    writer.append("b", std::span(b));
    writer.append("i", std::span(i));
    writer.append("none", std::span<const float>());
    EXPECT_FALSE(test::fs::exists(folder / "x"));
    writer.commit();

    const Safetensors file(folder / "x");
    EXPECT_EQ(file.metadata().at("format"), "pt");
    const auto holds = [&](const char* name, const auto& data, const io::Shape& shape) {
        const auto view = file.at(name);
        EXPECT_EQ(view.shape, shape) << name;
        ASSERT_EQ(view.bytes(), data.size() * sizeof data[0]) << name;
        EXPECT_EQ(std::memcmp(view.data, data.data(), view.bytes()), 0) << name;
    };
    holds("d", d, {2});
    holds("z \"é\"", f, {2, 3});
    holds("h", h, {});
    holds("b", b, {1, 2, 1});
    holds("i", i, {1});
    EXPECT_EQ(file.at("none").shape, (io::Shape{0, 4}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.at("d").data) % 8, 0u) << "the data is aligned";
}

TEST(SafetensorsWriter, RefusesWhatWasNotDeclared) {
    const test::Folder folder;
    const std::string writing = "inlay: writing '" + (folder / "x").string() + "': ";
    const std::vector<float> two{1, 2};
    const std::vector<fp16> halves(2);
    {
        SafetensorsWriter writer(folder / "x", {{"a", DType::f32, {2}}, {"b", DType::f32, {2}}});
        const auto append = [&](const char* name, auto span) {
            return test::error_of([&] { writer.append(name, span); });
        };
        EXPECT_EQ(append("b", std::span(two)), writing + "tensor 'b' comes where 'a' was declared");
        EXPECT_EQ(append("a", std::span(two).first(1)),
                  writing + "tensor 'a' was declared as fp32 [2], but 1 elements of fp32 came");
        EXPECT_EQ(append("a", std::span(halves)),
                  writing + "tensor 'a' was declared as fp32 [2], but 2 elements of fp16 came");
        EXPECT_EQ(append("a", std::span(two)), "no error");
        EXPECT_EQ(test::error_of([&] { writer.commit(); }), writing + "1 declared tensors were not written");
        EXPECT_EQ(append("b", std::span(two)), "no error");
        EXPECT_EQ(append("c", std::span(two)), writing + "tensor 'c' was not declared");
    }
    EXPECT_EQ(folder.entries(), 0) << "without commit nothing is left";

    using Declared = std::vector<io::TensorDeclaration>;
    const auto declare = [&](Declared tensors) {
        return test::error_of([&] { SafetensorsWriter writer(folder / "x", tensors); });
    };
    EXPECT_EQ(declare({{"a", DType::f32, {2}}, {"a", DType::f32, {2}}}), writing + "the name 'a' is taken");
    EXPECT_EQ(declare({{"__metadata__", DType::f32, {2}}}), writing + "the name '__metadata__' is taken");
    EXPECT_EQ(declare({{"a", DType::f32, {2, -1}}}), "inlay: tensor 'a' cannot have the shape [2, -1]");
    const index_t huge = index_t(1) << 61;
    EXPECT_EQ(declare({{"a", DType::f32, {huge}}, {"b", DType::f32, {huge}}}),
              writing + "tensor 'b' would end past 64 bits");
    EXPECT_EQ(declare({{"\xff", DType::f32, {2}}}), writing + "a name or the metadata is not UTF-8");
    EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
