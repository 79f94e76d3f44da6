// SPDX-License-Identifier: Apache-2.0
/// sm_90 on the emulator: a product by the copy engine and the matrix unit, and the same with one mistake each.
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/grid.hpp>
#include <inlay/tile/cuda/isa/tma.hpp>
#include <inlay/tile/cuda/isa/wgmma.hpp>

#include <cmath>
#include <random>

namespace emulator_test {

/// A map of boxes of a tensor of halves with these extents, innermost first; of pixels of 3×3 windows where there are
/// any.
TensorMap map_of(fp16* data, const std::vector<cuuint64_t>& extents, const std::vector<cuuint32_t>& box,
                 int pixels = 0) {
    TensorMap map;
    const cuuint64_t strides[] = {2 * extents[0], 2 * extents[0] * extents[1],
                                  2 * extents[0] * extents[1] * extents[2]};
    const cuuint32_t steps[] = {1, 1, 1, 1};
    const int corner[] = {-1, -1};
    const CUresult r =
        pixels ? cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, data, extents.data(), strides,
                                         corner, corner, 64, static_cast<cuuint32_t>(pixels), steps,
                                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                         CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
               : cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, data, extents.data(), strides,
                                        box.data(), steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    EXPECT_EQ(r, CUDA_SUCCESS);
    return map;
}

enum class Mistake {
    none,
    no_wait_for_copy,
    no_wait_for_product,
    overwrites,
    no_fence,
    no_bytes,
    two_arrivals,
    writes_itself,
    writes_and_fences
};

/// C [64, 32] = A [64, 128] · B [32, 128]ᵀ by one warpgroup, through one stage of 64 elements along the sum.
template <Mistake M>
__global__ void multiplies(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* to) {
    extern __shared__ __align__(1024) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 12288;
    if (threadIdx.x == 0) barrier_init(bar, 1);
    fence_barriers();
    block_sync();
    float c[16];
    const auto load = [&](int k) {
        if (threadIdx.x != 0) return;
        barrier_expect(bar, M == Mistake::no_bytes ? 12288 + 16 : 12288);
        if (M == Mistake::two_arrivals) barrier_arrive(bar), barrier_arrive(bar);
        copy_box(at, a, bar, k, 0, 0, 0);
        copy_box(at + 8192, b, bar, k, 0, 0, 0);
    };
    for (int step = 0; step < 2; ++step) {
        load(step * 64);
        if (M != Mistake::no_wait_for_copy) barrier_wait(bar, static_cast<std::uint32_t>(step));
        if (M == Mistake::writes_itself || M == Mistake::writes_and_fences) {  // 0 over the first of A and of B
            if (threadIdx.x < 8) memory[threadIdx.x] = memory[8192 + threadIdx.x] = 0;
            if (M == Mistake::writes_and_fences) fence_shared_for_engines();
            block_sync();
        }
        if (M != Mistake::no_fence) products_begin();
        for (int k = 0; k < 4; ++k)
            product<32, fp16>::run(c, matrix_descriptor(at) + 2 * k, matrix_descriptor(at + 8192) + 2 * k,
                                   step + k > 0);
        products_commit();
        if (M == Mistake::overwrites && step == 1) {
            block_sync();
            memory[threadIdx.x * 16] = 1;
        }
        if (M != Mistake::no_wait_for_product) products_wait<0>();
        block_sync();
    }
    const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4;
    for (int i = 0; i < 16; ++i) to[(row + i % 4 / 2 * 8) * 32 + i / 4 * 8 + lane % 4 * 2 + i % 2] = c[i];
    if (M == Mistake::no_wait_for_product) products_wait<0>();
    if (M == Mistake::no_wait_for_copy)
        for (unsigned step = 0; step < 2; ++step) barrier_wait(bar, step);
}

struct Product : ::testing::Test {
    static std::vector<fp16> draw(std::size_t n) {
        static std::mt19937 engine(1);
        std::vector<fp16> v;
        for (std::size_t i = 0; i < n; ++i) v.push_back(fp16(static_cast<float>(engine() % 9) - 4));
        return v;
    }
    // Of A there are 60 rows: the box reaches further, into zeros.
    std::vector<fp16> a = draw(60 * 128), b = draw(32 * 128);
    Device<fp16> da{a}, db{b};
    Floats c{std::vector<float>(64 * 32)};

    template <Mistake M>
    std::string run() {
        return error_of({1, 128, 12288 + 8}, multiplies<M>, map_of(da.p, {128, 60, 1, 1}, {64, 64, 1, 1}),
                        map_of(db.p, {128, 32, 1, 1}, {64, 32, 1, 1}), c.p);
    }
    /// Elements that are not those of the product.
    int wrong() const {
        const auto got = c.get();
        int n = 0;
        for (std::size_t i = 0; i < 64; ++i)
            for (std::size_t j = 0; j < 32; ++j) {
                float want = 0;
                for (std::size_t k = 0; k < 128 && i < 60; ++k)
                    want += static_cast<float>(a[i * 128 + k]) * static_cast<float>(b[j * 128 + k]);
                n += !(got[i * 32 + j] == want);
            }
        return n;
    }
};
using Hopper = Product;

TEST_F(Hopper, Multiplies) {
    for (int order = 0; order < 3; ++order) {
        EXPECT_EQ(run<Mistake::none>(), "");
        EXPECT_EQ(wrong(), 0);
    }
}
TEST_F(Hopper, WhatIsReadBeforeTheWaitIsWrong) {
    EXPECT_EQ(run<Mistake::no_wait_for_product>(), "");
    EXPECT_EQ(wrong(), 64 * 32);
    run<Mistake::no_wait_for_copy>();
    EXPECT_GT(wrong(), 0);
}
TEST_F(Hopper, MistakesAreNamed) {
    EXPECT_SAYS(run<Mistake::no_fence>(), "wgmma without wgmma.fence before it");
    EXPECT_SAYS(run<Mistake::overwrites>(), "written by threads without fence_shared_for_engines");
    EXPECT_SAYS(run<Mistake::no_bytes>(), "its threads wait for ever");
    EXPECT_SAYS(run<Mistake::two_arrivals>(), "than it counts");
    EXPECT_SAYS(error_of({1, 128, 12288 + 8}, multiplies<Mistake::none>, TensorMap{}, TensorMap{}, c.p),
                "a copy by a map that nobody has made");
}

TEST_F(Hopper, WhatThreadsWriteIsFenced) {
    EXPECT_SAYS(run<Mistake::writes_itself>(), "written by threads without fence_shared_for_engines");
    EXPECT_EQ(run<Mistake::writes_and_fences>(), "");
    EXPECT_GT(wrong(), 0);  // the product is that of what they wrote
}

/// 16 pixels of an image [1, 3, 5, 64] under a tap of 3×3 windows, of the element `channel` each.
__global__ void takes_pixels(const __grid_constant__ TensorMap map, int right, int down, int channel, float* to) {
    extern __shared__ __align__(1024) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 2048;
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        barrier_expect(bar, 2048);
        copy_pixels(at, map, bar, 0, -1, -1, 0, static_cast<std::uint16_t>(right), static_cast<std::uint16_t>(down));
    }
    block_sync();
    barrier_wait(bar, 0);
    const int row = static_cast<int>(threadIdx.x), chunk = channel / 8 ^ row % 8;
    if (row < 16)
        to[row] = static_cast<float>(reinterpret_cast<const fp16*>(memory)[row * 64 + chunk * 8 + channel % 8]);
}
TEST(WgmmaCopies, PixelsUnderTaps) {
    std::vector<fp16> image;
    for (int i = 0; i < 3 * 5 * 64; ++i) image.push_back(fp16(static_cast<float>(i)));
    const Device<fp16> in(image);
    const Floats out(std::vector<float>(16));
    const TensorMap map = map_of(in.p, {64, 5, 3, 1}, {}, 16);
    for (int tap = 0; tap < 9; ++tap) {
        EXPECT_EQ(error_of({1, 32, 2056}, takes_pixels, map, tap % 3, tap / 3, 9 * (tap % 7), out.p), "");
        const auto got = out.get();
        for (int i = 0; i < 16; ++i) {
            const int x = i % 5 + tap % 3 - 1, y = i / 5 + tap / 3 - 1;
            const bool inside = x >= 0 && x < 5 && y >= 0 && y < 3 && i < 15;
            EXPECT_EQ(got[static_cast<std::size_t>(i)],
                      inside ? static_cast<float>(fp16(static_cast<float>((y * 5 + x) * 64 + 9 * (tap % 7)))) : 0.0f);
        }
    }
}

/// A copy before the kernel before has ended: of constants, and of what may not be there yet.
__global__ void copies_early(const __grid_constant__ TensorMap map, bool constants) {
    extern __shared__ __align__(1024) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 2048;
    barrier_init(bar, 1);
    barrier_expect(bar, 2048);
    if (constants) reads_constants();
    copy_box(at, map, bar, 0, 0, 0, 0);
    after_previous_kernel();
    barrier_wait(bar, 0);
}
TEST(WgmmaCopies, OnlyConstantsBeforeTheKernelBeforeHasEnded) {
    const Device<fp16> in(std::vector<fp16>(16 * 64));
    const TensorMap map = map_of(in.p, {64, 16, 1, 1}, {64, 16, 1, 1});
    const Grid early{.blocks = 1, .threads = 1, .shared = 2056, .overlaps = true};
    EXPECT_EQ(error_of(early, copies_early, map, true), "");
    EXPECT_SAYS(error_of(early, copies_early, map, false), "a tensor copy before after_previous_kernel");
}

/// Each block of a cluster sends its number to the next one.
template <bool Fences>
__global__ void sends_around(float* to) {
    extern __shared__ __align__(128) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 64, rank = blockIdx.x % 4;
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        barrier_expect(bar, 16);
    }
    if (threadIdx.x < 4) reinterpret_cast<float*>(memory)[threadIdx.x] = static_cast<float>(blockIdx.x);
    if (Fences) fence_shared_for_engines();
    cluster_barrier();
    if (threadIdx.x == 0) copy_to_block(at + 16, at, 16, bar, (rank + 1) % 4);
    barrier_wait(bar, 0);
    if (threadIdx.x == 0) to[blockIdx.x] = reinterpret_cast<const float*>(memory)[7];
    cluster_barrier();
}
TEST(WgmmaCopies, BlocksOfAClusterSend) {
    const Floats out(std::vector<float>(12));
    cudaLaunchAttribute cluster[1];
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim = {4, 1, 1};
    const cudaLaunchConfig_t config{dim3(12), dim3(64), 128, nullptr, cluster, 1};
    EXPECT_NE(cudaLaunchKernelEx(&config, sends_around<false>, out.p), cudaSuccess);
    EXPECT_EQ(cudaLaunchKernelEx(&config, sends_around<true>, out.p), cudaSuccess)
        << cudaGetErrorString(cudaErrorLaunchFailure);
    const auto got = out.get();
    for (int i = 0; i < 12; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], i / 4 * 4 + (i + 3) % 4);
}

}  // namespace emulator_test
