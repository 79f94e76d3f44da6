// SPDX-License-Identifier: Apache-2.0
/// Rates of work that `decide` of the frames does not price: passes of elementwise work, and operands of an epilogue.
/// Fitted to measurements, as data.
#pragma once

#include <inlay/plan/cost.hpp>

namespace inlay::inline INLAY_ABI::planner {

struct Rates {
    double launch_us;           ///< of a kernel that moves next to nothing
    double bytes_us;            ///< bytes a microsecond of elementwise work, in a step whose tensors stay in the cache
    double hidden_bytes_us;     ///< of an epilogue's operands beside products of many taps, which hide most of them
    double specials_us;         ///< special functions a microsecond, beside what a kernel does otherwise
    double products_us;         ///< FLOPs a microsecond of products; 0: `decide` has their price
};

/// bench/results/h200/price_list.json, commit d9e9cf7. A pass of its own beside a product: `unfused_us` − `plain_us`
/// of silu_prologue, 0.7 to 42 MB. Epilogues: `us` − `plain_us` of residual_epilogue of linears, and of 3×3 filters;
/// of geglu_epilogue, whose functions are hidden for the most part.
inline constexpr Rates h200_rates{1.6, 4.3e6, 10e6, 10e6, 0};
/// 2-core AMD EPYC with AVX-512, fp32: products by bench/results/cpu/sd15.json (a guided step of 256×256 pixels, some
/// 0.32 TFLOP, in 1.23 s); elementwise work and special functions by the loops of `tile/host`, timed on it.
inline constexpr Rates host_rates{4, 8e3, 16e3, 0.6e3, 250e3};

/// Those of a target that no measurement covers follow from its datasheet as far as it goes.
constexpr Rates rates_of(const TargetInfo& t) {
    if (t.name == host_target.name) return host_rates;
    if (t.sm90a) return h200_rates;
    const double share = t.bandwidth_gbs / sm90a_target.bandwidth_gbs;
    Rates r = h200_rates;
    r.launch_us = launch_us(t);
    r.bytes_us *= share;
    r.hidden_bytes_us *= share;
    r.specials_us *= static_cast<double>(t.units) / sm90a_target.units;
    return r;
}

}  // namespace inlay::inline INLAY_ABI::planner
