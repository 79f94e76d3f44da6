// SPDX-License-Identifier: Apache-2.0
/// Phases: times at which the value of a layer is known, and so the loops that a kernel stands in.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// In the order in which they come. What depends on earlier phases alone is computed there, once.
enum class Phase : unsigned char { load, schedule, prompt, step };
inline constexpr int phases = 4;

constexpr Phase later(Phase a, Phase b) { return a < b ? b : a; }
constexpr Phase earlier(Phase a, Phase b) { return a < b ? a : b; }

}  // namespace inlay::inline INLAY_ABI::planner
