// SPDX-License-Identifier: Apache-2.0
/// Weights of the tiny GPT-2 of tests/golden/make_gpt2_golden.py: a function of their names and indices.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/half.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace inlay_test {

using namespace inlay;

struct TinyGpt2 {
    static constexpr index_t hidden = 64;
    float gain = 1;  ///< of products, less where more is added up than in a row of 64

    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        std::uint32_t h = 2166136261u;
        for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
        const bool norm = name.find("ln_") != std::string::npos;
        const float scale = norm ? 0.25f : name == "wte.weight" ? 0.0625f : name == "wpe.weight" ? 0.5f : 0.375f * gain;
        index_t n = 1;
        for (const index_t e : shape) n *= e;
        for (index_t i = 0; i < n; ++i) {
            std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + h;
            x = (x ^ (x >> 16)) * 0x7FEB352Du;
            x = (x ^ (x >> 15)) * 0x846CA68Bu;
            x ^= x >> 16;
            const float u = static_cast<float>(x >> 8) / 8388608.0f - 1.0f;
            to[i] = to_storage<T>(u * scale + (norm && name.ends_with("weight") ? 1.0f : 0.0f));
        }
    }
};

}  // namespace inlay_test
