// SPDX-License-Identifier: Apache-2.0
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/cluster.hpp>

#include <cstring>

namespace emulator_test {

/// Each block of a cluster of four sends a word to every other one.
__global__ void sends_words(int* to) {
    extern __shared__ __align__(128) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 64, rank = blockIdx.x % 4;
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        fence_barriers();
        barrier_expect(bar, 3 * 8);
    }
    cluster_barrier();
    if (threadIdx.x < 4 && threadIdx.x != rank) send_to_block(at + 8 * rank, blockIdx.x + 1, bar, threadIdx.x);
    barrier_wait(bar, 0);
    if (threadIdx.x < 4 && threadIdx.x != rank) {
        std::uint64_t word;
        std::memcpy(&word, memory + 8 * threadIdx.x, 8);
        to[blockIdx.x * 4 + threadIdx.x] = static_cast<int>(word);
    }
    cluster_barrier();
}
/// Each thread of a block sends four words to the next block.
__global__ void sends_four(int* to) {
    extern __shared__ __align__(128) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 64, rank = blockIdx.x % 4;
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        fence_barriers();
        barrier_expect(bar, 4 * 16);
    }
    cluster_arrive();
    const auto x = static_cast<float>(4 * blockIdx.x + threadIdx.x);
    cluster_wait();
    send_to_block(at + 16 * threadIdx.x, x, x + 1, x + 2, x + 3, bar, (rank + 1) % 4);
    barrier_wait(bar, 0);
    to[blockIdx.x * 4 + threadIdx.x] = static_cast<int>(reinterpret_cast<float*>(memory)[5 * threadIdx.x]);
    cluster_barrier();
}
/// Comes twice, or waits without having come.
template <bool Comes>
__global__ void comes_wrongly(int*) {
    if (Comes) cluster_arrive(), cluster_arrive();
    cluster_wait();
}
cudaError_t launch(int* to, void (*kernel)(int*) = sends_words) {
    cudaLaunchAttribute cluster[1];
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim = {4, 1, 1};
    const cudaLaunchConfig_t config{dim3(12), dim3(4), 128, nullptr, cluster, 1};
    return cudaLaunchKernelEx(&config, kernel, to);
}

TEST(Cluster, AWordIsThereWhenTheBarrierSays) {
    for (int order = 0; order < 3; ++order) {
        const Device<int> to(std::vector<int>(12 * 4));
        EXPECT_EQ(launch(to.p), cudaSuccess) << cudaGetErrorString(cudaErrorLaunchFailure);
        const auto got = to.get();
        for (int block = 0; block < 12; ++block)
            for (int from = 0; from < 4; ++from)
                EXPECT_EQ(got[static_cast<std::size_t>(block * 4 + from)],
                          from == block % 4 ? 0 : block / 4 * 4 + from + 1);
    }
}

TEST(Cluster, FourWordsAreThereWhenTheBarrierSays) {
    for (int order = 0; order < 3; ++order) {
        const Device<int> to(std::vector<int>(12 * 4));
        EXPECT_EQ(launch(to.p, sends_four), cudaSuccess) << cudaGetErrorString(cudaErrorLaunchFailure);
        const auto got = to.get();
        for (int block = 0; block < 12; ++block)
            for (int i = 0; i < 4; ++i)
                EXPECT_EQ(got[static_cast<std::size_t>(block * 4 + i)], 4 * (block / 4 * 4 + (block + 3) % 4) + 2 * i);
    }
}
TEST(Cluster, AThreadComesToABarrierAndThenWaits) {
    EXPECT_NE(launch(nullptr, comes_wrongly<true>), cudaSuccess);
    EXPECT_NE(launch(nullptr, comes_wrongly<false>), cudaSuccess);
}

}  // namespace emulator_test
