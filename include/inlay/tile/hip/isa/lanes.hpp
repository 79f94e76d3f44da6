// SPDX-License-Identifier: Apache-2.0
/// Lanes of a wave: their number, shuffles, votes and reductions. All lanes of the wave call these functions together.
///
/// Shuffles whose lanes are known when the code is compiled are modifiers of a vector instruction (DPP) or one of few
/// of its own; those to other lanes are `ds_bpermute`, which goes by the unit of shared memory.
#pragma once

#include <inlay/tile/hip/isa/language.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Threads of a wave, in device code. The pass for the host has 32, which nothing may depend on.
inline constexpr int warp_size = INLAY_GFX9 ? 64 : 32;
/// Threads of the narrowest wave of any architecture: for what host and device code, or two architectures, share.
inline constexpr int narrowest_warp = 32;

/// This thread's number in its wave.
__device__ INLAY_INLINE int lane_index() { return static_cast<int>(__builtin_amdgcn_workitem_id_x()) % warp_size; }
/// Number of this thread's wave in its block: one for all lanes, which the compiler cannot see.
__device__ INLAY_INLINE int warp_index() {
    return __builtin_amdgcn_readfirstlane(static_cast<int>(__builtin_amdgcn_workitem_id_x()) / warp_size);
}

namespace detail {

/// f of each 32 bits of a value of 1, 2, 4, 8 or 16 bytes.
template <class T, class F>
__device__ INLAY_INLINE T word_by_word(T x, F f) {
    constexpr int words = (sizeof(T) + 3) / 4;
    int w[words] = {};
    __builtin_memcpy(w, &x, sizeof(T));
    INLAY_UNROLL
    for (int i = 0; i < words; ++i) w[i] = f(w[i]);
    __builtin_memcpy(&x, w, sizeof(T));
    return x;
}
/// The word of another lane of this lane's row of 16.
template <int Control>
__device__ INLAY_INLINE int dpp(int x) {
    return __builtin_amdgcn_update_dpp(0, x, Control, 0xf, 0xf, true);
}
/// Of lane ^ by, for a constant `by` that is a power of two.
__device__ INLAY_INLINE int shuffle_word_xor(int x, int by) {
    constexpr int quad_xor_1 = 0xb1, quad_xor_2 = 0x4e, rotated_by_8 = 0x128;
    if (__builtin_constant_p(by)) {
        if (by == 1) return dpp<quad_xor_1>(x);
        if (by == 2) return dpp<quad_xor_2>(x);
        if (by == 8) return dpp<rotated_by_8>(x);
#if INLAY_GFX9
        constexpr int quad_reversed = 0x1b, reversed_8 = 0x141, swizzle_xor_16 = 0x401f;
        if (by == 4) return dpp<quad_reversed>(dpp<reversed_8>(x));     // 7 ^ 3
        if (by == 16) return __builtin_amdgcn_ds_swizzle(x, swizzle_xor_16);
#else
        constexpr int row_xor_4 = 0x164;
        if (by == 4) return dpp<row_xor_4>(x);
        if (by == 16) return __builtin_amdgcn_permlanex16(0, x, 0x76543210, 0xfedcba98, true, true);
#endif
    }
    return __builtin_amdgcn_ds_bpermute((lane_index() ^ by) * 4, x);
}

}  // namespace detail

/// The value of lane `from`.
template <class T>
__device__ INLAY_INLINE T shuffle(T x, int from) {
    return detail::word_by_word(x, [from](int w) {
        if (__builtin_constant_p(from)) return __builtin_amdgcn_readlane(w, from);
        return __builtin_amdgcn_ds_bpermute(from * 4, w);
    });
}
/// The value of the lane whose number differs in the bits of `by`.
template <class T>
__device__ INLAY_INLINE T shuffle_xor(T x, int by) {
    return detail::word_by_word(x, [by](int w) { return detail::shuffle_word_xor(w, by); });
}
/// Makes a value that all lanes share warp-uniform for the compiler: it then lives in a scalar register and decides a
/// branch that does not diverge.
template <class T>
__device__ INLAY_INLINE T warp_uniform(T x) {
    return detail::word_by_word(x, [](int w) { return __builtin_amdgcn_readfirstlane(w); });
}

/// Votes of all lanes.
__device__ INLAY_INLINE bool any_lane(bool x) {
#if INLAY_GFX9
    return __builtin_amdgcn_ballot_w64(x) != 0;
#else
    return __builtin_amdgcn_ballot_w32(x) != 0;
#endif
}
__device__ INLAY_INLINE bool all_lanes(bool x) { return !any_lane(!x); }

/// The least of all lanes' numbers, and the bits that any of them has; in every lane.
__device__ INLAY_INLINE int least_of_lanes(int x) {
    INLAY_UNROLL
    for (int by = 1; by < warp_size; by *= 2) {
        const int other = shuffle_xor(x, by);
        x = other < x ? other : x;
    }
    return warp_uniform(x);
}
__device__ INLAY_INLINE unsigned bits_of_lanes(unsigned x) {
    INLAY_UNROLL
    for (int by = 1; by < warp_size; by *= 2) x |= shuffle_xor(x, by);
    return warp_uniform(x);
}

/// A truth of each lane's that lives long, and its way to a vector register: as a mask of lanes it would take two
/// scalar ones, which are few.
using LaneFlag = int;
__device__ INLAY_INLINE void keep_in_lanes(LaneFlag& x) { asm volatile("" : "+v"(x)); }

/// Waits for all lanes, and makes their earlier writes to memory visible to each other.
__device__ INLAY_INLINE void warp_sync() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
