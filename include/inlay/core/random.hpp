// SPDX-License-Identifier: Apache-2.0
/// Random numbers by their place alone, on host and device: the same whatever was drawn before, so rows and tokens are
/// independent of the batch.
#pragma once

#include <inlay/core/config.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::sampling {

struct PhiloxWords {
    std::uint32_t v[4];
    friend constexpr bool operator==(const PhiloxWords&, const PhiloxWords&) = default;
};

/// Four random words of a counter and a key: Philox 4x32 of 10 rounds (Salmon et al., 2011).
INLAY_FN constexpr PhiloxWords philox(PhiloxWords counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(0xd2511f53u) * counter.v[0],
                            b = std::uint64_t(0xcd9e8d57u) * counter.v[2];
        counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.v[1] ^ key0, static_cast<std::uint32_t>(b),
                    static_cast<std::uint32_t>(a >> 32) ^ counter.v[3] ^ key1, static_cast<std::uint32_t>(a)}};
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return counter;
}

/// Below 2⁶⁴, for the token at `position` of row `row` of a batch.
INLAY_FN constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t row, std::uint64_t position) {
    const PhiloxWords counter{{static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32),
                               static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32)}};
    const PhiloxWords r = philox(counter, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    return std::uint64_t(r.v[1]) << 32 | r.v[0];
}

/// ⌊a · b / 2⁶⁴⌋
INLAY_FN constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
}

}  // namespace inlay::inline INLAY_ABI::sampling
