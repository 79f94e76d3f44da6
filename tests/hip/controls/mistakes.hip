// SPDX-License-Identifier: Apache-2.0
/// Kernels that spill vector registers, that keep an array in private memory, and that multiply without matrix
/// instructions: tests/hip/check_code.py has to see all three.
// code: gfx942 multiplies v_mfma_f32_16x16x16_?f16
// code: gfx942 multiplies v_fma_f32|v_fmac_f32 global_load_dword
// code: gfx942 is_not_there v_mfma_f32_16x16x16_?f16
// code: gfx90a multiplies v_mfma_f32_16x16x16_?f16
#include <hip/hip_runtime.h>

__global__ void __launch_bounds__(1024) spills(float* to, const float* from) {
    float c[200];
    for (int i = 0; i < 200; ++i) c[i] = from[threadIdx.x + static_cast<unsigned>(i) * 1024];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 200; ++i) sum = sum * c[i] + c[199 - i];
    to[threadIdx.x] = sum;
}

__global__ void keeps_an_array(float* to, const float* from, const int* at) {
    float c[64];
    for (int i = 0; i < 64; ++i) c[at[i] % 64] = from[i];
    for (int i = 0; i < 64; ++i) to[i] = c[at[64 + i] % 64];
}

__global__ void multiplies(float* to, const float* a, const float* b, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i * n + static_cast<int>(threadIdx.x)];
    to[threadIdx.x] = sum;
}
