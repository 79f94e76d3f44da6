// SPDX-License-Identifier: Apache-2.0
/// Rates of work that `decide` of the frames does not price: passes of elementwise work, and operands of an epilogue.
/// Fitted to measurements, as data.
#pragma once

#include <inlay/plan/cost.hpp>

namespace inlay::inline INLAY_ABI::planner {

struct Rates {
    double launch_us;           ///< of a kernel that moves next to nothing
    double bytes_us;            ///< bytes a microsecond of elementwise work, in a step whose tensors stay in the cache
    double operand_bytes_us;    ///< of operands of an epilogue, and of results that leave rearranged
    double hidden_bytes_us;     ///< the same beside products of many taps, which hide most of them
    double specials_us;         ///< special functions a microsecond, beside what a kernel does otherwise
    double products_us;         ///< FLOPs a microsecond of products; 0: `decide` has their price
    /// Passes over a tensor, at the rate of operands, that it costs to read its rows in pieces that lie apart, as
    /// heads of a tensor that holds all.
    double apart_passes;
};

/// bench/results/h200/price_list.json, commit d9e9cf7. A pass of its own beside a product: `unfused_us` − `plain_us` of
/// silu_prologue, 0.7 to 134 MB, which take longer beside filters than beside linears. Epilogues: `us` − `plain_us` of
/// residual_epilogue of linears, and of 3×3 filters; of geglu_epilogue, whose functions are hidden for the most part.
/// Pieces: heads of 40 and 80 read from rows beside heads written by the product, 16 shapes of placements_attention and
/// placements_text, commit 28ed0853, from -1.4 to 1.8 passes, 0.86 by least squares; 0.8 has them all in order.
inline constexpr Rates h200_rates{2, 3.7e6, 4.3e6, 10e6, 10e6, 0, 0.8};
/// 2-core AMD EPYC with AVX-512, fp32, busy with other work, so that only ratios count: silu, a sum and Linear of 64 to
/// 4096 rows of 320, g++ 12 -O2 -march=native, the best of 40. Pieces: **assumed**, as dear as a copy that brings them
/// together.
inline constexpr Rates host_rates{3, 70e3, 70e3, 70e3, 8e3, 100e3, 2};

/// Those of a target that no measurement covers follow from its datasheet as far as it goes.
constexpr Rates rates_of(const TargetInfo& t) {
    if (t.name == host_target.name) return host_rates;
    if (t.sm90a) return h200_rates;
    const double share = t.bandwidth_gbs / sm90a_target.bandwidth_gbs;
    Rates r = h200_rates;
    r.launch_us = launch_us(t);
    r.bytes_us *= share;
    r.operand_bytes_us *= share;
    r.hidden_bytes_us *= share;
    r.specials_us *= static_cast<double>(t.units) / sm90a_target.units;
    return r;
}

}  // namespace inlay::inline INLAY_ABI::planner
