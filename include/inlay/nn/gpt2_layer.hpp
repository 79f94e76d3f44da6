// SPDX-License-Identifier: Apache-2.0
/// One layer of GPT-2 over a cache of keys and values: self-attention and an MLP, each behind its LayerNorm and with
/// its residual. 7 kernels, the same for a prompt and for a token: the product of Q, K and V writes the last two into
/// the cache, at positions that it reads from the device's memory.
#pragma once

#include <inlay/expr/sink/partition.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/scatter.hpp>
#include <inlay/expr/sink/split_last.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/nn/build.hpp>
#include <inlay/nn/ends.hpp>

namespace inlay::inline INLAY_ABI::nn {

/// The new tokens of a batch: their positions [B, S] in the cache, each the number of keys before it.
using Positions = Tensor<const std::int32_t, 2>;

/// Keys and values of one layer, [B, heads, capacity, D].
template <Storage T>
struct KeyValueCache {
    Tensor<T, 4> keys, values;
};

namespace gpt2 {

/// A result [B, S, C] by heads to output I, [B, heads, capacity, D], at the positions of Buf<2>.
template <int I>
using ToCache = Scatter<SplitLast<Permuted<Store<I>, 0, 2, 1, 3>>, Buf<2>, 1>;
struct query_key_value : Linear<Buf<0>, Biased, Partition<2, Store<0>, ToCache<1>, ToCache<2>>> {};
/// A token sees the keys up to its position.
template <int D>
struct attention : Attention<D, Permute<Buf<0>, 0, 2, 1, 3>, Buf<1>, Buf<2>, Permuted<Store<0>, 0, 2, 1, 3>,
                             mask::If<LessEqual<Coord<3>, Buf<3>>>> {};
struct linear_residual : Linear<Buf<0>, Add<Biased, Buf<2>>> {};
struct linear_gelu : Linear<Buf<0>, GeluTanh<Biased>> {};

/// Weights stored [k, n], with names of Conv1D's.
template <Storage T>
struct Product {
    Packed<T, 2> weight;
    Tensor<const T, 1> bias;
    Product() = default;
    template <class L>
    Product(const L& load, index_t n, index_t k)
        : weight(load.transposed_linear("weight", n, k)), bias(load.tensor("bias", n)) {}
};
template <Storage T>
struct Norm {
    Tensor<const T, 1> gamma, beta;
    Norm() = default;
    template <class L>
    Norm(const L& load, index_t n) : gamma(load.tensor("weight", n)), beta(load.tensor("bias", n)) {}
};

}  // namespace gpt2

template <Storage T>
class Gpt2Layer {
public:
    Gpt2Layer() = default;
    template <class L>
    Gpt2Layer(const L& load, index_t hidden, index_t heads, index_t inner)
        : heads_(heads), inner_(inner), norm1_(load / "ln_1", hidden), norm2_(load / "ln_2", hidden),
          query_key_value_(load / "attn" / "c_attn", 3 * hidden, hidden),
          out_(load / "attn" / "c_proj", hidden, hidden), up_(load / "mlp" / "c_fc", inner, hidden),
          down_(load / "mlp" / "c_proj", hidden, inner) {}

    /// x [B, S, hidden] → the same; keys and values of the tokens go into the cache.
    template <class Target>
    Temporary<T, 3> build(const Build<T, Target>& b, const Tensor<T, 3>& x, const Positions& positions,
                          const KeyValueCache<T>& cache) const {
        const index_t batch = x.extents[0], length = x.extents[1], c = x.extents[2], d = c / heads_;
        auto h = b.like(x);
        {
            auto attended = b.like(x);
            {
                auto normed = b.like(x), q = b.like(x);
                b.template add<final_norm>("ln_1", *normed, norm1_.gamma, norm1_.beta, x);
                b.template add<gpt2::query_key_value>("attn.c_attn", *q, cache.keys, cache.values,
                                                      query_key_value_.weight, *normed, query_key_value_.bias,
                                                      positions);
                const auto heads = [&](const Tensor<T, 3>& t) { return reshaped(t, batch, length, heads_, d); };
                with_head_dim<16, 32, 64, 80, 128>(d, [&]<int D>() {
                    b.template add<gpt2::attention<D>>("attn", heads(*attended), heads(*q), cache.keys, cache.values,
                                                       reshaped(positions, batch, index_t(1), length, index_t(1)));
                });
            }
            b.template add<gpt2::linear_residual>("attn.c_proj", flat(*h), out_.weight, flat(*attended), out_.bias,
                                                  flat(x));
        }
        auto y = b.like(x), normed = b.like(x);
        auto wide = b.temporary(batch, length, inner_);
        b.template add<final_norm>("ln_2", *normed, norm2_.gamma, norm2_.beta, *h);
        b.template add<gpt2::linear_gelu>("mlp.c_fc", flat(*wide), up_.weight, flat(*normed), up_.bias);
        b.template add<gpt2::linear_residual>("mlp.c_proj", flat(*y), down_.weight, flat(*wide), down_.bias, flat(*h));
        return y;
    }

    /// Calls f with the weights in the order of their kernels, for programs of other kernels.
    template <class F>
    void with_weights(const F& f) const {
        f(norm1_, query_key_value_, out_, norm2_, up_, down_);
    }

private:
    index_t heads_ = 0, inner_ = 0;
    gpt2::Norm<T> norm1_, norm2_;
    gpt2::Product<T> query_key_value_, out_, up_, down_;
};

}  // namespace inlay::inline INLAY_ABI::nn
