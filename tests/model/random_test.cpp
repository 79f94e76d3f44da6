// SPDX-License-Identifier: Apache-2.0
#include <inlay/model/random.hpp>

#include <tests_folder.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace inlay;
using model::torch_randn;
using model::TorchGenerator;

DType dtype_named(const std::string& torch_name) {
    return torch_name == "float16" ? DType::f16 : torch_name == "bfloat16" ? DType::bf16 : DType::f32;
}

std::string fnv1a(const std::vector<float>& values) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (const float v : values) {
        const auto bits = std::bit_cast<std::uint32_t>(v);
        for (int shift = 0; shift < 32; shift += 8) h = (h ^ (bits >> shift & 0xffu)) * 0x100000001b3u;
    }
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, h);
    return text;
}

// The oracle is torch.randn: tests/golden/make_scheduler_golden.py.
TEST(Random, IsTorchRandnBitForBit) {
    const auto golden = nlohmann::json::parse(std::ifstream(inlay_test::tests_folder() + "/golden/random.json"));
    int calls = 0;
    for (const auto& draw : golden.at("draws")) {
        const auto seed = draw.at("seed").get<std::uint64_t>();
        TorchGenerator generator(seed);
        for (const auto& call : draw.at("calls")) {
            const auto n = call.at("n").get<std::size_t>();
            const std::vector<float> x = generator.randn(n, dtype_named(call.at("dtype")));
            const std::string where = "seed " + std::to_string(seed) + ", call " + call.at("dtype").get<std::string>() +
                                      "[" + std::to_string(n) + "]";
            const auto& first = call.at("first");
            const auto& last = call.at("last");
            for (std::size_t i = 0; i < first.size(); ++i) {
                EXPECT_EQ(std::bit_cast<std::uint32_t>(x[i]), first[i].get<std::uint32_t>()) << where << " at " << i;
                EXPECT_EQ(std::bit_cast<std::uint32_t>(x[n - last.size() + i]), last[i].get<std::uint32_t>())
                    << where << " at " << n - last.size() + i;
            }
            EXPECT_EQ(fnv1a(x), call.at("fnv1a").get<std::string>()) << where;
            ++calls;
        }
    }
    EXPECT_GE(calls, 100);
}

TEST(Random, HalfIsRoundedSingleExceptInTheLastSixteen) {
    const auto single = torch_randn(11, 64 + 5, DType::f32);
    const auto halves = torch_randn(11, 64 + 5, DType::f16);
    for (std::size_t i = 0; i < 64 + 5 - 16; ++i) EXPECT_EQ(halves[i], static_cast<float>(fp16(single[i]))) << i;
    int different = 0;
    for (std::size_t i = 64 + 5 - 16; i < 64 + 5; ++i) different += halves[i] != static_cast<float>(fp16(single[i]));
    EXPECT_GT(different, 0);
}

TEST(Random, EachImageOfABatchIsTheImageOfItsSeed) {
    std::vector<TorchGenerator> generators{TorchGenerator(1), TorchGenerator(2)};
    TorchGenerator one(1), two(2);
    for (const DType dtype : {DType::f32, DType::f16}) {  // the second batch is drawn onwards
        const auto batch = torch_randn(generators, 50, dtype);
        ASSERT_EQ(batch.size(), 100u);
        EXPECT_EQ(std::vector<float>(batch.begin(), batch.begin() + 50), one.randn(50, dtype));
        EXPECT_EQ(std::vector<float>(batch.begin() + 50, batch.end()), two.randn(50, dtype));
    }
}

// One uniform in 2^24 is 0: its radius is 0, and torch adds the mean 0, so that no normal is −0.
TEST(Random, NoNegativeZero) {
    std::array<float, 16> block{};
    for (std::size_t i = 8; i < 16; ++i) block[i] = static_cast<float>(i - 8) / 8;
    model::detail::box_muller(block);
    for (const float x : block) EXPECT_EQ(std::bit_cast<std::uint32_t>(x), 0u);
}

TEST(Random, NothingIsDrawnForNothing) {
    TorchGenerator a(9), b(9);
    EXPECT_TRUE(a.randn(0, DType::f32).empty());
    EXPECT_EQ(a.randn(20, DType::f32), b.randn(20, DType::f32));
}

TEST(Random, OtherDtypesAreAnError) {
    try {
        torch_randn(1, 16, DType::i32);
        FAIL();
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "inlay: random normals are int32, expected fp32, fp16 or bf16");
    }
}

}  // namespace
