// SPDX-License-Identifier: Apache-2.0
/// include/inlay/tile/cuda/isa/bits.hpp, emulated.
#pragma once

#include <inlay/core/config.hpp>

#include <bit>
#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

inline std::uint32_t float_bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float float_of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline int bit_count(std::uint32_t x) { return std::popcount(x); }

inline std::uint32_t swap_middle_bytes(std::uint32_t x) {
    return (x & 0xff0000ffu) | (x >> 8 & 0xff00u) | (x & 0xff00u) << 8;
}

inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
