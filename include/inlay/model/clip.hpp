// SPDX-License-Identifier: Apache-2.0
/// CLIP's text encoder: token ids [B, positions] → embeddings [B, positions, hidden], after the final LayerNorm.
#pragma once

#include <inlay/frame/elementwise.hpp>
#include <inlay/model/config.hpp>
#include <inlay/nn/clip_layer.hpp>
#include <inlay/nn/ends.hpp>
#include <inlay/nn/loader.hpp>

namespace inlay::inline INLAY_ABI::model {

/// Token and position embeddings in one pass.
struct clip_embedding : Elementwise<Add<Gather<Buf<0>, Buf<1>>, Buf<2>>> {};

template <Storage T>
class ClipText {
public:
    using storage = T;
    ClipText() = default;
    /// `load`: names below "text_model.", as diffusers writes them.
    template <class L>
    ClipText(const L& load, const ClipConfig& c)
        : config_(c),
          tokens_((load / "embeddings").tensor("token_embedding.weight", c.vocabulary, c.hidden)),
          positions_((load / "embeddings").tensor("position_embedding.weight", c.positions, c.hidden)),
          gamma_(load.tensor("final_layer_norm.weight", c.hidden)),
          beta_(load.tensor("final_layer_norm.bias", c.hidden)) {
        const bool quick = c.activation == "quick_gelu";
        require(quick || c.activation == "gelu", "text encoder: hidden_act is '", c.activation,
                "', expected 'quick_gelu' or 'gelu'");
        for (index_t i = 0; i < c.layers; ++i)
            layers_.emplace_back(load / "encoder" / "layers" / static_cast<int>(i), c.hidden, c.heads, c.intermediate,
                                 quick);
    }

    const ClipConfig& config() const { return config_; }

    template <class Target>
    void build(const nn::Build<T, Target>& b, const Tensor<const std::int32_t, 2>& ids, const Tensor<T, 3>& to) const {
        auto x = b.temporary(ids.extents[0], ids.extents[1], config_.hidden);
        b.template add<clip_embedding>("embeddings", *x, tokens_, ids, positions_);
        for (std::size_t i = 0; i < layers_.size(); ++i) x = layers_[i].build(b / "layers" / static_cast<int>(i), *x);
        b.template add<nn::final_norm>("final_layer_norm", to, gamma_, beta_, *x);
    }

private:
    ClipConfig config_;
    Tensor<const T, 2> tokens_, positions_;
    Tensor<const T, 1> gamma_, beta_;
    std::vector<nn::ClipLayer<T>> layers_;
};

}  // namespace inlay::inline INLAY_ABI::model
