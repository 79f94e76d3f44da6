// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "case.hpp"

namespace inlay_bench {

void documents(Bench& bench);
void prefixes(Bench& bench);
void sink_windows(Bench& bench);

/// A row of a mask or a score in bf16 beside plain causal attention of the same extents. FLOPs are those of the pairs
/// in visited tiles, `of_causal` is the rate at which such pairs are done over that of causal attention.
/// make(case, operands): the maker of the kernel; rule(case): the rule that it is checked by.
template <class Rule, class Make>
void masked_row(Bench& bench, const std::string& kind, const Sizes& s, Rule rule, Make make) {
    bench.run(row_name(kind, s, inlay::DType::bf16), [&](Case& c) {
        const Tokens<bf16> o(c, s);
        const auto by = rule(c);
        const Pairs pairs = pairs_of(by, s), plain = pairs_of(CausalRule(s.d), s);
        c.flops(4.0 * static_cast<double>(s.heads * s.d) * pairs.in_tiles);
        ours(bench, c, o, by, make(c, o));
        c.time("causal_us", causal(o));
        c.measure();
        c.number("pairs", pairs.visible);
        c.number("pairs_in_tiles", pairs.in_tiles);
        c.number("of_causal", pairs.in_tiles / c.us() / (plain.in_tiles / c.us("causal_us")));
    });
}

inline constexpr Sizes language{8, 32, 32, 2048, 2048, 128}, long_language{2, 32, 32, 8192, 8192, 128};

}  // namespace inlay_bench
