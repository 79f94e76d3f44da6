// SPDX-License-Identifier: Apache-2.0
/// Pictures between files of 8 bits and the networks' numbers in [−1, 1].
#pragma once

#include "options.hpp"

#include <inlay/core/error.hpp>
#include <inlay/io/png.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

/// The picture to begin at, [height, width, 3]; none for text to image.
inline std::vector<float> preprocess(const Options& options) {
    std::vector<float> all;
    if (options.init.empty()) return all;
    const auto png = inlay::io::read_png(options.init).image;
    inlay::require(png.width == options.width && png.height == options.height, "--init ", options.init.string(), " is ",
                   png.width, "x", png.height, ", expected ", options.size, " (--size)");
    for (const std::uint8_t v : png.rgb) all.push_back(static_cast<float>(v) / 127.5f - 1.0f);
    return all;
}

/// `values`: [height, width, 3] of a picture.
inline inlay::io::Image postprocess(const float* values, inlay::index_t width, inlay::index_t height) {
    inlay::io::Image png{width, height, {}};
    for (inlay::index_t j = 0; j < width * height * 3; ++j) {
        const float v = (values[j] * 0.5f + 0.5f) * 255.0f;
        png.rgb.push_back(static_cast<std::uint8_t>(std::nearbyint(std::clamp(v, 0.0f, 255.0f))));
    }
    return png;
}
