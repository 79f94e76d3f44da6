// SPDX-License-Identifier: Apache-2.0
// A kernel in a program that has everything else already: its own kernels, __half buffers, a stream and scratch memory,
// which it lends. Inlay allocates nothing on the device. Exits with 77 where there is no GPU.
#include <cuda_fp16.h>

#include <inlay/exec/graph.hpp>
#include <inlay/inlay.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

// SiLU as the product reads x; bias and residual as it writes.
struct proj : inlay::Linear<inlay::Silu<inlay::Buf<0>>,
                            inlay::Add<inlay::Add<inlay::Out, inlay::Buf<1>>, inlay::Buf<2>>> {};

__global__ void fill(__half* p, int n, float value) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) p[i] = __float2half(value);
}

void check(cudaError_t code) {
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

int main() try {
    const int rows = 64, n = 320, k = 1280;
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    const auto filled = [&](int count, float value) {
        __half* p = nullptr;
        check(cudaMalloc(&p, count * sizeof(__half)));
        fill<<<(count + 255) / 256, 256, 0, stream>>>(p, count, value);
        return p;
    };
    __half *y = filled(rows * n, 0), *residual = filled(rows * n, 3), *bias = filled(n, 2);
    const __half *w = filled(n * k, 0.01f), *x = filled(rows * k, 1);

    inlay::Cuda gpu(0, stream);
    const auto kernel =
        inlay::prepare<proj>(inlay::tensor(y, rows, n), inlay::tensor(w, n, k), inlay::tensor(x, rows, k),
                             inlay::tensor(bias, n), inlay::tensor(residual, rows, n));
    inlay::Workspace scratch;
    scratch.bytes = kernel.workspace_bytes(gpu);    // loads the kernel, too
    if (scratch.bytes > 0) check(cudaMalloc(&scratch.data, scratch.bytes));

    kernel.run(gpu, scratch);                       // on the stream, between what else is there
    const inlay::Graph graph(gpu, scratch, kernel); // or captured, here or by cudaStreamBeginCapture
    graph.launch();

    std::vector<__half> result(rows * n);
    check(cudaMemcpyAsync(result.data(), y, result.size() * sizeof(__half), cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    const float expected = k * 0.01f / (1 + std::exp(-1.0f)) + 2 + 3, actual = __half2float(result[0]);
    std::printf("y = %g, expected %g, with %zu bytes of scratch memory\n", actual, expected, scratch.bytes);
    return std::abs(actual - expected) < 0.02f * expected ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? 1 : 77;
}
