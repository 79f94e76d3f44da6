// SPDX-License-Identifier: Apache-2.0
/// A property that sm_90a's attention relies on and no document states: a box whose rows do not fill the swizzle lies
/// in rows that would, and what is behind its columns stays as it was. The emulator has the same
/// (`tile/cuda/runtime/tensor_map_test.cpp`).
#include <frame/on_gpu.hpp>

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/copy.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace inlay;

constexpr int rows = 8, columns = 40, pitch = 64;

/// A box of `columns` on 7s, row by row.
__global__ void takes_box(const __grid_constant__ on_gpu::TensorMap map, float* to) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ __align__(1024) fp16 tile[rows * pitch];
    __shared__ std::uint64_t barrier;
    const std::uint32_t at = on_gpu::shared_address(tile), bar = on_gpu::shared_address(&barrier);
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < rows * pitch; i += 32) tile[i] = fp16(7.0f);
    on_gpu::fence_shared_for_engines();
    __syncthreads();
    if (thread == 0) {
        on_gpu::barrier_init(bar, 1);
        on_gpu::fence_barriers();
        on_gpu::barrier_expect(bar, rows * columns * 2);
        on_gpu::copy_box(at, map, bar, 0, 0, 0, 0);
    }
    __syncthreads();
    on_gpu::barrier_wait(bar, 0);
    for (int i = thread; i < rows * pitch; i += 32) {
        const int r = i / pitch, c = i % pitch;
        to[i] = static_cast<float>(tile[r * pitch + (c / 8 ^ r % 8) * 8 + c % 8]);
    }
#endif
}

TEST(TensorMap, NarrowBoxesLeaveTheRestOfTheirRows) {
    Cuda gpu(0);
    if (!on_gpu::has_sm90a(gpu.device())) GTEST_SKIP() << "needs the engine of sm_90a";
    std::vector<fp16> from;
    for (int i = 0; i < rows * columns; ++i) from.push_back(fp16(static_cast<float>(100 + i)));
    std::vector<float> got(rows * pitch, -1.0f);
    const auto x = gpu.allocate(from.size() * sizeof(fp16)), y = gpu.allocate(got.size() * sizeof(float));
    gpu.upload(x.data(), from.data(), from.size() * sizeof(fp16));
    const MappedTensor t{x.data(), DType::f16, {columns, rows, 1, 1, 1}, {1, columns, 0, 0, 0}};
    takes_box<<<1, 32, 0, gpu.stream()>>>(on_gpu::box_map(t, {columns, rows, 1, 1}), static_cast<float*>(y.data()));
    on_gpu::check(cudaGetLastError(), "takes_box");
    gpu.download(got.data(), y.data(), got.size() * sizeof(float));
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < pitch; ++c)
            EXPECT_EQ(got[static_cast<std::size_t>(r * pitch + c)],
                      c < columns ? static_cast<float>(100 + r * columns + c) : 7.0f)
                << r << " " << c;
}

}  // namespace
