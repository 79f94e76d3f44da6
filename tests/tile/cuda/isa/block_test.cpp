// SPDX-License-Identifier: Apache-2.0
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/block.hpp>
#include <inlay/tile/cuda/isa/memory.hpp>

namespace emulator_test {

__global__ void numbers(int* to) {
    int* const mine = to + 4 * (block_index() * block_threads() + thread_index());
    mine[0] = thread_index(), mine[1] = block_index(), mine[2] = block_threads(), mine[3] = blocks_of_grid();
}
TEST(Block, ThreadsAndBlocksHaveNumbers) {
    const Device<int> x(std::vector<int>(4 * 3 * 40));
    EXPECT_EQ(error_of({3, 40}, numbers, x.p), "");
    const std::vector<int> got = x.get();
    for (int i = 0; i < 3 * 40; ++i) {
        const int expected[] = {i % 40, i / 40, 40, 3};
        for (int k = 0; k < 4; ++k) EXPECT_EQ(got[4 * i + k], expected[k]) << "thread " << i << ", value " << k;
    }
}

__global__ void agrees(int against, int* to) { to[thread_index()] = block_sync_all(thread_index() != against); }
__global__ void passes(int waits) {
    if (thread_index() < waits) block_sync();
    else
        for (;;) block_sync();
}
TEST(Block, Agrees) {
    const Device<int> x(std::vector<int>(64));
    EXPECT_EQ(error_of({1, 64}, agrees, 64, x.p), "");
    EXPECT_EQ(x.get(), std::vector<int>(64, 1));
    EXPECT_EQ(error_of({1, 64}, agrees, 50, x.p), "");
    EXPECT_EQ(x.get(), std::vector<int>(64, 0));
    EXPECT_SAYS(error_of({1, 64}, passes, 63), "block_sync");
}

/// The last block to count adds what all have left.
__global__ void meets(std::uint32_t* sum, std::uint32_t* counter, float* left, float* to) {
    store_l2(left + block_index(), 1.0f + static_cast<float>(block_index()));
    fence_device();
    add_atomically(sum, 3);
    const auto last = static_cast<std::uint32_t>(blocks_of_grid()) - 1;
    if (count_wrapping(counter, last) != last) return;
    fence_device();
    float x = 0;
    for (int i = 0; i < blocks_of_grid(); ++i) x += load_l2(left + i);
    *to = x;
}
TEST(Block, LastOfAGridSeesTheOthers) {
    const Device<std::uint32_t> words(std::vector<std::uint32_t>(2));
    const Floats left(std::vector<float>(7)), to({0});
    EXPECT_EQ(error_of({7, 1}, meets, words.p, words.p + 1, left.p, to.p), "");
    EXPECT_EQ(words.get(), (std::vector<std::uint32_t>{21, 0}));
    EXPECT_EQ(to.get()[0], 28);
    EXPECT_SAYS(error_of({7, 1}, meets, words.p + 2, words.p + 1, left.p, to.p), "atom.add of 4 bytes");
    EXPECT_SAYS(error_of({8, 1}, meets, words.p, words.p + 1, left.p, to.p), "store_l2 of 4 bytes");
}

}  // namespace emulator_test
