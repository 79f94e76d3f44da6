// SPDX-License-Identifier: Apache-2.0
/// The middle of the VAE's encoder and decoder: ResNet block, single-head attention over all pixels, ResNet block.
#pragma once

#include <inlay/nn/resnet.hpp>
#include <inlay/nn/transformer.hpp>

namespace inlay::inline INLAY_ABI::nn {

template <Storage T>
struct VaeMid {
    using Block = ResNet<T, false, 1e-6>;
    Block first, last;
    Tensor<const T, 1> gamma, beta, stacked_bias;
    Packed<T, 2> qkv_weight;
    Projection<T> out;

    VaeMid() = default;
    /// `load`: names below "mid_block.".
    template <class L>
    VaeMid(const L& load, index_t c)
        : first(load / "resnets" / 0, c, c), last(load / "resnets" / 1, c, c),
          gamma((load / "attentions" / 0).tensor("group_norm.weight", c)),
          beta((load / "attentions" / 0).tensor("group_norm.bias", c)),
          stacked_bias((load / "attentions" / 0).stacked({"to_q.bias", "to_k.bias", "to_v.bias"}, c)),
          qkv_weight((load / "attentions" / 0).stacked({"to_q.weight", "to_k.weight", "to_v.weight"}, {c, c, c}, c)),
          out(load / "attentions" / 0 / "to_out" / 0, c, c) {}

    /// x [B, H, W, C] → the same.
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x) const {
        auto y = first.build(b / "resnets.0", x, nullptr, {}, {});
        y = attend(b / "attentions.0", *y);
        return last.build(b / "resnets.1", *y, nullptr, {}, {});
    }

private:
    template <class Target>
    Temporary<T, 4> attend(const Build<T, Target>& b, const Tensor<T, 4>& x) const {
        const index_t n = x.extents[0], s = x.extents[1] * x.extents[2], c = x.extents[3];
        auto normed = b.like(x), y = b.like(x);
        b.template add<group_norm>("group_norm", *normed, gamma, beta, x);
        auto q = b.temporary(n, 1, s, c), k = b.like(*q), v = b.like(*q);
        b.template add<qkv_bias>("to_qkv", *q, *k, *v, qkv_weight, reshaped(*normed, n, s, c), stacked_bias);
        const auto attended = attention(b, *q, *k, *v);
        b.template add<linear_residual>("to_out", flat(*y), out.weight, flat(*attended), out.bias, flat(x));
        return y;
    }
};

}  // namespace inlay::inline INLAY_ABI::nn
