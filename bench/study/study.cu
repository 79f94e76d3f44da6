// SPDX-License-Identifier: Apache-2.0
/// The kernels of docs/study.md: add, swish and softmax over 512 MB, fused and an operation at a time, and swish by how
/// much a block takes.
///
///     study time       # a line for each: workload, implementation, microseconds
///     study profile    # runs each once for a profiler, a kernel `marker` before each: workload, implementation
#include "../cuda/replay.hpp"

#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

#include <cuda_profiler_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace inlay;

constexpr index_t elements = index_t(1) << 27, row = 1024;

struct add : Elementwise<Add<Buf<0>, Buf<1>>> {};
struct swish : Elementwise<Mul<Buf<0>, Sigmoid<Buf<0>>>> {};
struct softmax : Softmax<> {};

struct sigmoid_alone : Elementwise<Sigmoid<Buf<0>>> {};
struct multiply : Elementwise<Mul<Buf<0>, Buf<1>>> {};
struct row_max : Reduce<reduction::Max> {};
struct subtract : Elementwise<Sub<Buf<0>, Buf<1>>> {};
struct exponential : Elementwise<Exp<Buf<0>>> {};
struct row_sum : Reduce<reduction::Sum> {};
struct divide : Elementwise<Div<Buf<0>, Buf<1>>> {};

template <int N, class In, class Sink>
__global__ void __launch_bounds__(256)
    blocks_kernel(index_t n, int block, const __grid_constant__ In in, const __grid_constant__ Sink sink) {
    const index_t begin = static_cast<index_t>(blockIdx.x) * block, end = ::min(begin + block, n);
    for (index_t i = begin + static_cast<int>(threadIdx.x) * N; i < end; i += static_cast<int>(blockDim.x) * N)
        on_gpu::write_chunk<N>(sink, Extents<1>{{i}}, N, on_gpu::read_chunk<N>(in, Extents<1>{{i}}, N));
}

/// A target for one kind of frame: elementwise work in blocks of a given number of elements.
struct Blocks {
    Cuda& gpu;
    int block;

    template <int R, class In, class Sink>
    void map(const Extents<R>& e, const In& in, const Sink& sink) {
        static_assert(R == 1);
        constexpr int N = inlay::sink_lanes<Sink>;
        gpu.launcher().launch({.blocks = (e[0] + block - 1) / block, .threads = std::clamp(block / N, 32, 256)},
                              blocks_kernel<N, In, Sink>, e[0], block, in, sink);
    }
    template <class Sink>
    void publish_stats(const Sink&) {}
};

__global__ void marker() {}

struct Implementation {
    std::string workload, name;
    std::function<void()> run;
};

/// Median microseconds of one run, over replays of a graph of several.
double time(Cuda& gpu, const std::function<void()>& run) {
    run();
    inlay_bench::Replay replay(gpu.device().index, gpu.stream(), 8, [&](int) { run(); });
    return inlay_bench::in_turn({&replay}, {inlay_bench::settled_ms, 9})[0];
}

/// The largest difference between the first elements of two results.
float distance(Cuda& gpu, const float* a, const float* b) {
    std::vector<float> x(1 << 16), y(x.size());
    gpu.download(x.data(), a, x.size() * sizeof(float));
    gpu.download(y.data(), b, y.size() * sizeof(float));
    float most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - y[i]));
    return most;
}

int study(const std::string& mode) {
    Cuda gpu;
    const auto block = [&](index_t n) { return gpu.allocate(static_cast<std::size_t>(n) * sizeof(float)); };
    const DeviceMemory memory = block(5 * elements), short_memory = block(2 * elements / row);
    auto* const all = static_cast<float*>(memory.data());
    auto* const per_row = static_cast<float*>(short_memory.data());
    const auto flat = [&](int i) { return Tensor<float, 1>(all + i * elements, {{elements}}); };
    const auto rows = [&](int i) { return Tensor<float, 2>(all + i * elements, {{elements / row, row}}); };
    const auto scalars = [&](int i) { return Tensor<float, 2>(per_row + i * (elements / row), {{elements / row, 1}}); };
    {
        std::mt19937 bits(1);
        std::normal_distribution<float> normal;
        std::vector<float> values(1 << 20);
        for (float& v : values) v = normal(bits);
        for (index_t i = 0; i < 2 * elements; i += index_t(1) << 20)
            gpu.upload(all + i, values.data(), values.size() * sizeof(float));
    }
    // 0 and 1: inputs, 2: the fused result, 3: that of the last of the single operations, 4: between them
    std::vector<Implementation> all_of_them;
    const auto implement = [&](const char* workload, const char* name, auto... kernels) {
        (gpu.load(kernels), ...);
        all_of_them.push_back({workload, name, [&gpu, kernels...] { (kernels.run(gpu), ...); }});
    };
    implement("add", "Inlay", prepare<add>(flat(2), flat(0), flat(1)));
    implement("swish", "Inlay", prepare<swish>(flat(2), flat(0)));
    implement("swish", "Inlay, an operation at a time", prepare<sigmoid_alone>(flat(4), flat(0)),
              prepare<multiply>(flat(3), flat(0), flat(4)));
    implement("softmax", "Inlay", prepare<softmax>(rows(2), rows(0)));
    implement("softmax", "Inlay, an operation at a time", prepare<row_max>(scalars(0), rows(0)),
              prepare<subtract>(rows(4), rows(0), scalars(0)), prepare<exponential>(rows(1), rows(4)),
              prepare<row_sum>(scalars(1), rows(1)), prepare<divide>(rows(3), rows(1), scalars(1)));
    const auto swish_kernel = prepare<swish>(flat(2), flat(0));
    if (mode == "time")
        for (int size = 32; size <= 32768; size *= 2)
            all_of_them.push_back({"swish by block", std::to_string(size), [&gpu, swish_kernel, size] {
                                       Blocks target{gpu, size};
                                       swish_kernel.run(target);
                                   }});

    int wrong = 0;
    for (const Implementation& i : all_of_them) {
        if (mode == "time") {
            std::printf("%s\t%s\t%.3f\n", i.workload.c_str(), i.name.c_str(), time(gpu, i.run));
            if (i.name != "Inlay" && i.workload != "swish by block") {
                const float off = distance(gpu, all + 2 * elements, all + 3 * elements);
                const bool differs = !(off < 1e-5f);
                wrong |= differs;
                if (differs) std::fprintf(stderr, "%s: fused and not differ by %g\n", i.workload.c_str(), off);
            }
        } else {
            i.run();
            gpu.synchronize();
            on_gpu::check(cudaProfilerStart(), "cudaProfilerStart");
            marker<<<1, 1, 0, gpu.stream()>>>();
            on_gpu::check(cudaGetLastError(), "marker");
            i.run();
            gpu.synchronize();
            on_gpu::check(cudaProfilerStop(), "cudaProfilerStop");
            std::printf("%s\t%s\n", i.workload.c_str(), i.name.c_str());
        }
        std::fflush(stdout);
    }
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc == 2 ? argv[1] : "";
    if (mode != "time" && mode != "profile") {
        std::fprintf(stderr, "usage: study time|profile\n");
        return 2;
    }
    try {
        return study(mode);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "study: %s\n", e.what());
        return 1;
    }
}
