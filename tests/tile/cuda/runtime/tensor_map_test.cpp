// SPDX-License-Identifier: Apache-2.0
/// Maps of tensors as kernels get them: what a box brings, and what the driver says of one that cannot be.
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>

namespace emulator_test {

/// A box of 8 rows of 64, row by row.
__global__ void takes_box(const __grid_constant__ TensorMap map, int column, int row, float* to) {
    extern __shared__ __align__(1024) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 1024;
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        barrier_expect(bar, 1024);
        copy_box(at, map, bar, column, row, 0, 0);
    }
    block_sync();
    barrier_wait(bar, 0);
    for (int r = 0; r < 8; ++r)
        for (int c = static_cast<int>(threadIdx.x); c < 64; c += 32)
            to[r * 64 + c] =
                static_cast<float>(reinterpret_cast<const fp16*>(memory + r * 128 + ((c / 8 ^ r % 8) << 4))[c % 8]);
}

struct Mapped : ::testing::Test {
    /// 20 rows of 72 elements, 80 apart.
    std::vector<fp16> v = [] {
        std::vector<fp16> x;
        for (int i = 0; i < 20 * 80; ++i) x.push_back(fp16(static_cast<float>(i % 1024)));
        return x;
    }();
    Device<fp16> d{v};
    MappedTensor tensor{d.p, DType::f16, {72, 20, 1, 1, 1}, {1, 80, 0, 0, 0}};

    std::vector<float> box(int column, int row) {
        Floats to{std::vector<float>(8 * 64)};
        EXPECT_EQ(error_of({1, 32, 1024 + 8}, takes_box, box_map(tensor, {64, 8, 1, 1}), column, row, to.p), "");
        return to.get();
    }
};

TEST_F(Mapped, BoxesAreSwizzledRowsAndZerosOutside) {
    for (const auto& [column, row] : {std::array{0, 0}, {64, 3}, {0, 16}, {-64, 0}}) {
        const std::vector<float> got = box(column, row);
        for (int r = 0; r < 8; ++r)
            for (int c = 0; c < 64; ++c) {
                const int x = column + c, y = row + r;
                const bool inside = x >= 0 && x < 72 && y < 20;
                EXPECT_EQ(got[static_cast<std::size_t>(r * 64 + c)],
                          inside ? static_cast<float>((y * 80 + x) % 1024) : 0.0f)
                    << r << " " << c;
            }
    }
}
/// The same of a box of 8 rows of 40 that lies on 7s.
__global__ void takes_narrow_box(const __grid_constant__ TensorMap map, float* to) {
    extern __shared__ __align__(1024) char memory[];
    const std::uint32_t at = shared_address(memory), bar = at + 1024;
    for (int i = static_cast<int>(threadIdx.x); i < 512; i += 32) reinterpret_cast<fp16*>(memory)[i] = fp16(7.0f);
    fence_shared_for_engines();
    block_sync();
    if (threadIdx.x == 0) {
        barrier_init(bar, 1);
        barrier_expect(bar, 8 * 80);
        copy_box(at, map, bar, 0, 0, 0, 0);
    }
    block_sync();
    barrier_wait(bar, 0);
    for (int i = static_cast<int>(threadIdx.x); i < 512; i += 32) {
        const int r = i / 64, c = i % 64;
        to[i] = static_cast<float>(reinterpret_cast<const fp16*>(memory + r * 128 + ((c / 8 ^ r % 8) << 4))[c % 8]);
    }
}
// Rows are as far apart as ones of 64, and what is behind theirs stays as it was.
TEST_F(Mapped, NarrowBoxesLeaveTheRestOfTheirRows) {
    Floats to{std::vector<float>(8 * 64)};
    ASSERT_EQ(error_of({1, 32, 1024 + 8}, takes_narrow_box, box_map(tensor, {40, 8, 1, 1}), to.p), "");
    const auto got = to.get();
    for (int r = 0; r < 8; ++r)
        for (int c = 0; c < 64; ++c)
            EXPECT_EQ(got[static_cast<std::size_t>(r * 64 + c)],
                      c < 40 ? static_cast<float>((r * 80 + c) % 1024) : 7.0f)
                << r << " " << c;
}
TEST_F(Mapped, WhatTheDriverRefusesIsAnErrorWithItsNumbers) {
    const auto error = [&](const MappedTensor& t) {
        try {
            box_map(t, {64, 8, 1, 1});
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(error(tensor), "");
    MappedTensor uneven = tensor, odd = tensor;
    uneven.strides[1] = 81;
    odd.data = d.p + 1;
    EXPECT_SAYS(error(uneven), "cuTensorMapEncodeTiled of boxes of [64, 8, 1, 1] of a tensor of [72, 20, 1, 1, 1] with "
                               "strides [1, 81, 0, 0, 0]: CUresult ");
    EXPECT_SAYS(error(odd), "cuTensorMapEncodeTiled");
    EXPECT_FALSE(uneven.can_map());
    EXPECT_FALSE(odd.can_map());
}

}  // namespace emulator_test
