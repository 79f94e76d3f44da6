// SPDX-License-Identifier: Apache-2.0
/// What the program of a frame includes: the harness, the expressions and frames, the GPU as their target.
#pragma once

#include "bench.hpp"

#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

#include <array>

namespace inlay_bench {

inline inlay::Cuda& gpu(Bench& bench) {
    static inlay::Cuda target(bench.device(), bench.stream());
    return target;
}

}  // namespace inlay_bench
