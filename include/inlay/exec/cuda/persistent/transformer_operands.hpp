// SPDX-License-Identifier: Apache-2.0
/// Operands of a spatial transformer's persistent launch, in device memory.
#pragma once

#include <inlay/exec/tensor.hpp>

namespace inlay::inline INLAY_ABI {

/// Weights, of C channels, [n, k] row by row. `qkv`: rows of queries of all heads, then keys, then values. `up`: of 32
/// rows, 16 are of the hidden values and 16 of their gates, 4 C of each in all, as a gated `Linear` has them.
template <Storage T>
struct TransformerWeights {
    const T *norm, *norm_shift, *project_in, *project_in_bias;
    const T *norm1, *norm1_shift, *qkv, *out, *out_bias;
    const T *norm2, *norm2_shift, *query, *out_text, *out_text_bias;
    const T *norm3, *norm3_shift, *up, *up_bias, *gate_bias, *down, *down_bias;
    const T *project_out, *project_out_bias;
};
/// Operands of one launch. `image` and `result`, which may not overlap: [batch, pixels, C]. `keys` and `values` of the
/// text: [batch, tokens, C].
template <Storage T>
struct TransformerOperands {
    T* result;
    const T* image;
    Tensor<const T, 3> keys, values;
};

}  // namespace inlay::inline INLAY_ABI
