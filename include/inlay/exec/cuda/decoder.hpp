// SPDX-License-Identifier: Apache-2.0
/// A decoder's tokens, most likely or sampled ones, several a launch (docs/persistent.md), for the models whose sizes
/// have a persistent program: by one persistent kernel, or by a graph of a kernel for each phase.
#pragma once

#include <inlay/exec/arena.hpp>
#include <inlay/exec/cuda.hpp>
#include <inlay/exec/graph.hpp>
#include <inlay/plan/persistent/sizes.hpp>
#include <inlay/tile/cuda/persistent/decoder_phases.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace inlay::inline INLAY_ABI {

/// A decoder's weights and caches in device memory, as the persistent program reads them.
template <Storage T>
struct DecoderModel {
    persistent::DecoderShape shape;
    std::vector<on_gpu::DecoderLayer<T>> layers;
    const T *tokens, *positions, *norm, *norm_shift, *vocabulary;
    index_t batch = 1;  ///< sequences that the caches hold
    index_t capacity;   ///< positions of the caches
    float epsilon;      ///< of the norms
};
struct DecoderRun {
    int passes = 16;  ///< tokens of a sequence and a launch, at most
    int blocks = 0;   ///< 0: one a multiprocessor, as far as each has columns
    int delay = 0;    ///< clocks that blocks waste at random before tiles, at most; to find races
    bool by_phases = false;  ///< a graph of a kernel for each phase, in place of one: the same tokens, bit for bit
};

/// Numbers of a sampled token, those of `model::Sampling`, which checks them.
struct DecoderSampling {
    double temperature = 0;
    float repetition_penalty = 1;
    std::uint64_t seed = 0;
    int top_k = 0;     ///< of a `RestrictedDecoder`
    double top_p = 1;  ///< likewise
};

/// Launches of one kernel, by its arguments.
template <Storage T, class Arguments>
class DecoderBy {
    static constexpr int most_sequences = persistent::most_sequences(sizeof(T));

public:
    /// The target and the model's memory outlive it. Throws one sentence where the sizes have no program, or the device
    /// too little shared memory for it; a launch throws where its blocks are not resident at once.
    DecoderBy(Cuda& target, const DecoderModel<T>& model, const DecoderRun& run = {})
        : target_(&target), run_(run) {
        const persistent::DecoderShape& s = model.shape;
        require(run.passes > 0, "a decoder's launch has ", run.passes, " tokens, expected at least 1");
        require(model.batch >= 1 && model.batch <= most_sequences, "a persistent launch in ", name(dtype_of<T>),
                " continues 1 to ", most_sequences, " texts, the model has ", model.batch);
        const bool found = persistent::with_sizes(s, [&]<class Listed>() {
            using S = persistent::SizesOf<Listed, sizeof(T)>;
            if (model.batch > 1) return place<persistent::InBatches<S>>(model);
            place<S>(model);
        });
        require(found, "there is no persistent program of a decoder of width ", s.width, ", ", s.heads, " heads, ",
                s.inner, " columns of its MLP, ", s.vocabulary, " tokens and ", s.positions,
                " positions, expected the sizes of GPT-2 124M or of the tiny one");
        if (run.blocks == 0) run_.blocks = smaller(target.device().multiprocessors, most_blocks_);
        states_.resize(static_cast<std::size_t>(model.batch));
        tokens_.resize(states_.size() * static_cast<std::size_t>(run.passes));
    }
    DecoderBy(const DecoderBy&) = delete;
    DecoderBy& operator=(const DecoderBy&) = delete;

    /// Enqueues a launch of `passes` tokens of each sequence, which follow its token in `last`, whose key and value the
    /// caches lack at its position. They have those of all positions before it, and later those of all tokens but the
    /// last.
    void launch(std::span<const std::int32_t> last, std::span<const index_t> positions, int passes) {
        require(passes > 0 && passes <= run_.passes, "a decoder's launch has ", passes, " tokens, expected 1 to ",
                run_.passes);
        require(last.size() == states_.size() && positions.size() == states_.size(), "a decoder's launch begins at ",
                last.size(), " tokens and ", positions.size(), " positions, expected those of ", states_.size(),
                " sequences");
        for (std::size_t i = 0; i < states_.size(); ++i) {
            require(positions[i] >= 0 && positions[i] + passes <= arguments_.capacity, "a decoder's launch of ", passes,
                    " tokens begins at position ", positions[i], ", expected 0 to ", arguments_.capacity - passes);
            states_[i] = {last[i], static_cast<std::int32_t>(positions[i]), 0};
        }
        // The tag, which is the first sequence's, goes on: each instance of all launches has its own.
        target_->upload(arguments_.state, states_.data(), offsetof(on_gpu::DecoderState, tag));
        if (const std::size_t more = states_.size() - 1; more > 0)
            target_->upload(arguments_.state + 1, states_.data() + 1, more * sizeof(states_[0]));
        arguments_.passes = passes;
        if (run_.by_phases) graph(passes).launch();
        else launch_(target_->launcher(), arguments_, run_.blocks);
    }
    /// The same of one sequence.
    void launch(std::int32_t token, index_t position, int passes) { launch({&token, 1}, {&position, 1}, passes); }
    /// The tokens of the last launch, [sequences, passes]; waits for it. Valid until the next call.
    std::span<const std::int32_t> tokens() {
        const std::size_t n = states_.size() * static_cast<std::size_t>(arguments_.passes);
        target_->download(tokens_.data(), arguments_.output, n * sizeof(std::int32_t));
        return std::span(tokens_).first(n);
    }
    index_t sequences() const { return static_cast<index_t>(states_.size()); }

    const DecoderRun& options() const { return run_; }
    std::size_t bytes() const { return memory_.size(); }

protected:
    Cuda* target_;
    Arguments arguments_{};

private:
    static constexpr bool restricted = std::is_same_v<Arguments, on_gpu::RestrictedArguments<T>>;
    static constexpr bool sampled = restricted || std::is_same_v<Arguments, on_gpu::SampledArguments<T>>;

    template <class S>
    void place(const DecoderModel<T>& m) {
        on_gpu::decoder_ring_rows<S, Arguments>(target_->device());
        by_phases_ = on_gpu::decode_by_phases<S, Arguments, on_gpu::DecoderLayer<T>>;
        launch_ = on_gpu::decode_persistently<S, Arguments>;
        most_blocks_ = on_gpu::most_decoder_blocks<S>();
        const auto batch = static_cast<std::size_t>(m.batch);
        const auto build = [&](Arena& arena) {
            const auto take = [&]<class V>(V*& p, std::size_t n) { p = static_cast<V*>(arena.take(n * sizeof(V))); };
            on_gpu::DecoderLayer<T>* layers = nullptr;
            take(arguments_.words, static_cast<std::size_t>(persistent::Decoder<S>::Places::places.bytes) / 8);
            take(arguments_.winners, batch * static_cast<std::size_t>(S::winner_bytes) / 8);
            take(arguments_.state, batch);
            take(arguments_.output, batch * static_cast<std::size_t>(run_.passes));
            if constexpr (sampled) {
                const int totals = restricted ? persistent::RestrictedRounds::words(S::winner_bytes / 16, S::copies)
                                              : S::winner_bytes / 8;
                take(arguments_.totals, batch * static_cast<std::size_t>(totals));
                if constexpr (restricted) take(arguments_.weights, batch * static_cast<std::size_t>(S::vocabulary));
                take(arguments_.chosen, batch * static_cast<std::size_t>(S::winner_bytes) / 16);
                take(arguments_.scores, batch * static_cast<std::size_t>(S::vocabulary));
                take(arguments_.seen, batch * static_cast<std::size_t>(S::vocabulary));
            }
            take(layers, m.layers.size());
            arguments_.layers = layers;
            return layers;
        };
        Arena measure;
        build(measure);
        memory_ = target_->allocate(measure.measured());
        Arena arena(memory_.data(), memory_.size());
        on_gpu::DecoderLayer<T>* const layers = build(arena);
        target_->zero(memory_.data(), memory_.size());
        layers_ = m.layers;
        target_->upload(layers, m.layers.data(), m.layers.size() * sizeof(m.layers[0]));
        arguments_.tokens = m.tokens, arguments_.positions = m.positions;
        arguments_.norm = m.norm, arguments_.norm_shift = m.norm_shift, arguments_.vocabulary = m.vocabulary;
        arguments_.layer_count = static_cast<int>(m.layers.size());
        arguments_.capacity = static_cast<int>(m.capacity), arguments_.batch = static_cast<int>(m.batch);
        arguments_.epsilon = m.epsilon, arguments_.delay = run_.delay;
    }

    /// The graph of a launch of so many passes, made when so many are first launched.
    const Graph& graph(int passes) {
        struct Phases {
            DecoderBy& decoder;
            void run(Cuda& target) const {
                decoder.by_phases_(target.launcher(), decoder.arguments_, decoder.layers_.data(), decoder.run_.blocks);
            }
        };
        const auto n = static_cast<std::size_t>(passes);
        if (graphs_.size() <= n) graphs_.resize(n + 1);
        if (!graphs_[n]) {
            arguments_.passes = passes;
            graphs_[n].emplace(*target_, Phases{*this});
        }
        return *graphs_[n];
    }

    DecoderRun run_;
    void (*launch_)(on_gpu::Launcher&, Arguments, int) = nullptr;
    void (*by_phases_)(on_gpu::Launcher&, Arguments, const on_gpu::DecoderLayer<T>*, int) = nullptr;
    std::vector<on_gpu::DecoderLayer<T>> layers_;   ///< of a graph of phases
    std::vector<std::optional<Graph>> graphs_;  ///< by passes
    int most_blocks_ = 0;
    DeviceMemory memory_;
    std::vector<on_gpu::DecoderState> states_;
    std::vector<std::int32_t> tokens_;
};

/// The most likely tokens, of up to eight sequences.
template <Storage T>
using GreedyDecoder = DecoderBy<T, on_gpu::DecoderArguments<T>>;

/// Tokens of `model::TokenSampler`, of row 0, by a seed that grows by 1 from sequence to sequence.
template <Storage T, class Arguments>
class SampledDecoderBy : public DecoderBy<T, Arguments> {
public:
    SampledDecoderBy(Cuda& target, const DecoderModel<T>& model, const DecoderSampling& sampling,
                   const DecoderRun& run = {})
        : DecoderBy<T, Arguments>(target, model, run),
          seen_(static_cast<std::size_t>(model.shape.vocabulary)) {
        this->arguments_.temperature = sampling.temperature, this->arguments_.seed = sampling.seed;
        this->arguments_.penalty = sampling.repetition_penalty;
        if constexpr (std::is_same_v<Arguments, on_gpu::RestrictedArguments<T>>)
            this->arguments_.top_k = sampling.top_k, this->arguments_.top_p = sampling.top_p;
    }
    /// Begins a sequence's text anew, for the repetition penalty: with these tokens, all in front of its first launch.
    void begin(std::span<const std::int32_t> text, index_t sequence = 0) {
        require(sequence >= 0 && sequence < this->sequences(), "sequence ", sequence, " begins, expected 0 to ",
                this->sequences() - 1);
        std::ranges::fill(seen_, std::uint8_t(0));
        for (const std::int32_t id : text)
            if (id >= 0 && static_cast<std::size_t>(id) < seen_.size()) seen_[static_cast<std::size_t>(id)] = 1;
        this->target_->upload(this->arguments_.seen + sequence * static_cast<index_t>(seen_.size()), seen_.data(),
                              seen_.size());
    }

private:
    std::vector<std::uint8_t> seen_;
};
/// Tokens without top-k and top-p, of up to eight sequences.
template <Storage T>
using SampledDecoder = SampledDecoderBy<T, on_gpu::SampledArguments<T>>;
/// Tokens with both, likewise.
template <Storage T>
using RestrictedDecoder = SampledDecoderBy<T, on_gpu::RestrictedArguments<T>>;

}  // namespace inlay::inline INLAY_ABI
