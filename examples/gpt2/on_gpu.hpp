// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <inlay/exec/graph.hpp>
#include <inlay/model/gpt2/launches.hpp>

#include "texts.hpp"

/// A text whose prompt is a graph's, and whose tokens are those of persistent launches on the same cache.
template <inlay::Storage T>
class TextByLaunches : public TextsOn<T, inlay::DeviceTarget>, public Launches {
public:
    TextByLaunches(int gpu, const Options& o, int capacity)
        : TextsOn<T, inlay::DeviceTarget>(gpu, o, capacity),
          launches_(this->target_, this->session_, {.passes = o.tokens_a_launch}) {}

    Launches* launches() override { return this; }
    std::span<const std::int32_t> follow(std::int32_t last, int n) override { return launches_.follow(last, n); }
    double replay() override {
        const double all = this->seconds([&] { tokens_ = launches_.replay(); });
        return all / tokens_;
    }
    std::string kernels() const override { return std::to_string(tokens_) + " in one persistent launch"; }

private:
    inlay::model::Gpt2Launches<T> launches_;
    int tokens_ = 0;  ///< of the last replay
};

template <inlay::Storage T>
std::unique_ptr<Texts> open_on_gpu(const Options& o, int capacity) {
    if constexpr (sizeof(T) == 2)
        if (o.token_by == "persistent") return std::make_unique<TextByLaunches<T>>(o.gpu, o, capacity);
    return std::make_unique<TextsOn<T, inlay::DeviceTarget>>(o.gpu, o, capacity);
}
