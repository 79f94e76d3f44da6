// SPDX-License-Identifier: Apache-2.0
/// SD1.5's transformers and the step of its UNet, with random weights, with LayerNorms in kernels of their own or in
/// the products behind them: a program of kernels each, and what it computes. One unit for each of the two.
#pragma once

#include "random_weights.hpp"

#include <inlay/exec/cuda.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/model/unet.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace inlay_bench {

using namespace inlay;

struct NormsJob {
    std::string name;
    std::size_t kernels = 0;
    std::function<void()> run;                      ///< on the executor's stream; it was loaded
    std::function<std::vector<float>()> result;     ///< of the last run
};
std::vector<NormsJob> jobs_with_own_kernels(Cuda& gpu);
std::vector<NormsJob> jobs_in_products(Cuda& gpu);

/// A network of random weights, and what `Builds` appends of it to a program, in memory of its own.
template <class Network>
class NormsRun {
    using Loader = nn::Loader<fp16, RandomWeights, Cuda>;

public:
    template <class MakeNetwork, class Builds>
    NormsRun(Cuda& gpu, const MakeNetwork& make, const Builds& builds) : gpu_(gpu) {
        Arena measure;
        const Network shape = make(Loader(nullptr, gpu, measure));
        weights_ = gpu.allocate(measure.measured());
        Arena arena(weights_.data(), weights_.size());
        const RandomWeights source;
        network_ = make(Loader(&source, gpu, arena));
        Arena room;
        Program<Cuda> before, step;
        builds(network_, before, step, room, false);
        memory_ = gpu.allocate(room.measured());
        Arena real(memory_.data(), memory_.size());
        y_ = builds(network_, before_, step_, real, true);
        before_.run(gpu);
        gpu.load(step_);
        gpu.synchronize();
    }
    std::size_t kernels() const { return step_.size(); }
    void run() { step_.run(gpu_); }
    std::vector<float> result() {
        std::vector<fp16> stored(static_cast<std::size_t>(y_.size()));
        gpu_.synchronize();
        gpu_.download(stored.data(), y_.data, stored.size() * sizeof(fp16));
        std::vector<float> y;
        for (const fp16 x : stored) y.push_back(from_storage<float>(x));
        return y;
    }

private:
    Cuda& gpu_;
    typename Cuda::Memory weights_, memory_;
    Network network_;
    Program<Cuda> before_, step_;
    Tensor<fp16, 4> y_;
};

template <class Network, class Make, class Builds>
NormsJob norms_job(Cuda& gpu, std::string name, const Make& make, const Builds& builds) {
    const auto all = std::make_shared<NormsRun<Network>>(gpu, make, builds);
    return {std::move(name), all->kernels(), [all] { all->run(); }, [all] { return all->result(); }};
}

/// A transformer of images of side × side pixels, both halves of guidance.
template <nn::LayerNorms Norms>
NormsJob transformer_job(Cuda& gpu, index_t side, index_t channels) {
    using Network = nn::SpatialTransformer<fp16, Norms>;
    const auto make = [=](const auto& load) { return Network(load, channels, 8, 768); };
    const auto builds = [=, &gpu](const Network& network, Program<Cuda>& before, Program<Cuda>& step, Arena& arena,
                                  bool real) {
        const Temporary<fp16, 3> text(arena, {{2, 77, 768}});
        const Temporary<fp16, 4> x(arena, {{2, side, side, channels}});
        if (real) fill(gpu, *text), fill(gpu, *x);
        const auto keys = network.build_text(nn::Build<fp16, Cuda>{&before, &arena, ""}, *text);
        const auto y = network.build(nn::Build<fp16, Cuda>{&step, &arena, ""}, *x, keys);
        return *y;
    };
    return norms_job<Network>(gpu, "transformer/" + std::to_string(side * side) + "x" + std::to_string(channels), make,
                              builds);
}
/// A step of the UNet, 64×64 latents with guidance.
template <nn::LayerNorms Norms>
NormsJob step_job(Cuda& gpu) {
    using Network = model::UNet<fp16, Norms>;
    const auto make = [](const auto& load) { return Network(load, model::UNetConfig{}); };
    const auto builds = [&gpu](const Network& network, Program<Cuda>& before, Program<Cuda>& step, Arena& arena,
                               bool real) {
        const Temporary<float, 2> timesteps(arena, {{1, 1}});
        const Temporary<float, 1> scale(arena, {{1}});
        const Temporary<std::int32_t, 1> row(arena, {{1}});
        const Temporary<float, 4> x(arena, {{1, 64, 64, 4}});
        const Temporary<fp16, 3> text(arena, {{2, 77, 768}});
        const Temporary<fp16, 4> noise(arena, {{2, 64, 64, 4}});
        if (real) {
            const float t = 500, one = 1;
            const std::int32_t first = 0;
            gpu.upload(timesteps->data, &t, sizeof t);
            gpu.upload(scale->data, &one, sizeof one);
            gpu.upload(row->data, &first, sizeof first);
            gpu.synchronize();
            fill(gpu, *x), fill(gpu, *text);
        }
        const nn::Build<fp16, Cuda> b{&before, &arena, ""};
        const auto time = network.build_time(b, Tensor<const float, 2>(*timesteps));
        const auto keys = network.build_text(b, *text, true);
        network.build(nn::Build<fp16, Cuda>{&step, &arena, ""}, Tensor<const float, 4>(*x), scale->data, time,
                      Tensor<const std::int32_t, 1>(*row), keys, *noise);
        return *noise;
    };
    return norms_job<Network>(gpu, "step/64x64", make, builds);
}

template <nn::LayerNorms Norms>
std::vector<NormsJob> norms_jobs(Cuda& gpu) {
    return {transformer_job<Norms>(gpu, 64, 320), transformer_job<Norms>(gpu, 32, 640),
            transformer_job<Norms>(gpu, 16, 1280), step_job<Norms>(gpu)};
}

}  // namespace inlay_bench
