// SPDX-License-Identifier: Apache-2.0
/// A barrier of the block where each role waits at a place of its own.
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/barrier.hpp>

namespace emulator_test {

/// Each half of the block reads what the other one wrote.
template <bool Waits>
__global__ void roles_wait(float* to) {
    __shared__ float row[256];
    const unsigned t = threadIdx.x;
    row[t] = static_cast<float>(t);
    if (t < 128) {
        if (Waits) block_barrier();
        to[t] = row[t + 128];
    } else {
        if (Waits) block_barrier();
        to[t] = row[t - 128];
    }
}
TEST(BlockBarrier, RolesWaitWhereTheyAre) {
    const Floats x{std::vector<float>(256)};
    EXPECT_EQ(error_of({1, 256}, roles_wait<true>, x.p), "");
    const auto got = x.get();
    for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(got[i], static_cast<float>(i ^ 128)) << i;
}
TEST(BlockBarrier, WithoutItWhatTheOthersWroteIsMissing) {
    const Floats x{std::vector<float>(256)};
    int wrong = 0;
    for (int run = 0; run < 4; ++run) {
        EXPECT_EQ(error_of({1, 256}, roles_wait<false>, x.p), "");
        const auto got = x.get();
        for (std::size_t i = 0; i < 256; ++i) wrong += got[i] != static_cast<float>(i ^ 128);
    }
    EXPECT_GT(wrong, 0);
}

/// Some at `block_sync`, which is one place for all.
__global__ void some_wait_elsewhere() {
    if (threadIdx.x < 32) block_sync();
    else block_barrier();
}
TEST(BlockBarrier, IsNotSyncthreads) {
    EXPECT_SAYS(error_of({1, 64}, some_wait_elsewhere), "others wait at ");
}

}  // namespace emulator_test
