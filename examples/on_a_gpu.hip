// SPDX-License-Identifier: Apache-2.0
// The kernel of on_a_gpu.cu on AMD's GPUs, over __half buffers of a HIP program: GEGLU evaluated as the Linear reads it,
// bias and residual as it writes. It runs alone and replayed from a graph. Exits with 77 where there is no GPU. On
// Debian 12, `cmake/hip-root.sh R` makes the folder R for
//     clang++-19 -x hip -std=c++20 -O2 --rocm-path=R --offload-arch=gfx942 -I include --hip-link examples/on_a_gpu.hip
#include <hip/hip_fp16.h>

#include <inlay/exec/graph.hpp>
#include <inlay/inlay.hpp>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

using namespace inlay;

using Hidden = Slice<Buf<0>, -1, 0, 1280>;
using Gate = Slice<Buf<0>, -1, 1280, 1280>;
struct proj2 : Linear<Mul<Hidden, Gelu<Gate>>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

void check(hipError_t code) {
    if (code != hipSuccess) throw std::runtime_error(hipGetErrorString(code));
}

int main() try {
    const int rows = 64, n = 320, k = 1280;
    Hip gpu(0);
    const auto filled = [&](int count, float value) {
        const std::vector<__half> v(static_cast<std::size_t>(count), __float2half(value));
        __half* p = nullptr;
        check(hipMalloc(&p, v.size() * sizeof(__half)));
        check(hipMemcpy(p, v.data(), v.size() * sizeof(__half), hipMemcpyHostToDevice));
        return p;
    };
    __half* const y = filled(rows * n, 0);
    const auto kernel = prepare<proj2>(tensor(y, rows, n), tensor(filled(n * k, 0.01f), n, k),
                                       tensor(filled(rows * 2 * k, 1), rows, 2 * k), tensor(filled(n, 2), n),
                                       tensor(filled(rows * n, 3), rows, n));
    kernel.run(gpu);
    const Graph graph(gpu, kernel);
    graph.launch();
    gpu.synchronize();

    __half result;
    check(hipMemcpy(&result, y, sizeof result, hipMemcpyDeviceToHost));
    const float expected = k * 0.01f * 0.5f * (1 + std::erf(std::sqrt(0.5f))) + 2 + 3, actual = __half2float(result);
    std::printf("y = %g, expected %g, %zu kernel in the graph\n", actual, expected, graph.kernels());
    return std::abs(actual - expected) < 0.02f * expected ? 0 : 1;
} catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    int devices = 0;
    return hipGetDeviceCount(&devices) == hipSuccess && devices > 0 ? 1 : 77;
}
