// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case.hpp"

namespace inlay_bench {

inline constexpr Sizes priced{8, 32, 32, 2048, 2048, 128};
inline constexpr double priced_scale = 0.08838834764831845;     // 1 / √128

/// One entry: a kernel beside plain causal softmax over the same operands. make(case, operands) prepares it.
template <class Rule, class Make>
void price(Bench& bench, const std::string& what, Rule rule, Make make) {
    bench.run("price/attention/" + what + "/" + priced.text() + "/bf16", [&](Case& c) {
        const Tokens<bf16> o(c, priced);
        const double rows = static_cast<double>(priced.batch * priced.heads * priced.queries);
        c.flops(2.0 * rows * static_cast<double>(priced.keys * priced.d));
        const auto kernels = make(c, o);
        ours(bench, c, o, rule(c), kernels);
        c.time("plain_us", causal(o));
        c.measure();
        c.number("over_plain", c.us() / c.us("plain_us"));
    });
}
inline auto by(const CausalRule& rule) {
    return [rule](Case&) { return rule; };
}

void price_biases(Bench& bench);
void price_rows(Bench& bench);

}  // namespace inlay_bench
