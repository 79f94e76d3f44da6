// SPDX-License-Identifier: Apache-2.0
/// The library's lanes, but that a value goes to another lane through shared memory: it is stored, read and, before the
/// place is used again, read by all. `warp_uniform` stays a shuffle: it moves nothing that lanes do not have.
#pragma once

#define shuffle shuffle_by_registers
#define shuffle_xor shuffle_xor_by_registers
#include_next <inlay/tile/cuda/isa/lanes.hpp>
#undef shuffle
#undef shuffle_xor

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {
__device__ INLAY_INLINE std::uint32_t word_of_lane(std::uint32_t x, int from) {
    __shared__ volatile std::uint32_t words[1024];  // one for each thread of a block
    volatile std::uint32_t* const of_warp = words + warp_index() * warp_size;
    of_warp[lane_index()] = x;
    warp_sync();
    const std::uint32_t got = of_warp[from];
    warp_sync();
    return got;
}
}  // namespace detail

template <class T>
__device__ INLAY_INLINE T shuffle(T x, int from) {
    static_assert(sizeof(T) % 4 == 0);
    std::uint32_t words[sizeof(T) / 4];
    memcpy(words, &x, sizeof(T));
    for (std::uint32_t& word : words) word = detail::word_of_lane(word, from % warp_size);
    memcpy(&x, words, sizeof(T));
    return x;
}
template <class T>
__device__ INLAY_INLINE T shuffle_xor(T x, int by) {
    return shuffle(x, lane_index() ^ by);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
