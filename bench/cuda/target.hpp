// SPDX-License-Identifier: Apache-2.0
/// Includes of a frame's program: the harness, the expressions and frames, the GPU as their target.
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

/// A weight as a model has it: a constant.
template <class T, class... E>
inlay::Packed<T, sizeof...(E)> weight(const T* at, E... extents) {
    return {at, {{static_cast<inlay::index_t>(extents)...}}};
}

}  // namespace inlay_bench
