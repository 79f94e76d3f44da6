// SPDX-License-Identifier: Apache-2.0
/// GPT-2: tokens and their positions → logits of the next token.
#pragma once

#include <inlay/frame/elementwise.hpp>
#include <inlay/model/gpt2/config.hpp>
#include <inlay/nn/gpt2_layer.hpp>
#include <inlay/nn/loader.hpp>

#include <vector>

namespace inlay::inline INLAY_ABI::model {

namespace gpt2 {

struct embedding : Elementwise<Add<Gather<Buf<0>, Buf<1>>, Gather<Buf<2>, Buf<3>>>> {};
/// The rows of the last tokens alone.
struct final_norm : LayerNorm<Gather<Buf<0>, Buf<1>>> {};
struct vocabulary : Linear<> {};

}  // namespace gpt2

template <Storage T>
class Gpt2 {
public:
    using storage = T;
    Gpt2() = default;
    /// `load`: names as Hugging Face writes them, below "transformer." or not.
    template <class L>
    Gpt2(const L& load, const Gpt2Config& c)
        : config_(checked(c)), tokens_(load.tensor("wte.weight", c.vocabulary, c.hidden)),
          positions_(load.tensor("wpe.weight", c.positions, c.hidden)), final_(load / "ln_f", c.hidden),
          vocabulary_(load.linear(c.tied ? "wte.weight" : "lm_head.weight", c.vocabulary, c.hidden)) {
        for (index_t i = 0; i < c.layers; ++i)
            layers_.emplace_back(load / "h" / static_cast<int>(i), c.hidden, c.heads, c.inner);
    }

    const Gpt2Config& config() const { return config_; }
    /// Calls f with the weights, for programs of other kernels: embeddings of tokens and positions, layers, the last
    /// norm and the vocabulary.
    template <class F>
    void with_weights(const F& f) const {
        f(tokens_, positions_, layers_, final_, vocabulary_);
    }

    /// The layers over ids [B, S] at their positions; keys and values go into `caches`, one for each layer. Result:
    /// [B, S, hidden].
    template <class Target>
    Temporary<T, 3> build_layers(const nn::Build<T, Target>& b, const Tensor<const std::int32_t, 2>& ids,
                                 const nn::Positions& positions,
                                 const std::vector<nn::KeyValueCache<T>>& caches) const {
        auto x = b.temporary(ids.extents[0], ids.extents[1], config_.hidden);
        b.template add<gpt2::embedding>("embeddings", *x, tokens_, ids, positions_, positions);
        for (std::size_t i = 0; i < layers_.size(); ++i)
            x = layers_[i].build(b / "h" / static_cast<int>(i), *x, positions, caches[i]);
        return x;
    }
    /// Logits [B, vocabulary] behind the rows `last` [B] of x, [B · S, hidden].
    template <class Target>
    void build_logits(const nn::Build<T, Target>& b, const Tensor<T, 3>& x, const Tensor<const std::int32_t, 1>& last,
                      const Tensor<float, 2>& logits) const {
        auto h = b.temporary(last.extents[0], config_.hidden);
        b.template add<gpt2::final_norm>("ln_f", *h, final_.gamma, final_.beta, nn::flat(x), last);
        b.template add<gpt2::vocabulary>("lm_head", logits, vocabulary_, *h);
    }

private:
    /// Throws for a shape or an option that no kernel computes.
    static const Gpt2Config& checked(const Gpt2Config& c) {
        require(c.heads > 0 && c.hidden % c.heads == 0, "gpt2: n_embd is ", c.hidden,
                ", expected a multiple of n_head, ", c.heads);
        require(c.norm_epsilon == 1e-5, "gpt2: layer_norm_epsilon is ", c.norm_epsilon, ", expected 1e-05");
        require(c.activation == "gelu_new" || c.activation == "gelu_pytorch_tanh",
                "gpt2: activation_function is '", c.activation, "', expected 'gelu_new' or 'gelu_pytorch_tanh'");
        require(c.scale && !c.scale_by_layer, "gpt2: the scores of attention are scaled otherwise than by the root of ",
                "their width (scale_attn_weights, scale_attn_by_inverse_layer_idx), expected by that alone");
        return c;
    }

    Gpt2Config config_;
    Tensor<const T, 2> tokens_, positions_;
    nn::gpt2::Norm<T> final_;
    Packed<T, 2> vocabulary_;
    std::vector<nn::Gpt2Layer<T>> layers_;
};

}  // namespace inlay::inline INLAY_ABI::model
