// SPDX-License-Identifier: Apache-2.0
/// Pairs made of plans: the price of each for the pair's shape, and what builds it.
#pragma once

#include "../random_weights.hpp"
#include "pair.hpp"

#include <inlay/exec/program.hpp>
#include <inlay/nn/loader.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/report/planner/listing.hpp>
#include <inlay/rewrite/planner/plan.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace inlay_bench {

namespace detail {

/// A plan's cover, or that of its runner-up.
template <class Plan>
struct CoverOf {
    static constexpr const planner::Cover& cover = Plan::covers.best;
};
template <class Plan>
struct CoverOf<planner::runner_up_of<Plan>> {
    static constexpr const planner::Cover& cover = Plan::covers.runner_up;
};

/// Facts of a layer for other lengths of its axes.
template <class Plan>
planner::Facts facts_of(const planner::Lengths& lengths) {
    planner::Facts facts = Plan::facts;
    const nn::detail::Extents_of<Plan> extents(lengths);
    for (int v = 0; v < facts.values; ++v)
        for (int i = 0; i < facts.value[v].rank; ++i) facts.value[v].extents[i] = extents.of[v].extents[i];
    return facts;
}
template <class Plan>
double predicted_us(const planner::Lengths& lengths) {
    const auto facts = std::make_unique<planner::Facts>(facts_of<Plan>(lengths));
    const planner::Cover& cover = CoverOf<Plan>::cover;
    std::int64_t ns = 0;
    for (int i = 0; i < cover.kernels; ++i) {
        const planner::Kernel k = planner::expand(*facts, Plan::cuts, Plan::candidates, cover.kernel[i]);
        if (k.phase == static_cast<int>(planner::Phase::step)) ns += planner::price(*facts, k, Plan::target::info);
    }
    return 1e-3 * static_cast<double>(ns);
}
/// Of the best cover for these lengths: all passes of the planner at run time.
template <class Plan>
double planned_us(const planner::Lengths& lengths) {
    const auto facts = std::make_unique<planner::Facts>(facts_of<Plan>(lengths));
    const auto cuts = std::make_unique<planner::Cuts>(planner::find_cuts(*facts));
    const auto candidates = std::make_unique<planner::Candidates>(planner::find_candidates(*facts, *cuts));
    const planner::Prices prices = planner::price_all(*facts, *cuts, *candidates, Plan::target::info);
    const auto covers = std::make_unique<planner::Covers>(planner::find_covers(*facts, *cuts, *candidates, prices));
    std::int64_t ns = 0;
    for (int i = 0; i < covers->best.kernels; ++i)
        if (const int k = covers->best.kernel[i];
            candidates->candidate[k].phase == static_cast<int>(planner::Phase::step))
            ns += prices.ns[k];
    return 1e-3 * static_cast<double>(ns);
}

/// A layer, its inputs and its programs in memory of its own; what its kernels store is in `room`. Without memory it
/// measures.
template <class Plan, class Inputs>
class LayerCopy {
    using Network = nn::Planned<Plan, fp16>;
    static constexpr auto prompt = planner::Phase::prompt;
    static constexpr bool reads_text = !nn::detail::is_of_one_phase<Plan>();
    struct None {};
    struct Text {
        Temporary<fp16, 3> text;
        typename Network::Kept kept;
    };

public:
    LayerCopy(Cuda& gpu, const RandomWeights* source, const planner::Lengths& lengths, const Inputs& inputs, Arena& own,
              Arena& room)
        : network_(nn::Loader<fp16, RandomWeights, Cuda>(source, gpu, own), lengths), inputs_(inputs.take(own)) {
        if (source) std::apply([&](const auto&... t) { (fill(gpu, *t), ...); }, inputs_);
        if constexpr (reads_text) {
            text_.text = inputs.take_text(own);
            if (source) fill(gpu, *text_.text);
            text_.kept = network_.template build_phase<prompt>(nn::Build<fp16, Cuda>{&before_, &own, ""}, *text_.text);
        }
        const nn::Build<fp16, Cuda> b{&step_, &room, ""};
        const auto y = std::apply(
            [&](const auto&... t) {
                if constexpr (reads_text) return network_.build_behind(b, text_.kept, *t...);
                else return network_.build(b, *t...);
            },
            inputs_);
        result_ = {y->data, {{y->size()}}};
    }
    void load(Cuda& gpu) {
        before_.run(gpu);
        gpu.load(step_);
    }
    void run(Cuda& gpu) const { step_.run(gpu); }
    std::vector<float> result(Cuda& gpu) const {
        std::vector<fp16> stored(static_cast<std::size_t>(result_.size()));
        gpu.download(stored.data(), result_.data, stored.size() * sizeof(fp16));
        std::vector<float> y;
        for (const fp16 x : stored) y.push_back(from_storage<float>(x));
        return y;
    }

private:
    Network network_;
    decltype(std::declval<const Inputs&>().take(std::declval<Arena&>())) inputs_;
    std::conditional_t<reads_text, Text, None> text_;
    Program<Cuda> before_, step_;
    Tensor<fp16, 1> result_;
};

/// So many copies of a layer that none is in the cache when its turn comes again. Their temporaries and results share
/// memory, as in a model.
template <class Plan, class Inputs>
class Copies {
    using Copy = LayerCopy<Plan, Inputs>;

public:
    Copies(Cuda& gpu, const planner::Lengths& lengths, const Inputs& inputs) : gpu_(gpu) {
        std::size_t bytes = 0, room = 0;
        {
            Arena own, shared;
            const Copy measured(gpu, nullptr, lengths, inputs, own, shared);
            bytes = own.measured(), room = shared.measured();
        }
        const std::size_t wanted = std::size_t(128) << 20, n = (std::min)(std::size_t(64), wanted / bytes + 1);
        memory_ = gpu.allocate(n * bytes + room);
        char* const base = static_cast<char*>(memory_.data());
        const RandomWeights source;
        for (std::size_t i = 0; i < n; ++i) {
            arenas_.push_back(std::make_unique<Arena>(base + i * bytes, bytes));
            arenas_.push_back(std::make_unique<Arena>(base + n * bytes, room));
            if (i > 0) gpu.copy(base + i * bytes, base, bytes);
            copies_.push_back(std::make_unique<Copy>(gpu, i == 0 ? &source : nullptr, lengths, inputs,
                                                     *arenas_[2 * i], *arenas_[2 * i + 1]));
            copies_.back()->load(gpu);
        }
        gpu.synchronize();
    }
    int size() const { return static_cast<int>(copies_.size()); }
    void run(int i) const { copies_[static_cast<std::size_t>(i)]->run(gpu_); }
    std::vector<float> result() const { return copies_[0]->result(gpu_); }

private:
    Cuda& gpu_;
    Cuda::Memory memory_;
    std::vector<std::unique_ptr<Arena>> arenas_;
    std::vector<std::unique_ptr<Copy>> copies_;
};

template <class Plan>
constexpr int kernels_of_step() {
    int n = 0;
    for (int k = 0; k < Plan::launches; ++k)
        n += Plan::kernels[k].phase == static_cast<int>(planner::Phase::step);
    return n;
}

}  // namespace detail

/// A pair whose placements are added one by one. Inputs: `take(arena)`, a tuple of temporaries in the order of the
/// layer's inputs of the step, and `take_text(arena)` where a phase before the step reads one. The first one added is
/// the layer's plan.
template <class Inputs>
class PairOf {
public:
    PairOf(std::string layer, std::string shape, const planner::Lengths& lengths, const Inputs& inputs)
        : pair_{std::move(layer), std::move(shape), 0, {}}, lengths_(lengths), inputs_(inputs) {}

    template <class Plan>
    PairOf& add(std::string name) {
        if (pair_.placements.empty()) pair_.planned_us = detail::planned_us<Plan>(lengths_);
        pair_.placements.push_back(
            {std::move(name), detail::kernels_of_step<Plan>(), detail::predicted_us<Plan>(lengths_),
             [lengths = lengths_, inputs = inputs_](Cuda& gpu) {
                 const auto all = std::make_shared<detail::Copies<Plan, Inputs>>(gpu, lengths, inputs);
                 return BuiltPlacement{all->size(), [all](int i) { all->run(i); }, [all] { return all->result(); }};
             }});
        return *this;
    }
    operator Pair() const { return pair_; }

private:
    Pair pair_;
    planner::Lengths lengths_;
    Inputs inputs_;
};

/// "2x64x64x320".
template <class... E>
std::string shape_text(E... extents) {
    std::string text;
    ((text += (text.empty() ? "" : "x") + std::to_string(extents)), ...);
    return text;
}

}  // namespace inlay_bench
