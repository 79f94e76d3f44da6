// SPDX-License-Identifier: Apache-2.0
/// Host time of a run outside a graph, beside that of launching empty kernels: as many as the run launches, with as
/// many bytes of arguments, and once as kernels that may begin before the one before them has ended.
///
/// Launches are made in batches of 32, fewer than a stream holds, and the stream is drained between them, so that no
/// launch waits for the device. The batches of all that is compared take turns; the time of a run is the median over
/// them divided by 32. It uses the public API alone, so that it also compiles beside older headers.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <string>
#include <vector>

namespace {

using namespace inlay;

struct linear : Linear<Buf<0>, Add<Out, Buf<1>>> {};
struct linear_silu : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};
struct conv : Conv2D<Filter<3>, Buf<0>, Add<Out, Buf<1>>> {};
struct norm_groups : GroupNorm<32> {};
struct norm_rows : LayerNorm<> {};
template <int I>
using Heads = Permute<Buf<I>, 0, 2, 1, 3>;
struct attend : Attention<64, Heads<0>, Heads<1>, Heads<2>, mask::Full, Out, Permuted<Store<0>, 0, 2, 1, 3>> {};
struct add_silu : Elementwise<Silu<Add<Buf<0>, Buf<1>>>> {};

void check(cudaError_t code, const char* call) {
    if (code == cudaSuccess) return;
    std::fprintf(stderr, "cuda_launch: %s: %s\n", call, cudaGetErrorString(code));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

template <int Bytes>
struct Arguments {
    char bytes[Bytes];
};
template <int Bytes>
__global__ void empty_kernel(const __grid_constant__ Arguments<Bytes>) {}

template <int Bytes>
void launch_empty(cudaStream_t stream, bool overlaps) {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(132);
    config.blockDim = dim3(128);
    config.stream = stream;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = overlaps ? 1 : 0;
    static const Arguments<Bytes> arguments{};
    void* addresses[] = {const_cast<Arguments<Bytes>*>(&arguments)};
    CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(empty_kernel<Bytes>), addresses));
}
/// The smallest of some kernels that takes so many bytes.
auto empty_launch(std::size_t bytes) {
    return bytes <= 128    ? launch_empty<128>
           : bytes <= 256  ? launch_empty<256>
           : bytes <= 512  ? launch_empty<512>
           : bytes <= 1024 ? launch_empty<1024>
           : bytes <= 2048 ? launch_empty<2048>
                           : launch_empty<4096>;
}

/// Bytes of arguments of each kernel that a run launches; 0 where the runtime does not say.
std::vector<std::size_t> arguments_of(cudaStream_t stream, const std::function<void()>& run) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    run();
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(stream, &graph));
    std::size_t n = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &n));
    std::vector<cudaGraphNode_t> nodes(n);
    CHECK(cudaGraphGetNodes(graph, nodes.data(), &n));
    std::vector<std::size_t> all;
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type;
        CHECK(cudaGraphNodeGetType(node, &type));
        if (type != cudaGraphNodeTypeKernel) continue;
        std::size_t bytes = 0;
        cudaKernelNodeParams kernel{};
        if (cudaGraphKernelNodeGetParams(node, &kernel) == cudaSuccess) {
            std::size_t offset = 0, size = 0;
            for (std::size_t i = 0; cudaFuncGetParamInfo(kernel.func, i, &offset, &size) == cudaSuccess; ++i)
                bytes = offset + size;
        }
        cudaGetLastError();
        all.push_back(bytes);
    }
    CHECK(cudaGraphDestroy(graph));
    return all;
}

constexpr int batch = 32;

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    return all[all.size() / 2];
}
/// Microseconds of the host for each of these.
std::vector<double> host_us(cudaStream_t stream, const std::vector<std::function<void()>>& all, int batches) {
    std::vector<std::vector<double>> us(all.size());
    for (int b = -batches / 10 - 2; b < batches; ++b)
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(cudaStreamSynchronize(stream));
            const double begin = seconds();
            for (int k = 0; k < batch; ++k) all[i]();
            const double end = seconds();
            if (b >= 0) us[i].push_back(1e6 * (end - begin) / batch);
        }
    CHECK(cudaStreamSynchronize(stream));
    std::vector<double> medians;
    for (const auto& u : us) medians.push_back(median(u));
    return medians;
}

struct Options {
    std::string out = "bench/results/gpu", commit = "unknown", driver, filter;
    int device = 0, batches = 400;
};

class Suite {
public:
    explicit Suite(const Options& o) : options_(o), gpu_(o.device) {}

    /// Device memory with zeros, until the end.
    fp16* memory(index_t n) {
        held_.push_back(gpu_.allocate(sizeof(fp16) * static_cast<std::size_t>(n)));
        gpu_.zero(held_.back().data(), sizeof(fp16) * static_cast<std::size_t>(n));
        return static_cast<fp16*>(held_.back().data());
    }
    template <class Kernel>
    void time(const std::string& name, const Kernel& kernel) {
        if (!options_.filter.empty() && !std::regex_search(name, std::regex(options_.filter))) return;
        gpu_.load(kernel);
        const cudaStream_t stream = gpu_.stream();
        const auto run = [&] { kernel.run(gpu_); };
        run();
        const std::vector<std::size_t> bytes = arguments_of(stream, run);
        const auto bare = [&](bool overlaps) {
            return [&bytes, stream, overlaps] {
                for (const std::size_t b : bytes) empty_launch(b ? b : 1024)(stream, overlaps);
            };
        };
        const std::vector<double> us = host_us(stream, {run, bare(false), bare(true)}, options_.batches);
        std::size_t all = 0;
        for (const std::size_t b : bytes) all += b;
        std::printf("%-44s %7.2f us, bare %5.2f, overlapping %5.2f: %+6.2f  (%zu kernels, %zu bytes)\n", name.c_str(),
                    us[0], us[1], us[2], us[0] - us[1], bytes.size(), all);
        std::fflush(stdout);
        char row[320];
        std::snprintf(row, sizeof row,
                      "  {\"name\": \"launch/%s\", \"us\": %.4g, \"bare_us\": %.4g, \"bare_overlapping_us\": %.4g, "
                      "\"kernels\": %zu, \"argument_bytes\": %zu}",
                      name.c_str(), us[0], us[1], us[2], bytes.size(), all);
        rows_ += (rows_.empty() ? "" : ",\n") + std::string(row);
    }
    int finish() const {
        char date[32];
        const std::time_t now = std::time(nullptr);
        std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
        std::filesystem::create_directories(options_.out);
        std::ofstream file(options_.out + "/launch.json");
        file << "{\"commit\": \"" << options_.commit << "\", \"date\": \"" << date << "\", \"driver\": \""
             << options_.driver << "\", \"batch\": " << batch << ", \"batches\": " << options_.batches
             << ",\n \"rows\": [\n" << rows_ << "\n]}\n";
        return file.good() ? 0 : 1;
    }

private:
    Options options_;
    Cuda gpu_;
    std::vector<Cuda::Memory> held_;
    std::string rows_;
};

template <class... E>
Packed<fp16, sizeof...(E)> weight(const fp16* at, E... extents) {
    return {at, {{static_cast<index_t>(extents)...}}};
}

void time_all(Suite& s) {
    const index_t m = 1024, c = 1280, n = m * c;
    fp16 *const x = s.memory(4 * n), *const y = s.memory(4 * n), *const w = s.memory(9 * c * c), *const b = s.memory(c);
    s.time("linear/1024x1280x1280/fp16",
           prepare<linear>(tensor(y, m, c), weight(w, c, c), tensor(x, m, c), tensor(b, c)));
    s.time("linear/8x1280x1280/fp16", prepare<linear>(tensor(y, 8, c), weight(w, c, c), tensor(x, 8, c), tensor(b, c)));
    s.time("linear_silu/1024x1280x1280/fp16",
           prepare<linear_silu>(tensor(y, m, c), weight(w, c, c), tensor(x, m, c), tensor(b, c)));
    s.time("conv3x3/2x32x32x640x640/fp16", prepare<conv>(tensor(y, 2, 32, 32, 640), weight(w, 640, 3, 3, 640),
                                                         tensor(x, 2, 32, 32, 640), tensor(b, 640)));
    s.time("conv3x3/2x64x64x4x320/fp16", prepare<conv>(tensor(y, 2, 64, 64, 320), weight(w, 320, 3, 3, 4),
                                                       tensor(x, 2, 64, 64, 4), tensor(b, 320)));
    s.time("group_norm/2x1024x640/fp16", prepare<norm_groups>(tensor(y, 2, 1024, 640), tensor(b, 640), tensor(b, 640),
                                                              tensor(x, 2, 1024, 640)));
    s.time("layer_norm/2048x640/fp16",
           prepare<norm_rows>(tensor(y, 2048, 640), tensor(b, 640), tensor(b, 640), tensor(x, 2048, 640)));
    s.time("attention/2x8x1024x1024x64/fp16",
           prepare<attend>(tensor(y, 2, 1024, 8, 64), tensor(x, 2, 1024, 8, 64), tensor(x, 2, 1024, 8, 64),
                           tensor(x, 2, 1024, 8, 64)));
    s.time("elementwise/1310720/fp16", prepare<add_silu>(tensor(y, n), tensor(x, n), tensor(x + n, n)));
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 < argc) return argv[++i];
            std::fprintf(stderr, "cuda_launch: %s needs a value\n", a.c_str());
            std::exit(2);
        };
        if (a == "--out") o.out = value();
        else if (a == "--commit") o.commit = value();
        else if (a == "--driver") o.driver = value();
        else if (a == "--filter") o.filter = value();
        else if (a == "--device") o.device = std::atoi(value().c_str());
        else if (a == "--shapes") value();  // those of a run are written here
        else if (a == "--quick") o.batches = 50;
        else {
            std::fprintf(stderr, "cuda_launch [--out DIR] [--filter REGEX] [--device N] [--quick] [--commit NAME] "
                                 "[--driver TEXT]\nWrites DIR/launch.json: host microseconds of a run outside a "
                                 "graph, beside bare launches.\n");
            return a == "--help" || a == "-h" ? 0 : 2;
        }
    }
    try {
        Suite suite(o);
        time_all(suite);
        return suite.finish();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "cuda_launch: %s\n", e.what());
        return 1;
    }
}
