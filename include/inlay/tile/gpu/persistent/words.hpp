// SPDX-License-Identifier: Apache-2.0
/// Words that blocks of a persistent launch hand over: 32 bits of a value and the tag of the instance that wrote it, in
/// one store. A reader that finds the tag has the value: readiness travels with the data, one trip through the
/// second-level cache, where a counter beside it costs three.
#pragma once

#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Polls after which a block gives up: seconds. The kernel ends with an error then, and never hangs.
inline constexpr int most_polls = 1 << 23;

__device__ INLAY_INLINE void publish(std::uint64_t* word, std::uint32_t value, std::uint32_t tag) {
    store_relaxed(word, static_cast<std::uint64_t>(tag) << 32 | value);
}

/// The words at(i) for which has(i), N of them at most, each as soon as it has the tag. Others are 0.
template <int N, class Has, class At>
__device__ INLAY_INLINE void receive_each(std::uint32_t (&values)[N], const Has& has, const At& at, std::uint32_t tag) {
    std::uint64_t w[N];
    bool there[N];
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) there[i] = !has(i), w[i] = 0;
    for (int polls = 0;; ++polls) {
        bool all = true;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i)
            if (!there[i]) w[i] = load_relaxed(at(i));
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) there[i] |= static_cast<std::uint32_t>(w[i] >> 32) == tag, all &= there[i];
        if (all) break;
        if (polls > most_polls) stop_kernel();
    }
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) values[i] = static_cast<std::uint32_t>(w[i]);
}
/// Words `first`, first + stride, … below `count`, N of them at most.
template <int N>
__device__ INLAY_INLINE void receive(std::uint32_t (&values)[N], const std::uint64_t* words, int first, int stride,
                                     int count, std::uint32_t tag) {
    receive_each(
        values, [&](int i) { return first + i * stride < count; },
        [&](int i) { return words + (first + i * stride); }, tag);
}
__device__ INLAY_INLINE std::uint32_t receive(const std::uint64_t* word, std::uint32_t tag) {
    std::uint32_t value[1];
    receive(value, word, 0, 1, 1, tag);
    return value[0];
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
