// SPDX-License-Identifier: Apache-2.0
/// Searches for a bound among ascending slots whose loads wait for each other less often than those of bisection: of
/// 30 000 keys three loads one after the other by a warp at a time, five by each thread for itself, where that takes
/// fifteen.
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

/// The same by each thread for bounds of its own, with seven loads at a time.
struct ThreadSearch {
    template <class Before>
    __device__ INLAY_INLINE index_t operator()(index_t keys, const Before& before) const {
        constexpr int loads = 7;
        index_t least = 0, most = keys;
        while (least < most) {
            const index_t step = (most - least + loads) / (loads + 1);
            int passed = 0;
            INLAY_UNROLL
            for (int i = 0; i < loads; ++i) {
                const index_t key = least + (i + 1) * step - 1;
                const bool is_before = before(key < most ? key : most - 1);
                passed += key < most && is_before;
            }
            least += passed * step;
            if (passed < loads && least + step - 1 < most) most = least + step - 1;
        }
        return least;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
