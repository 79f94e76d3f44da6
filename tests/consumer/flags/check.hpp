// SPDX-License-Identifier: Apache-2.0
/// Shared by the programs beside it: floats by their bits, and the count of wrong values.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdio>

inline int failures = 0;
inline void check(bool ok, const char* name, double value, double expected) {
    if (ok) return;
    ++failures;
    std::printf("%s: %.9g, expected %.9g\n", name, value, expected);
}

// Through memory and compared as bits, because flags let the compiler assume that there is no such float.
inline constexpr std::uint32_t nan_bits = 0x7fc00000, infinity_bits = 0x7f800000, one_bits = 0x3f800000,
                               minus = 0x80000000;
inline float of_bits(std::uint32_t b) {
    const volatile std::uint32_t opaque = b;
    return std::bit_cast<float>(std::uint32_t(opaque));
}
inline std::uint32_t bits_of(float x) {
    return std::bit_cast<std::uint32_t>(x);
}
inline bool is_nan(float x) {
    return (bits_of(x) & ~minus) > infinity_bits;
}
