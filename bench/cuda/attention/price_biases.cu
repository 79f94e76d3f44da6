// SPDX-License-Identifier: Apache-2.0
/// Prices of scores that read a tensor: slopes of heads, and a bias of every pair.
#include "prices.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

using Scaled = Mul<Out, Const<priced_scale>>;

struct SlopeRule : CausalRule {
    const float* slopes;
    SlopeRule(index_t d, const float* of_heads) : CausalRule(d), slopes(of_heads) {}
    __host__ __device__ double score(double product, index_t, index_t h, index_t q, index_t k) const {
        return product * scale - static_cast<double>(slopes[h]) * static_cast<double>(q - k);
    }
};
struct BiasRule : CausalRule {
    const bf16* bias;
    index_t keys;
    BiasRule(index_t d, const bf16* pairs, index_t n) : CausalRule(d), bias(pairs), keys(n) {}
    __host__ __device__ double score(double product, index_t, index_t h, index_t q, index_t k) const {
        return product * scale + static_cast<double>(static_cast<float>(bias[(h * keys + q) * keys + k]));
    }
};

}  // namespace

void price_biases(Bench& bench) {
    const index_t d = priced.d, h = priced.heads, n = priced.keys;
    std::vector<float> slopes;
    for (index_t i = 1; i <= h; ++i) slopes.push_back(std::exp2(-8 * static_cast<float>(i) / static_cast<float>(h)));
    const float* of_heads = nullptr;
    using Alibi = score::Of<Sub<Scaled, Mul<Buf<3>, Sub<QueryPosition, Coord<3>>>>>;
    price(
        bench, "score_alibi", [&](Case&) { return SlopeRule(d, of_heads); },
        [&](Case& c, const Tokens<bf16>& o) {
            of_heads = c.constant(slopes);
            return kernel<attend<128, mask::Causal, Alibi>>(o, tensor(of_heads, h, 1, 1));
        });
    const bf16* first = nullptr;
    price(
        bench, "score_bias", [&](Case&) { return BiasRule(d, first, n); },
        [&](Case& c, const Tokens<bf16>& o) {
            const auto bias = c.input<bf16>(h * n * n);
            first = bias[0];
            return [=](int i) {
                return prepare<attend<128, mask::Causal, score::Of<Add<Scaled, Buf<3>>>>>(
                    o.y(i), o.q(i), o.k(i), o.v(i), tensor(bias[i], h, n, n));
            };
        });
}

}  // namespace inlay_bench
