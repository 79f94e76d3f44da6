// SPDX-License-Identifier: Apache-2.0
/// Sums of 64 bits: over the lanes of a warp, and between blocks of a persistent launch, as two words with a tag each.
#pragma once

#include <inlay/tile/gpu/persistent/words.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

__device__ INLAY_INLINE std::uint64_t sum_of_lanes(std::uint64_t x) {
    INLAY_UNROLL
    for (int apart = warp_size / 2; apart > 0; apart /= 2) x += shuffle_xor(x, apart);
    return x;
}
/// The sum of lanes up to this one.
__device__ INLAY_INLINE std::uint64_t sum_up_to_lane(std::uint64_t x) {
    INLAY_UNROLL
    for (int apart = 1; apart < warp_size; apart *= 2) {
        const std::uint64_t before = shuffle(x, (lane_index() - apart) & (warp_size - 1));
        x += lane_index() >= apart ? before : 0;
    }
    return x;
}

__device__ INLAY_INLINE void publish_sum(std::uint64_t* words, std::uint64_t sum, std::uint32_t tag) {
    publish(words, static_cast<std::uint32_t>(sum), tag);
    publish(words + 1, static_cast<std::uint32_t>(sum >> 32), tag);
}
/// Sums `first`, first + stride, … below `count`, N of them at most; others are 0.
template <int N>
__device__ INLAY_INLINE void receive_sums(std::uint64_t (&sums)[N], const std::uint64_t* words, int first, int stride,
                                          int count, std::uint32_t tag) {
    std::uint32_t halves[2 * N];
    receive_each(
        halves, [&](int i) { return first + i / 2 * stride < count; },
        [&](int i) { return words + (2 * (first + i / 2 * stride) + i % 2); }, tag);
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) sums[i] = static_cast<std::uint64_t>(halves[2 * i + 1]) << 32 | halves[2 * i];
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
