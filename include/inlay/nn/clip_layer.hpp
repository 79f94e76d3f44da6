// SPDX-License-Identifier: Apache-2.0
/// One layer of CLIP's text encoder: causal self-attention and an MLP, each with its residual in the epilogue; 7
/// launches.
#pragma once

#include <inlay/nn/transformer.hpp>

namespace inlay::inline INLAY_ABI::nn {

struct fc1_quick_gelu : Linear<Buf<0>, QuickGelu<Add<Out, Buf<1>>>> {};
struct fc1_gelu : Linear<Buf<0>, Gelu<Add<Out, Buf<1>>>> {};

template <Storage T>
struct ClipLayer {
    index_t hidden = 0, heads = 0;
    bool quick = true;
    Tensor<const T, 1> gamma1, beta1, gamma2, beta2, stacked_bias;
    Packed<T, 2> qkv_weight;
    Projection<T> out, fc1, fc2;

    ClipLayer() = default;
    template <class L>
    ClipLayer(const L& load, index_t hidden_, index_t heads_, index_t intermediate, bool quick_gelu)
        : hidden(hidden_),
          heads(heads_),
          quick(quick_gelu),
          gamma1(load.tensor("layer_norm1.weight", hidden)),
          beta1(load.tensor("layer_norm1.bias", hidden)),
          gamma2(load.tensor("layer_norm2.weight", hidden)),
          beta2(load.tensor("layer_norm2.bias", hidden)),
          stacked_bias((load / "self_attn").stacked({"q_proj.bias", "k_proj.bias", "v_proj.bias"}, hidden)),
          qkv_weight(
              (load / "self_attn")
                  .stacked({"q_proj.weight", "k_proj.weight", "v_proj.weight"}, {hidden, hidden, hidden}, hidden)),
          out(load / "self_attn" / "out_proj", hidden, hidden),
          fc1(load / "mlp" / "fc1", intermediate, hidden),
          fc2(load / "mlp" / "fc2", hidden, intermediate) {}

    /// x [B, S, hidden] → the same.
    template <class Target>
    Temporary<T, 3> build(const Build<T, Target>& b, const Tensor<T, 3>& x) const {
        const index_t n = x.extents[0], s = x.extents[1];
        auto normed = b.like(x), h = b.like(x), y = b.like(x);
        b.template add<layer_norm>("layer_norm1", *normed, gamma1, beta1, x);
        {
            auto q = b.temporary(n, heads, s, hidden / heads), k = b.like(*q), v = b.like(*q);
            b.template add<qkv_bias>("self_attn.to_qkv", *q, *k, *v, qkv_weight, *normed, stacked_bias);
            const auto attended = attention<mask::Causal>(b / "self_attn", *q, *k, *v);
            b.template add<linear_residual>("self_attn.out_proj", flat(*h), out.weight, flat(*attended), out.bias,
                                            flat(x));
        }
        b.template add<layer_norm>("layer_norm2", *normed, gamma2, beta2, *h);
        auto wide = b.temporary(n, s, fc1.bias.extents[0]);
        if (quick) b.template add<fc1_quick_gelu>("mlp.fc1", flat(*wide), fc1.weight, flat(*normed), fc1.bias);
        else b.template add<fc1_gelu>("mlp.fc1", flat(*wide), fc1.weight, flat(*normed), fc1.bias);
        b.template add<linear_residual>("mlp.fc2", flat(*y), fc2.weight, flat(*wide), fc2.bias, flat(*h));
        return y;
    }
};

}  // namespace inlay::inline INLAY_ABI::nn
