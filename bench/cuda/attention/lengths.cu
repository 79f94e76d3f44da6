// SPDX-License-Identifier: Apache-2.0
/// Causal attention in bf16 by length and head dimension, 16384 tokens in all. Peers come from
/// bench/attention_torch.py; names are those of bench/cuda/attention.cu.
#include "case.hpp"

namespace inlay_bench {

namespace {

template <int D>
void by_length(Bench& bench) {
    for (index_t n = 512; n <= 16384; n *= 2) {
        const Sizes s{16384 / n, D == 256 ? 16 : 32, D == 256 ? 16 : 32, n, n, D};
        std::string name = "attention/causal/";
        for (const index_t e : {s.batch, s.heads, n, n}) name += std::to_string(e) + "x";
        bench.run(name + std::to_string(D) + "/bf16", [&](Case& c) {
            const Tokens<bf16> o(c, s);
            c.flops(2.0 * static_cast<double>(s.batch * s.heads * n) * static_cast<double>(n * D));
            ours(bench, c, o, CausalRule(D), kernel<attend<D, inlay::mask::Causal>>(o));
        });
    }
}

}  // namespace

}  // namespace inlay_bench

int main(int argc, char** argv) {
    inlay_bench::Bench bench("attention_lengths", argc, argv);
    inlay_bench::by_length<64>(bench);
    inlay_bench::by_length<96>(bench);
    inlay_bench::by_length<128>(bench);
    inlay_bench::by_length<256>(bench);
    return bench.finish();
}
