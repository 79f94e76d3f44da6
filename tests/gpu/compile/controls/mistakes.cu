// SPDX-License-Identifier: Apache-2.0
/// Products of a warpgroup that ptxas must put one after the other, since their registers are read between them, a
/// kernel that spills, products whose addresses each thread finds in the loop, copies whose coordinates one thread has,
/// and a comparison that ptxas 13.0 compiles wrongly: the checks of tests/gpu/compile/run.sh have to see all five.
#include <inlay/core/half.hpp>
#include <inlay/tile/cuda/isa/tma.hpp>
#include <inlay/tile/cuda/isa/wgmma.hpp>

using namespace inlay;
using namespace inlay::on_gpu;

__global__ void serialised(float* to, std::uint32_t at, int n) {
    float c[32] = {};
    for (int i = 0; i < n; ++i) {
        products_begin();
        product<64, fp16>::run(c, matrix_descriptor(at), matrix_descriptor(at + 8192), true);
        products_commit();
        c[0] *= 2;
        products_wait<0>();
    }
    for (int i = 0; i < 32; ++i) to[threadIdx.x * 32 + static_cast<unsigned>(i)] = c[i];
}

__global__ void __launch_bounds__(1024, 2) spills(float* to, const float* from) {
    float c[64];
    for (int i = 0; i < 64; ++i) c[i] = from[threadIdx.x + static_cast<unsigned>(i) * 1024];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum = sum * c[i] + c[63 - i];
    to[threadIdx.x] = sum;
}

__global__ void finds_addresses(float* to, const std::uint32_t* at, int n) {
    float c[32] = {};
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        products_begin();
        product<64, fp16>::run(c, matrix_descriptor(at[i]), matrix_descriptor(at[i] + 8192), true);
        products_commit();
        products_wait<0>();
    }
    products_keep(c);
    for (int i = 0; i < 32; ++i) to[threadIdx.x * 32 + static_cast<unsigned>(i)] = c[i];
}

__global__ void brings_coordinates(const __grid_constant__ TensorMap map, const int* rows, int n) {
    if (!elect_thread()) return;
#pragma unroll 1
    for (int i = 0; i < n; ++i) copy_box(0, map, 1024, 0, rows[2 * i], 0, 0);
#pragma unroll 1
    for (int i = 0; i < n; ++i) copy_box(0, map, 1024, 0, rows[2 * i + 1], 0, 0);
}

/// ptxas takes n for 8 where it is less and not cut.
__global__ void compares_what_is_cut(int* to, const int* left, const int* from) {
    const int n = max(min(left[threadIdx.x], 8), 0);
    to[2 * threadIdx.x] = n;
    to[2 * threadIdx.x + 1] = n != 8 ? from[threadIdx.x] : 8;
}
