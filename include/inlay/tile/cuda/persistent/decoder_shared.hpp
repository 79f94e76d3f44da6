// SPDX-License-Identifier: Apache-2.0
/// Shared memory of a decoder's persistent block.
#pragma once

#include <inlay/tile/cuda/persistent/product.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The ring begins with the control and takes what is left behind the rest.
template <class S, class T>
struct DecoderShared {
    static constexpr int head = S::width / S::heads, warps = 16;
    static constexpr int part_floats = S::parts * (head + 2);
    static constexpr int input_bytes = S::inner * static_cast<int>(sizeof(T)) > part_floats * 4
                                           ? S::inner* static_cast<int>(sizeof(T))
                                           : part_floats * 4;

    alignas(16) char control[ring_control_bytes];
    int position;                         ///< of the first pass
    std::uint32_t tag;                    ///< of the last instance before this launch
    alignas(16) char input[input_bytes];  ///< of a product, or all parts of a head
    float moments[warps][2];              ///< mean and squared deviations of a warp's share of a row
    alignas(16) float sums[product_sum_floats];
    alignas(16) T heads[3 * head];
    float scores[4 * S::heads];
    alignas(16) float values[warps][head];
};
template <class S, class T>
using DecoderRing = RowRing<S::width* static_cast<int>(sizeof(T)), (sizeof(DecoderShared<S, T>) + 127) / 128 * 128>;

}  // namespace inlay::inline INLAY_ABI::on_gpu
