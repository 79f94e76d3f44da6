// SPDX-License-Identifier: Apache-2.0
/// Weights and inputs of networks that are timed: random numbers, the same for the same names.
#pragma once

#include <inlay/exec/cuda.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace inlay_bench {

using namespace inlay;

/// Even numbers in [offset − size, offset + size].
template <Storage T>
void random_numbers(const std::string& seed, float size, float offset, index_t n, T* to) {
    std::uint32_t state = 1;
    for (const char c : seed) state = 31 * state + static_cast<unsigned char>(c);
    for (index_t i = 0; i < n; ++i) {
        state = 1664525u * state + 1013904223u;
        to[i] = to_storage<T>(offset + size * (static_cast<float>(state >> 8) * 0x1p-23f - 1));
    }
}

/// Weights by name, the same in all units: even numbers of the size that keeps a layer's results near 1, and scales of
/// norms near 1.
struct RandomWeights {
    template <Storage T, class Each>
    void copy(const std::string& name, const std::vector<index_t>& shape, T* to, const Each&) const {
        index_t n = 1, fan = 1;
        for (const index_t e : shape) n *= e;
        for (std::size_t i = 1; i < shape.size(); ++i) fan *= shape[i];
        const bool scale = shape.size() == 1 && name.ends_with(".weight");
        const float size = scale ? 0.2f : std::sqrt(3.0f / static_cast<float>(fan > 1 ? fan : 16));
        random_numbers(name, size, scale ? 1.0f : 0.0f, n, to);
    }
};

/// A tensor of even numbers in [−1, 1].
template <Storage T, int R>
void fill(Cuda& gpu, const Tensor<T, R>& t) {
    std::vector<T> v(static_cast<std::size_t>(t.size()));
    random_numbers("input", 1, 0, t.size(), v.data());
    gpu.upload(t.data, v.data(), v.size() * sizeof(T));
    gpu.synchronize();
}
/// Zeros: rows of tables.
template <int R>
void fill(Cuda& gpu, const Tensor<std::int32_t, R>& t) {
    gpu.zero(t.data, static_cast<std::size_t>(t.size()) * sizeof(std::int32_t));
}

}  // namespace inlay_bench
