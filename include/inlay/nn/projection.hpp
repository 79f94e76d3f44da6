// SPDX-License-Identifier: Apache-2.0
/// The two layers everything is made of, as weights: a linear map and a 3×3 filter, each with its bias.
#pragma once

#include <inlay/exec/packed.hpp>

namespace inlay::inline INLAY_ABI::nn {

/// k features → n.
template <Storage T>
struct Projection {
    Packed<T, 2> weight;
    Tensor<const T, 1> bias;
    Projection() = default;
    template <class L>
    Projection(const L& load, index_t n, index_t k)
        : weight(load.linear("weight", n, k)), bias(load.tensor("bias", n)) {}
};

/// `in` channels → `out`.
template <Storage T>
struct Filter3x3 {
    Packed<T, 4> weight;
    Tensor<const T, 1> bias;
    Filter3x3() = default;
    template <class L>
    Filter3x3(const L& load, index_t out, index_t in)
        : weight(load.conv("weight", out, in, 3, 3)), bias(load.tensor("bias", out)) {}
};

}  // namespace inlay::inline INLAY_ABI::nn
