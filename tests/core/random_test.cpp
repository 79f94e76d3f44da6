// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/random.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::sampling;

/// The published answers of Random123 (kat_vectors).
TEST(Philox, GivesThePublishedNumbers) {
    static_assert(philox({{0, 0, 0, 0}}, 0, 0) == PhiloxWords{{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}});
    EXPECT_EQ(philox({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, 0xa4093822u, 0x299f31d0u),
              (PhiloxWords{{0xd16cfe09u, 0x94fdcceb, 0x5001e420u, 0x24126ea1u}}));
}
/// Seed, row and position are all counted, each in 64 bits.
TEST(Philox, WordsDifferByEachOfTheirNumbers) {
    EXPECT_EQ(random_word(0, 0, 0), 0xe169c58d6627e8d5u);
    const std::uint64_t high = std::uint64_t(1) << 32;
    for (const std::uint64_t by : {std::uint64_t(1), high}) {
        EXPECT_NE(random_word(by, 0, 0), random_word(0, 0, 0));
        EXPECT_NE(random_word(0, by, 0), random_word(0, 0, 0));
        EXPECT_NE(random_word(0, 0, by), random_word(0, by, 0));
    }
}
TEST(HighProduct, IsTheUpperHalf) {
    const std::uint64_t most = ~std::uint64_t(0);
    EXPECT_EQ(high_product(most, most), most - 1);
    EXPECT_EQ(high_product(std::uint64_t(1) << 63, 6), 3u);
    EXPECT_EQ(high_product(0x123456789abcdef0u, 0xfedcba9876543210u), 0x121fa00ad77d7422u);
}

}  // namespace
