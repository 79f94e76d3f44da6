// SPDX-License-Identifier: Apache-2.0
/// Costs in microseconds of what neither a measurement nor a rule of its own prices: a launch, and what the datasheet's
/// rates allow at best. All decisions give their cost in this unit, so that a planner can compare them.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/plan/device.hpp>

namespace inlay::inline INLAY_ABI {

/// The time of a kernel that moves next to nothing: as measured on the target, else 2, which an elementwise kernel
/// takes in a graph on an H200.
constexpr double launch_us(const TargetInfo& t) { return t.rows_us > 0 ? t.rows_us : 2; }

/// The time of a launch, then of the matrix unit or of memory, whichever takes longer. 0 where the target's rates are
/// not known. `tflops`: of the matrix unit; 0: the work is not on it, and memory alone counts.
constexpr double roofline_us(const TargetInfo& t, double flops, double tflops, double bytes) {
    if (t.bandwidth_gbs == 0) return 0;
    const double matrix = tflops > 0 ? flops / (tflops * 1e6) : 0, memory = bytes / (t.bandwidth_gbs * 1e3);
    return launch_us(t) + larger(matrix, memory);
}

}  // namespace inlay::inline INLAY_ABI
