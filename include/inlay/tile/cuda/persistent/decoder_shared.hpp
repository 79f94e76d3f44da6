// SPDX-License-Identifier: Apache-2.0
/// Shared memory of a decoder's persistent block.
#pragma once

#include <inlay/tile/cuda/persistent/product.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The phases that a block's shared memory is for: all of them, attention, `Down`, whose rows are the longest, or
/// others.
enum class DecoderMemory { all, attention, down, others };

/// The ring begins with the control and takes what is left behind the rest.
template <class S, class T, DecoderMemory M = DecoderMemory::all>
struct DecoderShared {
    static constexpr int head = S::width / S::heads, warps = 16;
    static constexpr int rows = (S::positions + S::heads - 1) / S::heads;  ///< of a head's cache
    static constexpr int least_parts = S::batch > 1 ? 1 : S::parts;
    static constexpr int part_keys = (rows + least_parts - 1) / least_parts * S::heads;
    static constexpr bool products = M != DecoderMemory::attention,
                          attends = M == DecoderMemory::all || M == DecoderMemory::attention,
                          inner = M == DecoderMemory::all || M == DecoderMemory::down;
    static constexpr int row_pitch = S::batch > 1 ? product_pitch<T>(S::width) : S::width,
                         inner_pitch = S::batch > 1 ? product_pitch<T>(S::inner) : S::inner;

    alignas(16) char control[ring_control_bytes];
    int position[S::batch];               ///< of the first pass
    std::uint32_t tag;                    ///< of the last instance before this launch
    FedState fed;                         ///< of a kernel without a warp that only copies
    alignas(16) T input[products ? S::batch * (inner ? inner_pitch : row_pitch) : 1];  ///< rows of a product
    alignas(16) float moments[warps][2];  ///< mean and squared deviations of a warp's share of a row
    alignas(16) float sums[products ? product_sum_floats(S::batch) : 1];
    alignas(16) T heads[attends ? 3 * head : 1];
    float scores[attends ? part_keys : 1];
    alignas(16) float values[attends ? warps : 1][head], weights[warps];  ///< sums of attention, by warp
};
template <class S, class T, DecoderMemory M = DecoderMemory::all>
using DecoderRing =
    RowRing<S::width* static_cast<int>(sizeof(T)), (sizeof(DecoderShared<S, T, M>) + 127) / 128 * 128,
            ring_piece_rows<T>>;

}  // namespace inlay::inline INLAY_ABI::on_gpu
