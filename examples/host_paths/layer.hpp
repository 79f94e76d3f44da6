// SPDX-License-Identifier: Apache-2.0
/// The interface of the units that are compiled for each path: a struct of the program's own, since Inlay's types
/// differ between units of other flags.
#pragma once

#include <inlay/exec/host/paths.hpp>

#include <algorithm>
#include <vector>

constexpr int rows = 37, inputs = 193, outputs = 65;

struct Layer {
    const char* isa;    ///< as `explain` names it
    /// y = gelu(x) wᵀ + bias, whose weights are as fp16 stores them.
    std::vector<float> (*run)(const std::vector<float>& x, const std::vector<float>& w, int threads);
    float (*median)(std::vector<float> y);
};
float bias_of(int output);

/// Has an instantiation of the standard library's in main.cpp and in each path, of which a linker would keep one.
inline float median_of(std::vector<float> y) {
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(y.size() / 2);
    std::nth_element(y.begin(), middle, y.end());
    return *middle;
}

INLAY_HOST_PATHS(Layer, layer_here)
