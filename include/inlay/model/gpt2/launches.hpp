// SPDX-License-Identifier: Apache-2.0
/// Texts that GPT-2 continues by persistent launches, on the weights and the cache of a session: prompts go through
/// the session's kernels, tokens through one launch for several of them.
#pragma once

#include <inlay/exec/cuda/decoder.hpp>
#include <inlay/model/gpt2/sampling.hpp>
#include <inlay/model/gpt2/session.hpp>

namespace inlay::inline INLAY_ABI::model {

/// Pointers to the weights and caches of a session, as a persistent launch takes them.
template <Storage T, class Target>
DecoderModel<T> decoder_model(const Gpt2Session<T, Target>& session) {
    const Gpt2<T>& network = session.network();
    const Gpt2Config& c = network.config();
    DecoderModel<T> m{.shape = {c.hidden, c.heads, c.inner, c.vocabulary, c.positions},
                      .layers = {},
                      .tokens = nullptr,
                      .positions = nullptr,
                      .norm = nullptr,
                      .norm_shift = nullptr,
                      .vocabulary = nullptr,
                      .batch = session.options().batch,
                      .capacity = session.caches()[0].keys.extents[2],
                      .epsilon = static_cast<float>(c.norm_epsilon)};
    network.with_weights([&](const auto& tokens, const auto& positions, const auto& layers, const auto& norm,
                             const auto& vocabulary) {
        m.tokens = tokens.data, m.positions = positions.data, m.vocabulary = vocabulary.data;
        m.norm = norm.gamma.data, m.norm_shift = norm.beta.data;
        for (std::size_t i = 0; i < layers.size(); ++i)
            layers[i].with_weights([&](const auto& norm1, const auto& qkv, const auto& out, const auto& norm2,
                                       const auto& up, const auto& down) {
                const nn::KeyValueCache<T>& cache = session.caches()[i];
                m.layers.push_back({norm1.gamma.data, norm1.beta.data, qkv.weight.data, qkv.bias.data,
                                    out.weight.data, out.bias.data, norm2.gamma.data, norm2.beta.data, up.weight.data,
                                    up.bias.data, down.weight.data, down.bias.data, cache.keys.data,
                                    cache.values.data});
            });
    });
    return m;
}

/// `Decoder`: of the most likely tokens, or of sampled ones.
template <Storage T, class Decoder = GreedyDecoder<T>>
class Gpt2Launches {
public:
    static constexpr bool restricted = std::is_same_v<Decoder, RestrictedDecoder<T>>;
    static constexpr bool sampled = restricted || std::is_same_v<Decoder, SampledDecoder<T>>;

    /// The session outlives it, of up to eight texts. Throws one sentence where it has more, or the model has no
    /// persistent program.
    Gpt2Launches(Cuda& target, Gpt2Session<T, Cuda>& session, const DecoderRun& run = {})
        requires(!sampled)
        : session_(&session), decoder_(target, decoder_model(session), run) {}
    /// Throws for a number out of its range, too.
    Gpt2Launches(Cuda& target, Gpt2Session<T, Cuda>& session, const Sampling& sampling, const DecoderRun& run = {})
        requires sampled
        : session_(&session), decoder_(target, decoder_model(session), of_decoder(sampling), run) {}

    /// Begins a text whose tokens are these, but for those of the launches, for the repetition penalty.
    void begin(std::span<const std::int32_t> text, index_t row = 0)
        requires sampled
    {
        decoder_.begin(text, row);
    }
    /// The n tokens [texts, n] behind `last`, the last one of each text, which was not appended. The session's texts
    /// are then longer by n: by `last` and all but the last of the result.
    std::span<const std::int32_t> follow(std::span<const std::int32_t> last, int n) {
        for (std::size_t row = 0; row < rows(); ++row) session_->require_room(row, n);
        decoder_.launch(last, positions(0), n);
        const auto tokens = decoder_.tokens();
        for (std::size_t row = 0; row < rows(); ++row) session_->extend(row, n);
        return tokens;
    }
    /// The same of one text.
    std::span<const std::int32_t> follow(std::int32_t last, int n) { return follow(std::span(&last, 1), n); }
    /// Enqueues a launch again over the ends of the texts, of as many tokens of each as the result: for its time, the
    /// cache is overwritten.
    int replay() {
        const int n = static_cast<int>((std::min)(index_t(decoder_.options().passes), session_->options().capacity));
        decoder_.launch(std::vector<std::int32_t>(rows(), 0), positions(n), n);
        return n;
    }
    std::size_t bytes() const { return decoder_.bytes(); }

private:
    std::size_t rows() const { return static_cast<std::size_t>(session_->options().batch); }
    /// Of the texts' ends, less `back`.
    std::vector<index_t> positions(index_t back) const {
        std::vector<index_t> all;
        for (std::size_t row = 0; row < rows(); ++row)
            all.push_back((std::max)(index_t(0), session_->length(static_cast<index_t>(row)) - back));
        return all;
    }
    static DecoderSampling of_decoder(const Sampling& s) {
        check_sampling(s);
        if (!restricted && s.temperature > 0) {  // else they change nothing
            require(s.top_k == 0, "gpt2: top-k is ", s.top_k, ", expected 0 of launches that do not restrict tokens");
            require(s.top_p == 1, "gpt2: top-p is ", s.top_p, ", expected 1 of launches that do not restrict tokens");
        }
        constexpr index_t most = 1 << 30;  // more than any vocabulary
        return {s.temperature, static_cast<float>(s.repetition_penalty), s.seed,
                static_cast<int>((std::min)(s.top_k, most)), s.top_p};
    }

    Gpt2Session<T, Cuda>* session_;
    Decoder decoder_;
};
/// Launches that choose as a `TokenSampler` of the same `Sampling` does for row 0, with another seed for each text: the
/// text's number more.
template <Storage T>
using Gpt2SampledLaunches = Gpt2Launches<T, SampledDecoder<T>>;
/// The same with top-k and top-p.
template <Storage T>
using Gpt2RestrictedLaunches = Gpt2Launches<T, RestrictedDecoder<T>>;

}  // namespace inlay::inline INLAY_ABI::model
