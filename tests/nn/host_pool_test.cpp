// SPDX-License-Identifier: Apache-2.0
#include <inlay/nn/host_pool.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

namespace {

using namespace inlay;

TEST(HostPool, TheSmallestBlockThatFitsIsUsedAgain) {
    nn::HostPool pool;
    nn::HostPool::Block large = pool.take(1000), small = pool.take(100);
    const std::byte *of_large = large.data.get(), *of_small = small.data.get();
    pool.give_back(std::move(large));
    pool.give_back(std::move(small));
    nn::HostPool::Block b = pool.take(90);
    EXPECT_EQ(b.data.get(), of_small);
    EXPECT_EQ(b.bytes, 100u);
    nn::HostPool::Block c = pool.take(90);
    EXPECT_EQ(c.data.get(), of_large);
    EXPECT_EQ(pool.free_blocks(), 0u);
}
TEST(HostPool, ANewBlockTakesThePlaceOfTheLargest) {
    nn::HostPool pool;
    pool.give_back(pool.take(10));
    nn::HostPool::Block a = pool.take(10), b = pool.take(20);
    pool.give_back(std::move(a));
    pool.give_back(std::move(b));
    EXPECT_EQ(pool.free_blocks(), 2u);
    const nn::HostPool::Block c = pool.take(30);
    EXPECT_EQ(c.bytes, 30u);
    EXPECT_EQ(pool.free_blocks(), 1u);
    EXPECT_EQ(pool.take(1).bytes, 10u);
}
TEST(HostArray, GivesItsBlockBackOnce) {
    const auto pool = std::make_shared<nn::HostPool>();
    {
        nn::HostArray<float> a(pool, 8);
        a[7] = 3;
        nn::HostArray<float> b = std::move(a);
        EXPECT_TRUE(a.empty());     // NOLINT(bugprone-use-after-move)
        EXPECT_EQ(b[7], 3);
        const nn::HostArray<float> c = b.copy();
        EXPECT_EQ(c[7], 3);
        EXPECT_NE(c.data(), b.data());
        b = c.like();
        EXPECT_EQ(b.size(), 8u);
        EXPECT_EQ(pool->free_blocks(), 1u) << "what b held";
    }
    EXPECT_EQ(pool->free_blocks(), 3u);
    EXPECT_TRUE(nn::HostArray<float>().copy().empty());
}

}  // namespace
