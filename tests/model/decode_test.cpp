// SPDX-License-Identifier: Apache-2.0
/// The decoder alone. Its values are compared in vae_test.cpp, which runs through it.
#include <inlay/exec/host.hpp>
#include <inlay/model/decode.hpp>

#include <exec/sentence.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

TEST(Decode, TakesAsManyLatentsAsItsExtentsSay) {
    Host cpu(1);
    const model::VaeDecoder<float> vae;
    const std::vector<float> latents(5);
    const auto sentence = [&](const Extents<4>& e) {
        return inlay_test::sentence([&] { model::decode(cpu, vae, std::span<const float>(latents), e); });
    };
    EXPECT_EQ(sentence({{1, 2, 2, 4}}), "inlay: the decoder takes 16 latents, not 5");
    EXPECT_NE(sentence({{index_t(1) << 40, index_t(1) << 40, 1, 4}}), "");
}

}  // namespace
