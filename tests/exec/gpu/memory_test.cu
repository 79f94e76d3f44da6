// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/exec/arena.hpp>
#include <inlay/exec/gpu/memory.hpp>

#include <cstdint>
#include <numeric>
#include <utility>

namespace {

using namespace inlay;

TEST(DeviceMemory, IsAlignedForAnArena) {
    for (const std::size_t n : {1, 1000, 3}) {
        const DeviceMemory m(n);
        EXPECT_EQ(m.size(), n);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.data()) % Arena::alignment, 0u);
    }
}
TEST(DeviceMemory, MayBeEmpty) {
    EXPECT_EQ(DeviceMemory().data(), nullptr);
    EXPECT_EQ(DeviceMemory(0).size(), 0u);
}
TEST(DeviceMemory, Moves) {
    DeviceMemory a(100), c(7);
    void* const p = a.data();
    DeviceMemory b = std::move(a);
    EXPECT_EQ(b.data(), p);
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_EQ(a.size(), 0u);
    c = std::move(b);
    EXPECT_EQ(c.data(), p);
    EXPECT_EQ(c.size(), 100u);
}

// More pieces than there are, behind a stream that is busy: none is filled again before it was read.
TEST(Uploads, PiecesAreNotReusedTooEarly) {
    constexpr std::size_t n = (std::size_t(40) << 20) / sizeof(std::uint32_t);
    cudaStream_t stream;
    on_gpu::check(cudaStreamCreate(&stream), "cudaStreamCreate");
    {
        Uploads uploads(0);
        const DeviceMemory busy(std::size_t(256) << 20), there(n * sizeof(std::uint32_t));
        std::vector<std::uint32_t> sent(n), back(n);
        std::iota(sent.begin(), sent.end(), 0u);
        for (int i = 0; i < 20; ++i)
            on_gpu::check(cudaMemsetAsync(busy.data(), i, busy.size(), stream), "cudaMemsetAsync");
        uploads.copy(stream, there.data(), sent.data(), there.size());
        on_gpu::check(cudaMemcpyAsync(back.data(), there.data(), there.size(), cudaMemcpyDeviceToHost, stream),
                       "cudaMemcpyAsync");
        on_gpu::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        EXPECT_TRUE(back == sent);
    }
    cudaStreamDestroy(stream);
}

}  // namespace
