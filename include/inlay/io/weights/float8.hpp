// SPDX-License-Identifier: Apache-2.0
/// The 8-bit floating-point types of the Open Compute Project that weights are stored in. Every value of theirs is one
/// of half precision too.
#pragma once

#include <inlay/core/half.hpp>

#include <cstdint>
#include <limits>

namespace inlay::inline INLAY_ABI::io {

/// Four bits of exponent, bias 7, and three of mantissa: up to 448, without infinity; all ones are NaN. PyTorch's
/// float8_e4m3fn.
struct Float8E4M3 {
    std::uint8_t bits;
    constexpr explicit operator float() const {
        if ((bits & 0x7f) == 0x7f) return std::numeric_limits<float>::quiet_NaN();
        // The same bits in half precision, whose bias is greater by 8.
        const auto same = static_cast<std::uint16_t>((bits & 0x80) << 8 | (bits & 0x7f) << 7);
        return 256.0f * static_cast<float>(fp16::from_bits(same));
    }
};

/// Half precision without its last eight bits. PyTorch's float8_e5m2.
struct Float8E5M2 {
    std::uint8_t bits;
    constexpr explicit operator float() const {
        return static_cast<float>(fp16::from_bits(static_cast<std::uint16_t>(bits << 8)));
    }
};

}  // namespace inlay::inline INLAY_ABI::io
