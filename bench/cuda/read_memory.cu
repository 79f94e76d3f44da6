// SPDX-License-Identifier: Apache-2.0
/// Times reads of a GPU's memory: `cuda_read_memory [BYTES]` prints the microseconds of one read of so many bytes
/// (247e6, the weights of GPT-2 124M in 16 bits), the best of several grids, each the median of 15 times 5 reads.
#include <inlay/tile/cuda/runtime/devices.hpp>
#include <inlay/tile/gpu/runtime/event.hpp>
#include <inlay/tile/gpu/runtime/memory.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace inlay;

/// 8 loads of 16 bytes in flight a thread. `out` is written by no thread: memory is 0.
__global__ void read(const uint4* from, std::size_t count, unsigned* out) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    unsigned all = 0;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += 8 * step) {
        uint4 v[8];
#pragma unroll
        for (int j = 0; j < 8; ++j) v[j] = i + j * step < count ? __ldcs(from + i + j * step) : uint4{};
#pragma unroll
        for (int j = 0; j < 8; ++j) all |= v[j].x | v[j].y | v[j].z | v[j].w;
    }
    if (all != 0) *out = all;
}

double microseconds(const uint4* from, std::size_t count, unsigned* out, int blocks, int threads) {
    std::vector<double> times;
    on_gpu::Event begun(0), ended(0);
    for (int i = 0; i < 15; ++i) {
        read<<<blocks, threads>>>(from, count, out);  // the launches behind it wait for it, not for the host
        begun.record(nullptr);
        for (int j = 0; j < 5; ++j) read<<<blocks, threads>>>(from, count, out);
        ended.record(nullptr);
        ended.wait();
        times.push_back(ended.seconds_since(begun) / 5 * 1e6);
    }
    std::ranges::nth_element(times, times.begin() + 7);
    return times[7];
}

}  // namespace

int main(int argc, char** argv) {
    const auto bytes = static_cast<std::size_t>(argc > 1 ? std::atof(argv[1]) : 247e6);
    const int units = on_gpu::Device::of(0).multiprocessors;
    const on_gpu::Allocation memory(bytes), out(sizeof(unsigned));
    on_gpu::api::zero(memory.data(), bytes, nullptr);
    double best = 1e9;
    for (const int blocks : {4, 8, 16})
        for (const int threads : {256, 512})
            best = std::min(best, microseconds(static_cast<const uint4*>(memory.data()), bytes / sizeof(uint4),
                                               static_cast<unsigned*>(out.data()), units * blocks * 256 / threads,
                                               threads));
    std::printf("%.1f\n", best);
}
