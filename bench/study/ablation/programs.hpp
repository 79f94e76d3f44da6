// SPDX-License-Identifier: Apache-2.0
/// The model as kernels of the library: all fused; bias, GELU and residual as kernels of their own; attention with
/// scores in memory.
#pragma once

#include "model.hpp"

#include <functional>

namespace inlay_study {

/// Prepared kernels in order.
template <class Target>
class Steps {
public:
    template <class K, class... A>
    void add(const A&... a) {
        steps_.push_back([kernel = prepare<K>(a...)](Target& target) { kernel.run(target); });
    }
    void run(Target& target) const {
        for (const auto& step : steps_) step(target);
    }
    std::size_t size() const { return steps_.size(); }

private:
    std::vector<std::function<void(Target&)>> steps_;
};

template <class Target>
struct Built {
    Steps<Target> steps;
    const fp16* result = nullptr;
};

/// A result [tokens, width] by heads, [heads, tokens, head].
template <int I>
using ByHeads = SplitLast<Permuted<Store<I>, 1, 0, 2>>;

struct norm : LayerNorm<> {};
struct query_key_value
    : Linear<Buf<0>, Add<Out, Buf<1>>, Partition<1, ByHeads<0>, ByHeads<1>, ByHeads<2>>> {};
struct attend : Attention<head, Buf<0>, Buf<1>, Buf<2>, Permuted<Store<0>, 0, 2, 1, 3>, mask::Causal> {};
struct bias_residual : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct bias_gelu : Linear<Buf<0>, GeluTanh<Add<Out, Buf<1>>>> {};

inline auto matrix(const fp16* w, index_t n, index_t k) { return Packed<fp16, 2>{w, {{n, k}}}; }
inline auto rows(fp16* x, index_t n) { return tensor(x, tokens, n); }
inline auto rows(const fp16* x, index_t n) { return tensor(x, tokens, n); }
inline auto by_heads(fp16* x) { return tensor(x, heads, tokens, head); }
inline auto heads_of(const fp16* x) { return tensor(x, index_t(1), heads, tokens, head); }
/// Heads of a matrix [tokens, pitch], where they lie.
template <class T>
Tensor<T, 4> heads_in(T* x, index_t pitch) {
    return {x, {{1, heads, tokens, head}}, {{0, head, pitch, 1}}};
}
inline auto attended_in(fp16* x) { return tensor(x, index_t(1), tokens, heads, head); }

/// Memory of a layer's results, from attention's on.
struct BehindAttention {
    fp16 *attended, *middle, *normed, *wide, *x;
};
/// The four kernels of a layer that follow attention, with bias, GELU and residual in products.
template <class Target>
void add_behind_attention(Steps<Target>& s, const Layer& l, const fp16* in, const BehindAttention& to) {
    s.template add<bias_residual>(rows(to.middle, width), matrix(l.out, width, width), rows(to.attended, width),
                                  tensor(l.out_bias, width), rows(in, width));
    s.template add<norm>(rows(to.normed, width), tensor(l.gamma2, width), tensor(l.beta2, width),
                         rows(to.middle, width));
    s.template add<bias_gelu>(rows(to.wide, inner), matrix(l.up, inner, width), rows(to.normed, width),
                              tensor(l.up_bias, inner));
    s.template add<bias_residual>(rows(to.x, width), matrix(l.down, width, inner), rows(to.wide, inner),
                                  tensor(l.down_bias, width), rows(to.middle, width));
}

/// 7 kernels a layer.
template <class Target>
Built<Target> fused(Model& m) {
    Built<Target> b;
    Steps<Target>& s = b.steps;
    const index_t n = tokens * width;
    fp16 *const normed = m.room(n), *const q = m.room(n), *const k = m.room(n), *const v = m.room(n),
                *const attended = m.room(n), *const middle = m.room(n), *const wide = m.room(tokens * inner),
                *const x = m.room(n);
    const fp16* in = m.input;
    for (const Layer& l : m.all) {
        s.template add<norm>(rows(normed, width), tensor(l.gamma1, width), tensor(l.beta1, width), rows(in, width));
        s.template add<query_key_value>(by_heads(q), by_heads(k), by_heads(v), matrix(l.qkv, 3 * width, width),
                                        rows(normed, width), tensor(l.qkv_bias, 3 * width));
        s.template add<attend>(attended_in(attended), heads_of(q), heads_of(k), heads_of(v));
        add_behind_attention(s, l, in, {attended, middle, normed, wide, x});
        in = x;
    }
    b.result = x;
    return b;
}

struct product : Linear<> {};
struct sum : Elementwise<Add<Buf<0>, Buf<1>>> {};
struct gelu : Elementwise<GeluTanh<Buf<0>>> {};

/// 14 kernels a layer: products store bare sums; bias, GELU and residual each read and write memory. LayerNorm and
/// attention are as they were; attention reads Q, K and V where they lie side by side.
template <class Target>
Built<Target> unfused(Model& m) {
    Built<Target> b;
    Steps<Target>& s = b.steps;
    const index_t n = tokens * width;
    fp16 *const normed = m.room(n), *const bare = m.room(tokens * inner), *const qkv = m.room(3 * n),
                *const attended = m.room(n), *const biased = m.room(tokens * inner), *const middle = m.room(n),
                *const wide = m.room(tokens * inner), *const x = m.room(n);
    const fp16* in = m.input;
    const auto multiply = [&](fp16* to, const fp16* w, const fp16* bias, index_t columns, const fp16* from, index_t k) {
        s.template add<product>(rows(bare, columns), matrix(w, columns, k), rows(from, k));
        s.template add<sum>(rows(to, columns), rows(static_cast<const fp16*>(bare), columns), tensor(bias, columns));
    };
    const auto residual = [&](fp16* to, const fp16* from, const fp16* before) {
        s.template add<sum>(rows(to, width), rows(from, width), rows(before, width));
    };
    for (const Layer& l : m.all) {
        s.template add<norm>(rows(normed, width), tensor(l.gamma1, width), tensor(l.beta1, width), rows(in, width));
        multiply(qkv, l.qkv, l.qkv_bias, 3 * width, normed, width);
        const fp16* const q = qkv;
        s.template add<attend>(attended_in(attended), heads_in(q, 3 * width), heads_in(q + width, 3 * width),
                               heads_in(q + 2 * width, 3 * width));
        multiply(biased, l.out, l.out_bias, width, attended, width);
        residual(middle, biased, in);
        s.template add<norm>(rows(normed, width), tensor(l.gamma2, width), tensor(l.beta2, width),
                             rows(middle, width));
        multiply(biased, l.up, l.up_bias, inner, normed, width);
        s.template add<gelu>(rows(wide, inner), rows(static_cast<const fp16*>(biased), inner));
        multiply(biased, l.down, l.down_bias, width, wide, inner);
        residual(x, biased, middle);
        in = x;
    }
    b.result = x;
    return b;
}

/// V transposed, [heads, head, tokens], as the weights of a product lie.
struct query_key_value_transposed
    : Linear<Buf<0>, Add<Out, Buf<1>>,
             Partition<1, ByHeads<0>, ByHeads<1>, SplitLast<Permuted<Store<2>, 1, 2, 0>>>> {};
struct masked_softmax
    : Softmax<Where<LessEqual<Coord<2>, Coord<1>>, Mul<Buf<0>, Const<0.125>>, Const<-1e30>>> {};
static_assert(head == 64, "the scale of scores is the root of 1 / 64");
struct weigh : Linear<Buf<0>, Out, Permuted<Store<0>, 1, 0, 2>> {};

/// 9 kernels a layer: scores of all pairs of tokens by a product, the rows of their softmax (scaled and masked as it
/// reads them), and the product of those with V; both [heads, tokens, tokens] lie in memory, 6 MB each.
template <class Target>
Built<Target> scores_in_memory(Model& m) {
    Built<Target> b;
    Steps<Target>& s = b.steps;
    const index_t n = tokens * width, pairs = heads * tokens * tokens;
    fp16 *const normed = m.room(n), *const q = m.room(n), *const k = m.room(n), *const v = m.room(n),
                *const scores = m.room(pairs), *const shares = m.room(pairs), *const attended = m.room(n),
                *const middle = m.room(n), *const wide = m.room(tokens * inner), *const x = m.room(n);
    const fp16* in = m.input;
    const auto all_pairs = [](auto* p) { return tensor(p, heads, tokens, tokens); };
    const auto constant = [](fp16* p) { return static_cast<const fp16*>(p); };
    for (const Layer& l : m.all) {
        s.template add<norm>(rows(normed, width), tensor(l.gamma1, width), tensor(l.beta1, width), rows(in, width));
        s.template add<query_key_value_transposed>(by_heads(q), by_heads(k), tensor(v, heads, head, tokens),
                                                   matrix(l.qkv, 3 * width, width), rows(normed, width),
                                                   tensor(l.qkv_bias, 3 * width));
        s.template add<product>(all_pairs(scores), tensor(constant(k), heads, tokens, head),
                                tensor(constant(q), heads, tokens, head));
        s.template add<masked_softmax>(all_pairs(shares), all_pairs(constant(scores)));
        s.template add<weigh>(tensor(attended, tokens, heads, head), tensor(constant(v), heads, head, tokens),
                              all_pairs(constant(shares)));
        add_behind_attention(s, l, in, {attended, middle, normed, wide, x});
        in = x;
    }
    b.result = x;
    return b;
}

}  // namespace inlay_study
