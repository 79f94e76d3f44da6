// SPDX-License-Identifier: Apache-2.0
/// Pictures of numbers alone. The decoder is what overflows in fp16 first: where the latents are numbers, it runs again
/// in fp32.
#pragma once

#include "executors.hpp"
#include "options.hpp"

#include <inlay/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <vector>

/// Results of a run: [images, height, width, 3], and [images, h, w, C].
struct Drawn {
    std::vector<float> pictures, latents;
};

inline auto not_finite(const std::vector<float>& values) {
    return std::ranges::count_if(values, [](float v) { return !std::isfinite(v); });
}

/// The pictures, decoded again where they have to be and the run was in 16 bits. Throws where that does not help.
inline std::vector<float> without_overflow(const Options& options, const Drawn& drawn, int images, std::size_t steps,
                                           bool sixteen_bits) {
    const auto faults = not_finite(drawn.latents);
    inlay::require(faults == 0, "after ", steps, " steps ", faults, " of ", drawn.latents.size(),
                   " latents are NaN or infinite in ", options.dtype, ", expected numbers; no picture was written");
    std::vector<float> out = drawn.pictures;
    if (not_finite(out) == 0) return out;
    if (sixteen_bits) {
        std::cerr << "warning: the decoder overflows in " << options.dtype << "; decoding again in fp32\n";
        out = (options.executors ? options.executors->decode_f32 : options.host->decode_f32)(options, images,
                                                                                            drawn.latents);
    }
    const auto left = not_finite(out);
    inlay::require(left == 0, "the decoder makes ", left, " of ", out.size(),
                   " values of the picture NaN or infinite in fp32, expected numbers; no picture was written");
    return out;
}
