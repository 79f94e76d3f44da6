// SPDX-License-Identifier: Apache-2.0
/// The tiny GPT-2 of tests/golden/make_gpt2_golden.py, and the texts that it gives.
#pragma once

#include "weights.hpp"

#include <tests_folder.hpp>

#include <inlay/model/gpt2/session.hpp>
#include <inlay/model/networks.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace inlay_test {

using namespace inlay;

inline model::Gpt2Config tiny_gpt2_config() {
    return {.vocabulary = 300, .positions = 96, .hidden = TinyGpt2::hidden, .layers = 2, .heads = 2,
            .inner = 4 * TinyGpt2::hidden};
}

struct GoldenText {
    std::vector<std::int32_t> prompt, tokens;
    std::vector<double> logits;
};
inline std::vector<GoldenText> golden_texts() {
    const auto golden = nlohmann::json::parse(std::ifstream(tests_folder() + "/golden/gpt2.json"));
    std::vector<GoldenText> all;
    for (const auto& row : golden["rows"]) all.push_back({row["prompt"], row["tokens"], row["logits"]});
    return all;
}

}  // namespace inlay_test
