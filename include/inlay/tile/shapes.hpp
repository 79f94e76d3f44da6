// SPDX-License-Identifier: Apache-2.0
/// The problems that the engines of every target solve, as numbers.
#pragma once

#include <inlay/core/extents.hpp>

namespace inlay::inline INLAY_ABI {

/// A product C[b, m, n] = Σ_s Σ_k A[b, m, s, k] · W[b, n, s·K + k]. `segments`: the taps of a filter, 1 for a linear
/// layer.
struct MatmulShape {
    index_t batch = 1, m = 0, n = 0;
    index_t segments = 1, k = 0;
};

/// softmax(scale · QKᵀ + mask) V for each of `batch` items and `heads`; `group` query heads share a key head.
struct AttentionShape {
    index_t batch = 1, heads = 1, group = 1, queries = 0, keys = 0;
};

/// Mean of n values and the sum of their squared deviations from it.
template <class F>
struct Moments {
    F mean, m2;
};

}  // namespace inlay::inline INLAY_ABI
