// SPDX-License-Identifier: Apache-2.0
/// The model of the ablation: the twelve layers of GPT-2 124M over 512 tokens, in fp16, with random normal weights.
/// They are 170 MB, more than a cache holds, so that every layer reads its own from memory.
#pragma once

#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

#include <cmath>
#include <random>
#include <vector>

namespace inlay_study {

using namespace inlay;

constexpr index_t tokens = 512, width = 768, heads = 12, head = 64, inner = 4 * width, layers = 12;

/// Weights of a layer: matrices [out, in].
struct Layer {
    const fp16 *gamma1, *beta1, *qkv, *qkv_bias, *out, *out_bias, *gamma2, *beta2, *up, *up_bias, *down, *down_bias;
};

/// Weights, the input and room for results. Every tensor begins `skew` elements behind a multiple of 256 bytes.
class Model {
public:
    Model(Cuda& gpu, index_t skew) : gpu_(gpu), skew_(skew), memory_(gpu.allocate(bytes)) {
        const auto matrix = [&](index_t n, index_t k, float gain) {
            return numbers(n * k, gain / std::sqrt(static_cast<float>(k)), 0);
        };
        const auto scale = [&] { return numbers(width, 0.1f, 1); };
        const auto vector = [&](index_t n) { return numbers(n, 0.05f, 0); };
        for (index_t i = 0; i < layers; ++i) {
            Layer l{};
            l.gamma1 = scale(), l.beta1 = vector(width);
            l.qkv = matrix(3 * width, width, 1), l.qkv_bias = vector(3 * width);
            l.out = matrix(width, width, 0.6f), l.out_bias = vector(width);
            l.gamma2 = scale(), l.beta2 = vector(width);
            l.up = matrix(inner, width, 1), l.up_bias = vector(inner);
            l.down = matrix(width, inner, 0.6f), l.down_bias = vector(width);
            all.push_back(l);
        }
        input = numbers(tokens * width, 1, 0);
    }

    std::vector<Layer> all;
    const fp16* input = nullptr;

    /// Room for n results.
    fp16* room(index_t n) {
        const index_t begin = (end_ + 127) / 128 * 128 + skew_;
        end_ = begin + n;
        require(static_cast<std::size_t>(end_) * sizeof(fp16) <= bytes, "the model has no room for ", n, " elements");
        return static_cast<fp16*>(memory_.data()) + begin;
    }

private:
    static constexpr std::size_t bytes = std::size_t(320) << 20;

    /// n normal numbers; the same for every model.
    const fp16* numbers(index_t n, float size, float mean) {
        std::normal_distribution<float> normal(mean, size);
        std::vector<fp16> v(static_cast<std::size_t>(n));
        for (fp16& x : v) x = to_storage<fp16>(normal(bits_));
        fp16* const to = room(n);
        gpu_.upload(to, v.data(), v.size() * sizeof(fp16));
        return to;
    }

    Cuda& gpu_;
    std::mt19937 bits_{1};
    index_t skew_, end_ = 0;
    DeviceMemory memory_;
};

}  // namespace inlay_study
