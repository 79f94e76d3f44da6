// SPDX-License-Identifier: Apache-2.0
/// Configs made of tensors' shapes against those that diffusers wrote for the same tensors.
#include <inlay/io/weights/checkpoint.hpp>
#include <inlay/io/config/sd15.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace inlay;
using io::Json;

const io::Checkpoint& tiny() {
    static const io::Checkpoint c = io::open_checkpoint(test::golden() / "tiny-sd");
    return c;
}
/// All that both name, but for what tensors cannot tell.
void expect_same(const Json& made, const Json& written, const std::vector<std::string>& unknown) {
    int compared = 0;
    for (const auto& [key, value] : made.items()) {
        if (!written.contains(key) || std::find(unknown.begin(), unknown.end(), key) != unknown.end()) continue;
        EXPECT_EQ(value, written.at(key)) << key;
        ++compared;
    }
    EXPECT_GT(compared, 6);
}

TEST(Sd15Config, SizesAreThoseOfTheTensors) {
    expect_same(io::text_encoder_config_of(tiny().text_encoder), tiny().text_encoder_config, {});
    expect_same(io::unet_config_of(tiny().unet), tiny().unet_config, {"sample_size", "attention_head_dim"});
    expect_same(io::vae_config_of(tiny().vae), tiny().vae_config, {"sample_size"});
}
TEST(Sd15Config, ATensorThatIsMissingIsOneError) {
    EXPECT_NE(test::error_of([] { io::unet_config_of(tiny().vae); }).find("conv_in.weight"), std::string::npos);
}

}  // namespace
