// SPDX-License-Identifier: Apache-2.0
/// The UNet's spatial transformer: self-attention, cross-attention on the text, GEGLU, in 14 launches. Q, K and V are
/// one product whose sink splits heads and permutes, and whose epilogue scales Q of 16 bits for a softmax of powers of
/// two; GEGLU is the epilogue of a gated product; every residual is an epilogue. K and V of the text are computed once
/// per prompt.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/sink/partition.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/split_last.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/nn/build.hpp>
#include <inlay/nn/projection.hpp>

#include <algorithm>
#include <vector>

namespace inlay::inline INLAY_ABI::nn {

/// [B, S, H·D] → [B, H, S, D]
template <int I>
using HeadSink = SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>;
using BiasResidual = Add<Add<Out, Buf<1>>, Buf<2>>;

struct group_norm : GroupNorm<32, Buf<0>, Out, Store<0>, 1e-6> {};
struct layer_norm : LayerNorm<> {};
struct linear_bias : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct linear_residual : Linear<Buf<0>, BiasResidual> {};
struct qkv : Linear<Buf<0>, Out, Partition<-1, HeadSink<0>, HeadSink<1>, HeadSink<2>>> {};
struct query : Linear<Buf<0>, Out, HeadSink<0>> {};
/// Times a factor of each column, in fp32.
struct scaled_qkv : Linear<Buf<0>, Mul<Out, Buf<1>>, Partition<-1, HeadSink<0>, HeadSink<1>, HeadSink<2>>> {};
struct scaled_query : Linear<Buf<0>, Mul<Out, Buf<1>>, HeadSink<0>> {};
struct qkv_bias : Linear<Buf<0>, Add<Out, Buf<1>>, Partition<-1, HeadSink<0>, HeadSink<1>, HeadSink<2>>> {};
struct key_value : Linear<Buf<0>, Out, Partition<-1, HeadSink<0>, HeadSink<1>>> {};
struct geglu : Linear<Buf<0>, Mul<Add<Out, Buf<1>>, Gelu<Add<OutGate, Buf<2>>>>> {};
/// Reads [B, H, S, D], writes [B, S, H, D], which is [B, S, H·D].
template <int D, class Mask = mask::Full, class Score = score::Scaled>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask, Score, Permuted<Store<0>, 0, 2, 1, 3>> {};

/// Queries attend to keys and values, all [B, H, S, D]; the result is [B, S, H·D]. The masked ones are a text
/// encoder's, whose heads are 64 wide in every CLIP; else a UNet's, or the one head of a VAE: kernels apart in 16 bits.
template <class Mask = mask::Full, class Score = score::Scaled, Storage T, class Target>
Temporary<T, 3> attention(const Build<T, Target>& b, const Tensor<T, 4>& q, const Tensor<T, 4>& k,
                          const Tensor<T, 4>& v) {
    const auto& e = q.extents;
    auto y = b.temporary(e[0], e[2], e[1] * e[3]);
    const auto add = [&]<int D>() {
        b.template add<attend<D, Mask, Score>>("attention", reshaped(*y, e[0], e[2], e[1], e[3]), q, k, v);
    };
    if constexpr (Score::binary) with_head_dim<32, 40, 64, 80, 128, 160>(e[3], add);
    else if constexpr (!std::is_same_v<Mask, mask::Full>) with_head_dim<32, 64>(e[3], add);
    else if constexpr (sizeof(T) == 2) with_head_dim<32, 64, 512>(e[3], add);
    else with_head_dim<32, 40, 64, 80, 128, 160, 512>(e[3], add);
    return y;
}

/// Keys and values of the text for one transformer, [B, H, S, D] each.
template <Storage T>
struct TextKeys {
    Temporary<T, 4> k, v;
};

template <Storage T>
struct SpatialTransformer {
    /// Powers of two for 16 bits, whose engines gain by them. Q of fp32 would be rounded once more for nothing.
    using Score = std::conditional_t<sizeof(T) == 2, score::Base2, score::Scaled>;
    index_t channels = 0, heads = 0, context = 0;
    Tensor<const T, 1> norm_gamma, norm_beta, gamma1, beta1, gamma2, beta2, gamma3, beta3;
    Projection<T> proj_in, proj_out, self_out, cross_out, ff_out;
    Packed<T, 2> self_qkv, cross_q, cross_kv, ff_in;
    Tensor<const T, 1> ff_bias;     ///< of what is gated, then of the gate
    Tensor<const float, 1> factors; ///< of the columns of Q, K and V, where scores are powers of two: that, and 1

    SpatialTransformer() = default;
    template <class L>
    SpatialTransformer(const L& load, index_t channels_, index_t heads_, index_t context_)
        : channels(channels_), heads(heads_), context(context_), norm_gamma(load.tensor("norm.weight", channels)),
          norm_beta(load.tensor("norm.bias", channels)), proj_in(load / "proj_in", channels, channels),
          proj_out(load / "proj_out", channels, channels) {
        const L block = load / "transformer_blocks" / 0;
        gamma1 = block.tensor("norm1.weight", channels);
        beta1 = block.tensor("norm1.bias", channels);
        gamma2 = block.tensor("norm2.weight", channels);
        beta2 = block.tensor("norm2.bias", channels);
        gamma3 = block.tensor("norm3.weight", channels);
        beta3 = block.tensor("norm3.bias", channels);
        const index_t c = channels;
        self_qkv = (block / "attn1").stacked({"to_q.weight", "to_k.weight", "to_v.weight"}, {c, c, c}, c);
        self_out = {block / "attn1" / "to_out" / 0, c, c};
        cross_q = (block / "attn2").linear("to_q.weight", c, c);
        cross_kv = (block / "attn2").stacked({"to_k.weight", "to_v.weight"}, {c, c}, context);
        cross_out = {block / "attn2" / "to_out" / 0, c, c};
        const L proj = block / "ff" / "net" / 0 / "proj";
        ff_in = proj.paired("weight", 4 * c, c);
        ff_bias = proj.tensor("bias", 8 * c);
        ff_out = {block / "ff" / "net" / 2, c, 4 * c};
        if constexpr (Score::binary) {
            std::vector<float> by(static_cast<std::size_t>(3 * c), 1.0f);
            std::fill_n(by.begin(), c, static_cast<float>(Score::factor(static_cast<int>(c / heads))));
            factors = load.constant(by);
        }
    }

    /// Once per prompt: text [B, S, context].
    template <class Target>
    TextKeys<T> build_text(const Build<T, Target>& b, const Tensor<T, 3>& text) const {
        const index_t n = text.extents[0], s = text.extents[1], d = channels / heads;
        TextKeys<T> t{b.temporary(n, heads, s, d), b.temporary(n, heads, s, d)};
        b.template add<key_value>("attn2.to_kv", *t.k, *t.v, cross_kv, text);
        return t;
    }

    /// x [B, H, W, C] → the same.
    template <class Target>
    Temporary<T, 4> build(const Build<T, Target>& b, const Tensor<T, 4>& x, const TextKeys<T>& text) const {
        const index_t n = x.extents[0], s = x.extents[1] * x.extents[2], c = channels, d = c / heads;

        auto normed = b.like(x);
        b.template add<group_norm>("norm", *normed, norm_gamma, norm_beta, x);
        auto h = b.temporary(n, s, c);
        b.template add<linear_bias>("proj_in", flat(*h), proj_in.weight, flat(*normed), proj_in.bias);
        auto t = reshaped(*normed, n, s, c);  // reused for every LayerNorm

        const auto residual = [&](const Build<T, Target>& part, const Projection<T>& p, Temporary<T, 3> from) {
            auto y = b.temporary(n, s, c);
            part.template add<linear_residual>("to_out", flat(*y), p.weight, flat(*from), p.bias, flat(*h));
            h = std::move(y);
        };

        const auto attend = [](const auto&... inputs) { return attention<mask::Full, Score>(inputs...); };

        b.template add<layer_norm>("norm1", t, gamma1, beta1, *h);
        {
            auto q = b.temporary(n, heads, s, d), k = b.like(*q), v = b.like(*q);
            const Build<T, Target> part = b / "attn1";
            if constexpr (Score::binary) part.template add<scaled_qkv>("to_qkv", *q, *k, *v, self_qkv, t, factors);
            else part.template add<qkv>("to_qkv", *q, *k, *v, self_qkv, t);
            residual(part, self_out, attend(part, *q, *k, *v));
        }
        b.template add<layer_norm>("norm2", t, gamma2, beta2, *h);
        {
            auto q = b.temporary(n, heads, s, d);
            const Build<T, Target> part = b / "attn2";
            const Tensor<const float, 1> by{factors.data, {{c}}};
            if constexpr (Score::binary) part.template add<scaled_query>("to_q", *q, cross_q, t, by);
            else part.template add<query>("to_q", *q, cross_q, t);
            residual(part, cross_out, attend(part, *q, *text.k, *text.v));
        }
        b.template add<layer_norm>("norm3", t, gamma3, beta3, *h);
        {
            auto wide = b.temporary(n, s, 4 * c);
            const Tensor<const T, 1> bias{ff_bias.data, {{4 * c}}}, gate{ff_bias.data + 4 * c, {{4 * c}}};
            b.template add<geglu>("ff.in", flat(*wide), ff_in, flat(t), bias, gate);
            residual(b / "ff", ff_out, std::move(wide));
        }
        auto y = b.like(x);
        b.template add<linear_residual>("proj_out", flat(*y), proj_out.weight, flat(*h), proj_out.bias, flat(x));
        return y;
    }
};

}  // namespace inlay::inline INLAY_ABI::nn
