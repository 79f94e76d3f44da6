// SPDX-License-Identifier: Apache-2.0
/// Whole-number weights of tokens, and what of a logit decides them, on host and device. A weight comes from two exact
/// operations of double and products of whole numbers, so that every compiler and device has the same one; sums of them
/// are the same in any order.
#pragma once

#include <inlay/core/random.hpp>

namespace inlay::inline INLAY_ABI::sampling {

/// 2⁴⁰ · e⁻ˣ, rounded; 0 where x is not a number. Sums over 2²³ tokens fit 64 bits.
INLAY_FN inline std::uint64_t weight_of(double x) {
    if (!(x < 29)) return 0;  // less than half of one from 28.5 on
    // x · log₂e in units of 2⁻⁵⁸: its whole part shifts, its fraction is 1 - f.
    const auto t = static_cast<std::uint64_t>(x * (1.4426950408889634 * 288230376151711744.0));
    const int shift = static_cast<int>(t >> 58);
    if (shift > 40) return 0;
    const std::uint64_t f = ~(t << 6);
    // 2ᶠ - 1 by Taylor's series: ln2ᵏ / k! in units of 2⁻⁶⁴, all positive.
    constexpr std::uint64_t series[] = {0xb17217f7d1cf79ab, 0x3d7f7bff058b1d50, 0xe35846b82505fc5, 0x276556df749cee5,
                                        0x5761ff9e299cc4,   0xa184897c363c3,    0xffe5fe2c4586,    0x162c0223a5c8,
                                        0x1b5253d395e,      0x1e4cf5158b,       0x1e8cac735,       0x1c3bd650,
                                        0x1816193,          0x131496,           0xe1b7};
    std::uint64_t sum = 0;
    INLAY_UNROLL
    for (int k = 14; k >= 0; --k) sum = high_product(sum, f) + series[k];
    const std::uint64_t power = std::uint64_t(1) << 63 | high_product(sum, f) >> 1;
    return ((power >> (23 + shift)) + 1) >> 1;
}

/// The weight of a logit beside the greatest one. The difference comes first, so that no temperature overflows; at a
/// temperature of 0 all weights are 0.
INLAY_FN inline std::uint64_t weight_of(float logit, float most, double temperature) {
    return weight_of((static_cast<double>(most) - static_cast<double>(logit)) / temperature);
}

/// The logit of a token that is in the text already: divided by the penalty above 0, else multiplied. In double, whose
/// result is rounded to that of fp32 whatever a compiler makes of divisions there.
INLAY_FN inline float penalised(float logit, float penalty) {
    constexpr double largest = 3.4028234663852886e38;
    const double x = static_cast<double>(logit), by = static_cast<double>(penalty);
    const double changed = x < 0 ? x * by : x / by;
    return static_cast<float>(changed > largest ? largest : changed < -largest ? -largest : changed);
}

}  // namespace inlay::inline INLAY_ABI::sampling
