// SPDX-License-Identifier: Apache-2.0
#include <inlay/plan/persistent/sizes.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using namespace inlay::persistent;

TEST(PersistentSizes, AreFoundByAllOfTheirNumbers) {
    int width = 0;
    const auto found = [&]<class S>() { width = S::width; };
    EXPECT_TRUE(with_sizes({768, 12, 3072, 50257, 1024}, found));
    EXPECT_EQ(width, 768);
    EXPECT_TRUE(with_sizes({64, 2, 256, 300, 1024}, found));
    EXPECT_EQ(width, 64);
    width = 0;
    const DecoderShape others[] = {{1024, 16, 4096, 50257, 1024}, {768, 16, 3072, 50257, 1024},
                                   {768, 12, 3071, 50257, 1024},  {768, 12, 3072, 50258, 1024},
                                   {768, 12, 3072, 50257, 1000}};
    for (const DecoderShape& other : others)
        EXPECT_FALSE(with_sizes(other, found)) << other.width << " " << other.vocabulary;
    EXPECT_EQ(width, 0) << "called for sizes that it does not have";
}

}  // namespace
