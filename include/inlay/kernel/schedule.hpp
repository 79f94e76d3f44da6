// SPDX-License-Identifier: Apache-2.0
/// A schedule says how a frame runs; the frame says what. `Auto` takes the target's table (`plan/`).
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI {

/// The target's table chooses, by extents, at prepare.
struct Auto {};

/// A matrix schedule given by hand: block tile, pipeline stages, split along K. A template argument of Linear or Conv2D.
template <int M, int N, int K, int Stages = 3, int SplitK = 1>
struct Tiled {
    static_assert(M > 0 && N > 0 && K > 0 && Stages >= 1 && SplitK >= 1, "inlay: a schedule's numbers are positive");
    static constexpr int m = M, n = N, k = K, stages = Stages, split_k = SplitK;
};

}  // namespace inlay::inline INLAY_ABI
