// SPDX-License-Identifier: Apache-2.0
// The kernel of first_kernel.cpp on a GPU: GEGLU evaluated as the Linear reads it, bias and residual as it writes. It
// runs alone and replayed from a CUDA graph. Exits with 77 where there is no GPU.
#include <inlay/exec/cuda.hpp>
#include <inlay/exec/graph.hpp>
#include <inlay/inlay.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace inlay;

using Hidden = Slice<Buf<0>, -1, 0, 1280>;
using Gate = Slice<Buf<0>, -1, 1280, 1280>;
struct proj2 : Linear<Mul<Hidden, Gelu<Gate>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

int main() try {
    const int rows = 64, n = 320, k = 1280;
    Cuda gpu(0);
    std::vector<DeviceMemory> memory;
    const auto place = [&](index_t count, float value) {
        const std::vector<fp16> v(static_cast<std::size_t>(count), fp16(value));
        memory.push_back(gpu.allocate(sizeof(fp16) * v.size()));
        gpu.upload(memory.back().data(), v.data(), sizeof(fp16) * v.size());
        return static_cast<fp16*>(memory.back().data());
    };
    const auto y = tensor(place(rows * n, 0), rows, n);
    const auto kernel =
        prepare<proj2>(y, tensor(place(n * k, 0.01f), n, k), tensor(place(rows * 2 * k, 1), rows, 2 * k),
                       tensor(place(n, 2), n), tensor(place(rows * n, 3), rows, n));
    kernel.run(gpu);
    const Graph graph(gpu, kernel);
    graph.launch();

    std::vector<fp16> result(rows * n);
    gpu.download(result.data(), y.data, sizeof(fp16) * result.size());
    const float expected = k * 0.01f * 0.5f * (1 + std::erf(std::sqrt(0.5f))) + 2 + 3;
    std::printf("y = %g, expected %g, %zu kernel in the graph\n", static_cast<float>(result[0]), expected,
                graph.kernels());
    return std::abs(static_cast<float>(result[0]) - expected) < 0.02f * expected ? 0 : 1;
} catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? 1 : 77;
}
