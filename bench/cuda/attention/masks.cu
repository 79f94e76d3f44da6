// SPDX-License-Identifier: Apache-2.0
/// Scores and masks of language models in bf16: softcap, windows, ALiBi here, documents, prefixes and windows with
/// sinks in blocks.cu. Peers are FlexAttention and others by bench/attention_torch.py.
#include "masks.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

constexpr double scale = 0.08838834764831845;     // 1 / √128

struct CappedRule : CausalRule {
    index_t window;
    CappedRule(index_t d, index_t w) : CausalRule(d), window(w) {}
    __host__ __device__ bool visible(index_t, index_t q, index_t k) const { return k <= q && q - k < window; }
    __host__ __device__ double score(double product, index_t, index_t, index_t, index_t) const {
        return 20 * tanh(product * scale / 20);
    }
};
using Cap = score::Softcap<Const<20>>;

void softcap(Bench& bench, const Sizes& s) {
    bench.run(row_name("softcap", s, DType::bf16), [&](Case& c) {
        const Tokens<bf16> o(c, s);
        c.flops(2.0 * static_cast<double>(s.batch * s.heads * s.queries) * static_cast<double>(s.keys * s.d));
        ours(bench, c, o, CappedRule(s.d, s.keys), kernel<attend<128, mask::Causal, Cap>>(o));
        c.time("causal_us", causal(o));
    });
}

void window(Bench& bench, const Sizes& s) {
    constexpr index_t w = 1024;
    bench.run(row_name("window", s, DType::bf16), [&](Case& c) {
        const Tokens<bf16> o(c, s);
        c.flops(2.0 * static_cast<double>(s.batch * s.heads) * static_cast<double>((2 * s.queries - w) * w * s.d));
        ours(bench, c, o, CappedRule(s.d, w), kernel<attend<128, mask::Window<Const<w>>, Cap>>(o));
    });
}

struct AlibiRule : CausalRule {
    const float* slopes;
    AlibiRule(index_t d, const float* of_heads) : CausalRule(d), slopes(of_heads) {}
    __host__ __device__ double score(double product, index_t, index_t h, index_t q, index_t k) const {
        return product * scale - static_cast<double>(slopes[h]) * static_cast<double>(q - k);
    }
};
using Alibi = score::Of<Sub<Mul<Out, Const<scale>>, Mul<Buf<3>, Sub<QueryPosition, Coord<3>>>>>;

void alibi(Bench& bench, const Sizes& s) {
    std::vector<float> slopes;
    for (index_t h = 1; h <= s.heads; ++h)
        slopes.push_back(std::exp2(-8 * static_cast<float>(h) / static_cast<float>(s.heads)));
    const float* of_heads = nullptr;
    masked_row(
        bench, "alibi", s, [&](Case& c) { return AlibiRule(s.d, of_heads = c.constant(slopes)); },
        [&](Case&, const Tokens<bf16>& o) {
            return kernel<attend<128, mask::Causal, Alibi>>(o, tensor(of_heads, s.heads, 1, 1));
        });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_masks", argc, argv);
    softcap(bench, language);
    window(bench, {8, 32, 4, 2048, 2048, 128});
    alibi(bench, language);
    alibi(bench, long_language);
    documents(bench);
    prefixes(bench);
    sink_windows(bench);
    return bench.finish();
}
