// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"
#include "sd15.hpp"

namespace inlay_bench {

namespace {

template <class T, class Mask, class Rule>
void row(Bench& bench, const std::string& kind) {
    const Sizes s{8, 32, 32, 2048, 2048, 128};
    bench.run("attention/" + kind + "/8x32x2048x2048x128/" + inlay::name(inlay::dtype_of<T>), [&](Case& c) {
        const Tokens<T> o(c, s);
        const bool full = kind == "full";
        c.flops((full ? 4.0 : 2.0) * static_cast<double>(s.batch * s.heads * s.queries) *
                static_cast<double>(s.keys * s.d));
        ours(bench, c, o, Rule(s.d), kernel<attend<128, Mask>>(o));
        if (full)
            c.peer("cuDNN", cudnn(Scores{s.batch, s.heads, s.queries, s.keys, s.d, inlay::dtype_of<T>}, bench.plans()));
    });
}

}  // namespace

void language_rows(Bench& bench) {
    row<fp16, inlay::mask::Full, FullRule>(bench, "full");
    row<bf16, inlay::mask::Full, FullRule>(bench, "full");
    row<fp16, inlay::mask::Causal, CausalRule>(bench, "causal");
    row<bf16, inlay::mask::Causal, CausalRule>(bench, "causal");
}

}  // namespace inlay_bench
