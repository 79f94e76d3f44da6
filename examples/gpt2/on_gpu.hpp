// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <inlay/exec/graph.hpp>
#include <inlay/model/gpt2/launches.hpp>

#include "sampling.hpp"
#include "texts.hpp"

/// Texts whose prompt is a graph's, and whose tokens are those of launches on the same cache, each of one persistent
/// kernel or of a graph of its phases: the most likely ones, or sampled ones.
template <inlay::Storage T, class Decoder>
class TextsByLaunches : public TextsOn<T, inlay::DeviceTarget>, public Launches {
    using ByLaunches = inlay::model::Gpt2Launches<T, Decoder>;

public:
    /// `sampling`: of sampled tokens.
    template <class... Sampling>
    TextsByLaunches(int gpu, const Options& o, int capacity, const Sampling&... sampling)
        : TextsOn<T, inlay::DeviceTarget>(gpu, o, capacity),
          launches_(this->target_, this->session_, sampling...,
                    {.passes = o.tokens_a_launch, .by_phases = o.token_by == "phases"}),
          by_phases_(o.token_by == "phases") {}

    Launches* launches() override { return this; }
    void begin(std::span<const std::int32_t> prompt) override {
        if constexpr (ByLaunches::sampled)
            for (inlay::index_t row = 0; row < this->session_.options().batch; ++row) launches_.begin(prompt, row);
    }
    std::span<const std::int32_t> follow(std::span<const std::int32_t> last, int n) override {
        return launches_.follow(last, n);
    }
    double replay() override {
        const double all = this->seconds([&] { tokens_ = launches_.replay(); });
        return all / tokens_;
    }
    std::string kernels() const override {
        return std::to_string(tokens_) + (by_phases_ ? " in one graph of phases" : " in one persistent launch");
    }

private:
    ByLaunches launches_;
    bool by_phases_;
    int tokens_ = 0;  ///< of the last replay
};

template <inlay::Storage T>
std::unique_ptr<Texts> open_on_gpu(const Options& o, int capacity) {
    if (o.token_by == "graph") return std::make_unique<TextsOn<T, inlay::DeviceTarget>>(o.gpu, o, capacity);
    if (is_greedy(o)) return std::make_unique<TextsByLaunches<T, inlay::GreedyDecoder<T>>>(o.gpu, o, capacity);
    if (is_restricted(o))
        return std::make_unique<TextsByLaunches<T, inlay::RestrictedDecoder<T>>>(o.gpu, o, capacity, sampling_of(o, 0));
    return std::make_unique<TextsByLaunches<T, inlay::SampledDecoder<T>>>(o.gpu, o, capacity, sampling_of(o, 0));
}
