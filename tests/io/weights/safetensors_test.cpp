// SPDX-License-Identifier: Apache-2.0
#include <inlay/io/weights/safetensors.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace inlay;
using inlay::io::Safetensors;
using test::safetensors;

TEST(Safetensors, ReadsWhatPyTorchWrote) {
    const Safetensors file(test::golden() / "tiny-sd" / "vae" / "diffusion_pytorch_model.safetensors");
    ASSERT_TRUE(file.contains("encoder.conv_in.weight"));
    const auto w = file.at("encoder.conv_in.weight");
    EXPECT_EQ(w.dtype, DType::f16);
    EXPECT_EQ(w.shape, (io::Shape{32, 3, 3, 3}));
    EXPECT_EQ(w.size(), 864);
    EXPECT_EQ(w.bytes(), 1728u);
    EXPECT_EQ(file.metadata().at("format"), "pt");
    EXPECT_EQ(file.names().size(), file.tensors().size());
}

TEST(Safetensors, ReadsAllItsTypesAtAnyAlignment) {
    // The header has an odd length, so nothing that follows is aligned.
    std::string header = R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]},)"
                         R"("b":{"dtype":"F64","shape":[1],"data_offsets":[1,9]},)"
                         R"("c":{"dtype":"F32","shape":[],"data_offsets":[9,13]},)"
                         R"("d":{"dtype":"I32","shape":[2,1],"data_offsets":[13,21]},)"
                         R"("e":{"dtype":"BF16","shape":[0,3],"data_offsets":[21,21]}})";
    header += header.size() % 2 ? "" : " ";
    std::string data(1, '\1');
    const double b = 0.1;
    const float c = -2.5f;
    const std::int32_t d[] = {7, -8};
    data.append(reinterpret_cast<const char*>(&b), 8).append(reinterpret_cast<const char*>(&c), 4);
    data.append(reinterpret_cast<const char*>(d), 8);
    const std::string bytes = safetensors(header, data);
    const Safetensors file(std::as_bytes(std::span(bytes)), "memory");

    EXPECT_EQ(file.names(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
    EXPECT_EQ(std::memcmp(file.at("b").data, &b, 8), 0);
    EXPECT_EQ(std::memcmp(file.at("c").data, &c, 4), 0);
    EXPECT_EQ(file.at("c").size(), 1);
    EXPECT_EQ(std::memcmp(file.at("d").data, d, 8), 0);
    EXPECT_EQ(file.at("e").dtype, DType::bf16);
    EXPECT_EQ(file.at("e").size(), 0);
    EXPECT_EQ(test::error_of([&] { file.at("a"); }),
              "inlay: memory: tensor 'a' is BOOL, expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or I32");
    EXPECT_EQ(test::error_of([&] { file.at("z"); }), "inlay: memory: no tensor 'z'");
}

/// CLIP checkpoints of 2022 carry their positions as I64: no reason to refuse the file.
TEST(Safetensors, TensorThatIsNoWeightOnlyFailsWhenAskedFor) {
    const test::Folder folder;
    test::put(folder / "x", safetensors(R"({"position_ids":{"dtype":"I64","shape":[1,2],"data_offsets":[0,16]},)"
                                        R"("w":{"dtype":"F16","shape":[1],"data_offsets":[16,18]}})",
                                        std::string(18, '\0')));
    const Safetensors file(folder / "x");
    EXPECT_EQ(file.at("w").size(), 1);
    EXPECT_TRUE(file.contains("position_ids"));
    EXPECT_EQ(test::error_of([&] { file.at("position_ids"); }),
              "inlay: safetensors file '" + (folder / "x").string() +
                  "': tensor 'position_ids' is I64, expected F64, F32, F16, BF16, F8_E4M3, F8_E5M2 or I32");
}

}  // namespace
