// SPDX-License-Identifier: Apache-2.0
/// Weights of another type than a product is multiplied in: one elementwise kernel converts them into workspace, so
/// that a product of mixed types is one of fp32 in every engine.
#pragma once

#include <inlay/tile/gpu/gemm/materialise.hpp>
#include <inlay/tile/gpu/gemm/weights.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Launches the kernel, and gives the weights as T, which lie at the front of the workspace.
template <class T, class W>
Tensor<const T, 1> converted(Launcher& l, const W& w) {
    using Stored = Tensor<const std::remove_const_t<typename W::value_type>, 1>;
    using From = Env<0, 0, Stored>;
    const Stored stored(weights_of(w), {{count(w.extents)}});
    return evaluate_before<T>(l, Bound<Buf<0>, From>(From{{stored}, {}, {}})).env.template tensor<0>();
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
