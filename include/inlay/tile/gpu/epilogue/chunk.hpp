// SPDX-License-Identifier: Apache-2.0
/// A chunk of a result through epilogue and sink, its operands read as it is stored.
#pragma once

#include <inlay/tile/gpu/chunk/access.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// n ≤ N columns from coordinate c on. `sums`: values of `Out`, and behind them those of `OutGate`; T: the type in
/// which the sink stores, if it is one.
template <int N, class T = float, class Epilogue, class Sink, int R>
__device__ INLAY_INLINE void store_epilogue(const Epilogue& epilogue, const Sink& sink, const Extents<R>& c, int n,
                                            const Vec<float, N>* sums) {
    write_chunk<N>(sink, c, n, read_chunk<N, T>(epilogue, c, n, sums));
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
