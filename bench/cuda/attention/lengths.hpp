// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case.hpp"

namespace inlay_bench {

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
void long_heads(Bench& bench);      ///< of 128 and 256 elements

}  // namespace inlay_bench
