// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

namespace inlay_bench {

namespace {

using inlay::on_gpu::check;

constexpr std::size_t arena_bytes = std::size_t(10) << 30;

std::string quoted(const std::string& s) {
    std::string out = "\"";
    for (const char c : s) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + '"';
}
std::string digits(double v) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.5g", v);
    return std::isfinite(v) ? buffer : "null";
}

constexpr const char* usage =
    R"(%s [--shapes FILE] [--out DIR] [--filter REGEX] [--device N] [--quick] [--commit NAME] [--driver TEXT]

Times a frame on the GPU beside its peers and writes DIR/%s.json.
  --shapes FILE    layers to time (default: bench/sd15_shapes.csv)
  --out DIR        default: bench/results/gpu
  --filter REGEX   only rows whose name it finds
  --quick          fewer plans, shapes and replays
  --commit, --driver   go into the file as they are
)";

}  // namespace

void* peer_workspace() {
    static const inlay::DeviceMemory memory(peer_workspace_bytes);
    return memory.data();
}

std::string Shape::text() const {
    std::string t;
    for (const index_t v : kind == "linear" ? std::vector<index_t>{m, n, k} : key)
        t += (t.empty() ? "" : "x") + std::to_string(v);
    return t;
}

Bench::Bench(const char* suite, int argc, char** argv) : suite_(suite) {
    for (int i = 1; i < argc; ++i) {
        const std::string a = argv[i];
        const auto value = [&]() -> std::string {
            if (i + 1 < argc) return argv[++i];
            std::fprintf(stderr, "%s: %s needs a value; see --help\n", argv[0], a.c_str());
            std::exit(2);
        };
        if (a == "--shapes") shapes_ = value();
        else if (a == "--out") out_ = value();
        else if (a == "--filter") filter_ = value();
        else if (a == "--commit") commit_ = value();
        else if (a == "--driver") driver_ = value();
        else if (a == "--device") device_ = std::atoi(value().c_str());
        else if (a == "--quick") quick_ = true;
        else {
            const bool help = a == "--help" || a == "-h";
            if (!help) std::fprintf(stderr, "%s: unknown argument '%s'\n", argv[0], a.c_str());
            std::fprintf(help ? stdout : stderr, usage, argv[0], suite);
            std::exit(help ? 0 : 2);
        }
    }
    try {
        check(cudaSetDevice(device_), "cudaSetDevice");
        check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        memory_ = inlay::DeviceMemory(arena_bytes);
        if (driver_.empty()) {
            cudaDeviceProp properties;
            int version = 0;
            check(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
            check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
            driver_ = std::string(properties.name) + ", driver for CUDA " + std::to_string(version / 1000) + "." +
                      std::to_string(version % 1000 / 10);
        }
        measure_ceilings();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
        std::exit(1);
    }
    std::printf("%s: copy %.0f GB/s, fp16 product %.0f and %.0f TFLOP/s; cuBLASLt %s, cuDNN %s\n", suite,
                ceilings_.copy_gbs(), ceilings_.matmul4096_tflops, ceilings_.matmul8192_tflops,
                cublaslt_version().c_str(), cudnn_version().c_str());
}

void Bench::measure_ceilings() {
    const std::size_t bytes = std::size_t(1) << 30;
    char* const data = arena(4 * bytes);
    fill_normals(stream_, data, index_t(4 * bytes / 2), DType::f16, 1);
    const auto gbs = [&](auto copies) {
        const double us = time(4, [&](int i) { copies(data + (i % 2) * bytes, data + (2 + i % 2) * bytes); });
        return 2e-3 * static_cast<double>(bytes) / us;
    };
    for (const index_t n : {4096, 8192}) {
        double best = 0;
        const std::size_t step = static_cast<std::size_t>(2 * n * n);
        const auto candidates = cublaslt(Product{n, n, n});
        for (std::size_t c = 0; c < candidates.size() && c < 6; ++c) {
            const double us = time(
                6,
                [&](int i) {
                    const char* base = data + static_cast<std::size_t>(i) * 3 * step;
                    candidates[c].launch({{base, base + step}, const_cast<char*>(base + 2 * step)}, stream_);
                },
                true);
            best = std::max(best, 2e-6 * static_cast<double>(n * n) * static_cast<double>(n) / us);
        }
        (n == 4096 ? ceilings_.matmul4096_tflops : ceilings_.matmul8192_tflops) = best;
    }
    ceilings_.memcpy_gbs = gbs([&](char* to, const char* from) {
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream_), "cudaMemcpyAsync");
    });
    ceilings_.copy_kernel_gbs = gbs([&](char* to, const char* from) { copy(stream_, to, from, bytes); });
    // The row that followed the products at once read up to a fifth too slow.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    reset_arena();
}

void Bench::synchronize() {
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

char* Bench::arena(std::size_t bytes) {
    bytes = (bytes + 511) / 512 * 512;
    inlay::require(used_ + bytes <= memory_.size(), "a case takes more than ", memory_.size() >> 30, " GiB");
    used_ += bytes;
    return static_cast<char*>(memory_.data()) + used_ - bytes;
}

std::vector<Shape> Bench::shapes(const std::string& kind) const {
    std::ifstream file(shapes_);
    inlay::require(file.good(), "cannot read ", shapes_);
    std::vector<Shape> all;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::vector<std::string> f;
        std::stringstream fields(line);
        for (std::string part; std::getline(fields, part, ',');) f.push_back(part);
        f.resize(std::max<std::size_t>(f.size(), 7));
        if (f[1] != kind) continue;
        Shape s{f[0],
                f[1],
                {},
                std::atoll(f[3].c_str()),
                std::atoll(f[4].c_str()),
                std::atoll(f[5].c_str()),
                std::atoll(f[6].c_str())};
        std::stringstream key(f[2]);
        for (std::string part; std::getline(key, part, ';');) s.key.push_back(std::atoll(part.c_str()));
        all.push_back(s);
    }
    return all;
}

double Bench::time(int n, const std::function<void(int)>& launch, bool screening) {
    Replay replay(device_, stream_, n, launch);
    // Clocks follow what ran before, so a launch has the device to itself for a while before it counts.
    return in_turn({&replay}, screening ? Rounds{0, 2} : Rounds{30, quick_ ? 5 : 9})[0];
}

bool Bench::takes(const std::string& name) const {
    return filter_.empty() || std::regex_search(name, std::regex(filter_));
}
void Bench::run(const std::string& name, const std::function<void(Case&)>& body) {
    if (!takes(name)) return;
    reset_arena();
    Case c(*this, name);
    try {
        body(c);
        c.measure();
        rows_.push_back(c.row());
    } catch (const std::exception& e) {
        ++failed_;
        std::printf("%-64s FAILED: %s\n", name.c_str(), e.what());
        rows_.push_back("{\"name\": " + quoted(name) + ", \"error\": " + quoted(e.what()) + "}");
    }
    std::fflush(stdout);
}

int Bench::finish() {
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::filesystem::create_directories(out_);
    std::ofstream file(out_ + "/" + suite_ + ".json");
    file << "{\"commit\": " << quoted(commit_) << ", \"date\": " << quoted(date) << ", \"driver\": " << quoted(driver_)
         << ",\n \"ceilings\": {\"copy_gbs\": " << digits(ceilings_.copy_gbs())
         << ", \"memcpy_gbs\": " << digits(ceilings_.memcpy_gbs)
         << ", \"copy_kernel_gbs\": " << digits(ceilings_.copy_kernel_gbs)
         << ", \"matmul4096_tflops\": " << digits(ceilings_.matmul4096_tflops)
         << ", \"matmul8192_tflops\": " << digits(ceilings_.matmul8192_tflops)
         << "},\n \"busy_ms\": " << digits(rounds().busy_ms) << ", \"in_turn\": true,\n"
         << " \"libraries\": {\"cuBLASLt\": " << quoted(cublaslt_version())
         << ", \"cuDNN\": " << quoted(cudnn_version()) << "},\n \"rows\": [\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) file << "  " << rows_[i] << (i + 1 < rows_.size() ? ",\n" : "\n");
    file << "]}\n";
    std::printf("%s: %zu rows, %d failed\n", suite_.c_str(), rows_.size(), failed_);
    return failed_ || !file.good() ? 1 : 0;
}

}  // namespace inlay_bench
