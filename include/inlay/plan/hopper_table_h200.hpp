// SPDX-License-Identifier: Apache-2.0
/// Schedules of sm_90a's products as measured on an H200. Written by bench/tune.
/// Medians of replays of a graph on an H200 of 22 November 2026, kernels just before 7bd0420; operands rotated over 160 MB.
/// 64x80 as a kernel of its own, not as half of 128x80.
/// fp16 with a bias; inputs that are evaluated are SiLU of an affine function.
#pragma once

#include <inlay/plan/hopper_table.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

inline constexpr HopperTuned hopper_table_h200_rows[] = {
    // input, two sums, batch, images, height, width, taps, n, k; tile, alternate, parts, us, us by rule
    {{HopperInput::copied, false, 1, 1, 1, 128, 1, 1280, 1280}, 64, 80, false, 1, 5.73, 5.73},
    {{HopperInput::copied, false, 1, 1, 1, 154, 1, 320, 768}, 64, 80, false, 1, 4.44, 4.44},
    {{HopperInput::copied, false, 1, 1, 1, 512, 1, 1280, 1280}, 64, 80, false, 1, 6.13, 6.13},
    {{HopperInput::copied, false, 1, 1, 1, 512, 1, 1280, 5120}, 128, 80, false, 2, 17.75, 17.75},
    {{HopperInput::copied, false, 1, 1, 1, 512, 1, 10240, 1280}, 128, 160, false, 1, 22.41, 22.41},
    {{HopperInput::copied, false, 1, 1, 1, 2048, 1, 640, 640}, 128, 80, false, 1, 5.91, 5.91},
    {{HopperInput::copied, false, 1, 1, 1, 2048, 1, 640, 2560}, 128, 80, false, 1, 13.70, 13.70},
    {{HopperInput::copied, false, 1, 1, 1, 8192, 1, 320, 320}, 128, 160, false, 1, 6.81, 6.81},
    {{HopperInput::copied, false, 1, 1, 1, 8192, 1, 320, 1280}, 128, 160, false, 1, 13.03, 13.03},
    {{HopperInput::copied, false, 1, 1, 1, 8192, 1, 2560, 320}, 128, 128, true, 1, 31.78, 31.78},
    {{HopperInput::halo, false, 1, 1, 256, 256, 9, 256, 256}, 256, 128, false, 1, 104.81, 104.81},
    {{HopperInput::halo, false, 1, 2, 8, 8, 9, 1280, 1280}, 128, 80, false, 6, 13.93, 13.93},
    {{HopperInput::halo, false, 1, 2, 16, 16, 9, 1280, 1280}, 128, 80, false, 2, 28.85, 28.85},
    {{HopperInput::halo, false, 1, 2, 32, 32, 9, 640, 640}, 128, 80, false, 1, 23.04, 23.04},
    {{HopperInput::halo, false, 1, 2, 64, 64, 9, 320, 320}, 128, 160, false, 1, 24.06, 24.06},
    {{HopperInput::evaluated_halo, false, 1, 2, 16, 16, 9, 1280, 1280}, 128, 160, false, 3, 36.91, 36.91},
    {{HopperInput::evaluated_halo, false, 1, 2, 32, 32, 9, 640, 640}, 128, 160, false, 2, 31.87, 31.87},
    {{HopperInput::evaluated_halo, false, 1, 2, 64, 64, 9, 320, 320}, 128, 160, false, 1, 28.15, 28.15},
};

}  // namespace detail

inline constexpr HopperTable hopper_table_h200{"H200", 132, detail::hopper_table_h200_rows,
                                               sizeof detail::hopper_table_h200_rows / sizeof(HopperTuned)};

}  // namespace inlay::inline INLAY_ABI
