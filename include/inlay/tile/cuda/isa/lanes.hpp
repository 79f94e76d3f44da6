// SPDX-License-Identifier: Apache-2.0
/// Lanes of a warp: their number, shuffles, votes and reductions. All lanes of the warp call these functions together.
#pragma once

#include <inlay/core/config.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Threads of a warp, in device code. The one name of it in code that vendors share.
inline constexpr int warp_size = 32;
/// Threads of the narrowest warp of any device: for what host and device code share.
inline constexpr int narrowest_warp = 32;

namespace detail {
inline constexpr unsigned whole_warp = 0xffffffffu;
}

/// This thread's number in its warp.
__device__ INLAY_INLINE int lane_index() { return static_cast<int>(threadIdx.x) % warp_size; }
/// Number of this thread's warp in its block.
__device__ INLAY_INLINE int warp_index() { return static_cast<int>(threadIdx.x) / warp_size; }

/// The value of lane `from`.
template <class T>
__device__ INLAY_INLINE T shuffle(T x, int from) {
    return __shfl_sync(detail::whole_warp, x, from);
}
/// The value of the lane whose number differs in the bits of `by`.
template <class T>
__device__ INLAY_INLINE T shuffle_xor(T x, int by) {
    return __shfl_xor_sync(detail::whole_warp, x, by);
}
/// Makes a value that all lanes share warp-uniform for the compiler: it may then live in a uniform register and decide
/// a branch that does not diverge.
template <class T>
__device__ INLAY_INLINE T warp_uniform(T x) {
    return shuffle(x, 0);
}

/// Votes of all lanes.
__device__ INLAY_INLINE bool any_lane(bool x) { return __any_sync(detail::whole_warp, x); }
__device__ INLAY_INLINE bool all_lanes(bool x) { return __all_sync(detail::whole_warp, x); }

/// The least of all lanes' numbers, and the bits that any of them has; in every lane.
__device__ INLAY_INLINE int least_of_lanes(int x) { return __reduce_min_sync(detail::whole_warp, x); }
__device__ INLAY_INLINE unsigned bits_of_lanes(unsigned x) { return __reduce_or_sync(detail::whole_warp, x); }

/// A truth of each lane's that lives long, and its way to the registers that hold it best.
using LaneFlag = bool;
__device__ INLAY_INLINE void keep_in_lanes(LaneFlag&) {}

/// Waits for all lanes, and makes their earlier writes to memory visible to each other.
__device__ INLAY_INLINE void warp_sync() { __syncwarp(); }

}  // namespace inlay::inline INLAY_ABI::on_gpu
