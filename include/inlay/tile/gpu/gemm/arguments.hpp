// SPDX-License-Identifier: Apache-2.0
/// Parameters of the kernels of a matrix product.
#pragma once

#include <inlay/expr/affine.hpp>
#include <inlay/expr/eval.hpp>
#include <inlay/plan/gemm/gemv.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Kernel parameters. Extents fit 32 bits, offsets in tensors 64.
template <class T, class In_, class Rows_, class Epilogue_, class Sink_, class Place_>
struct MatmulArgs {
    using value_type = T;
    using In = In_;
    using Rows = Rows_;
    using Epilogue = Epilogue_;
    using Sink = Sink_;
    using Place = Place_;
    static constexpr int rank = rank_of<typename In::expression, typename In::env_type>;
    static constexpr bool affine = is_affine_of<T, In>;

    In in;
    Rows rows;
    Epilogue epilogue;
    Sink sink;
    Place place;
    AffineView<T, rank> view{};  ///< the input, or null where it is not affine
    const T* w = nullptr;
    bool w_constant = false;     ///< packed: no kernel writes the weights
    index_t w_batch = 0;         ///< elements from one block of weights to the next
    int w_row = 0;               ///< elements from one row of weights to the next
    int batch = 0, m = 0, n = 0, k = 0, total = 0;  ///< total: segments · k
    int m_tiles = 0, n_tiles = 0;
    int slices = 1, slice_length = 0;    ///< split-K slices, and elements of each
    int stages = 0, slots = 0, stage_bytes = 0;
    unsigned streams = 0;        ///< leaves of the input that are copied to shared memory before they are evaluated
    float* partial = nullptr;    ///< sums of the slices
    std::uint32_t* semaphores = nullptr;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
