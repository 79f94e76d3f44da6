// SPDX-License-Identifier: Apache-2.0
/// Prices of score functions and of rows other than softmax: "price/attention/<score or row>/…" is the time of
/// causal attention in bf16 with it over the time of the plain one, both in turn.
#include "prices.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

using Scaled = Mul<Out, Const<priced_scale>>;
using Distance = Sub<QueryPosition, Coord<3>>;

struct SoftcapRule : CausalRule {
    using CausalRule::CausalRule;
    __host__ __device__ double score(double product, index_t, index_t, index_t, index_t) const {
        return 20 * tanh(product * scale / 20);
    }
};
struct RelativeRule : CausalRule {
    using CausalRule::CausalRule;
    __host__ __device__ double score(double product, index_t, index_t, index_t q, index_t k) const {
        return product * scale - 0.01 * static_cast<double>(q - k);
    }
};
struct TemperatureRule : CausalRule {
    using CausalRule::CausalRule;
    __host__ __device__ double score(double product, index_t, index_t, index_t, index_t) const {
        return product * static_cast<double>(0.1f);
    }
};

void price_scores(Bench& bench) {
    const index_t d = priced.d;
    price(bench, "score_scaled", by(CausalRule(d)), [](Case&, const Tokens<bf16>& o) {
        return kernel<attend<128, mask::Causal, score::Of<Scaled>>>(o);
    });
    price(
        bench, "score_softcap", [&](Case&) { return SoftcapRule(d); },
        [](Case&, const Tokens<bf16>& o) {
            return kernel<attend<128, mask::Causal, score::Softcap<Const<20>>>>(o);
        });
    price(
        bench, "score_relative_position", [&](Case&) { return RelativeRule(d); },
        [](Case&, const Tokens<bf16>& o) {
            return kernel<attend<128, mask::Causal, score::Of<Sub<Scaled, Mul<Const<0.01>, Distance>>>>>(o);
        });
    price(
        bench, "score_temperature", [&](Case&) { return TemperatureRule(d); },
        [](Case&, const Tokens<bf16>& o) {
            return kernel<attend<128, mask::Causal, score::Of<Mul<Out, Param<0>>>>>(o, 0.1f);
        });
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    using namespace inlay_bench;
    Bench bench("attention_prices", argc, argv);
    price_scores(bench);
    price_biases(bench);
    price_rows(bench);
    return bench.finish();
}
