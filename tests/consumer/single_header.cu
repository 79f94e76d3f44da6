// SPDX-License-Identifier: Apache-2.0
// The README's kernel through inlay-cuda.hpp alone. It runs where there is a GPU; elsewhere it exits with 77 after the
// executor's sentence.
#include "inlay-cuda.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace inlay;

using Geglu = Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>;
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

int main() try {
    const int rows = 64, n = 320, k = 1280;
    Cuda gpu(0);
    std::vector<DeviceMemory> memory;
    const auto place = [&](int count, float value) {
        const std::vector<fp16> v(static_cast<std::size_t>(count), fp16(value));
        memory.push_back(gpu.allocate(sizeof(fp16) * v.size()));
        gpu.upload(memory.back().data(), v.data(), sizeof(fp16) * v.size());
        return static_cast<fp16*>(memory.back().data());
    };
    const auto y = tensor(place(rows * n, 0), rows, n);
    prepare<proj2>(y, tensor(place(n * k, 0.01f), n, k), tensor(place(rows * 2 * k, 1), rows, 2 * k),
                   tensor(place(n, 2), n), tensor(place(rows * n, 3), rows, n))
        .run(gpu);
    fp16 result;
    gpu.download(&result, y.data, sizeof result);
    const float expected = k * 0.01f * 0.5f * (1 + std::erf(std::sqrt(0.5f))) + 2 + 3;
    std::printf("y = %g, expected %g\n", static_cast<float>(result), expected);
    return std::abs(static_cast<float>(result) - expected) < 0.02f * expected ? 0 : 1;
} catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? 1 : 77;
}
