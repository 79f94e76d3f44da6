// SPDX-License-Identifier: Apache-2.0
/// The search for a bound among ascending slots by a warp at a time: three loads one after the other find a key of
/// 30 000, where one thread needs fifteen.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// `BinarySearch` for device code. All lanes of the warp call it together, with the same arguments.
struct WarpSearch {
    template <class Before>
    __device__ INLAY_INLINE index_t operator()(index_t keys, const Before& before) const {
        index_t least = 0, most = keys;
        while (least < most) {
            const index_t step = (most - least + warp_size) / (warp_size + 1);
            const index_t key = least + (lane_index() + 1) * step - 1;
            const int lanes = least_of_lanes(key < most && before(key) ? warp_size : lane_index());
            least += lanes * step;
            if (lanes < warp_size && least + step - 1 < most) most = least + step - 1;
        }
        return least;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
