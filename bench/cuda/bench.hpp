// SPDX-License-Identifier: Apache-2.0
/// The harness of the GPU benchmarks. A case declares its operands, and the harness makes so many copies of them that
/// weights and inputs together take more than 128 MB, filled with random normals on the device. Launches over all
/// copies in turn are captured in a CUDA graph; the time of one is the median over replays divided by their number.
/// Peers are timed in the same way on the same operands, and every result is compared once, over a poisoned output, so
/// that a wrong kernel cannot look fast.
#pragma once

#include "peers.hpp"

#include <inlay/exec/device_memory.hpp>

#include <map>
#include <tuple>

namespace inlay::inline INLAY_ABI {
class Cuda;
}

namespace inlay_bench {

/// A row of the table of shapes; `key` as bench/sd15_shapes.py says.
struct Shape {
    std::string model, kind;
    std::vector<index_t> key;
    index_t count, m, n, k;
    std::string text() const;  ///< "2x4096x320"
};

/// What the device reaches in this run. A copy is read and written.
struct Ceilings {
    double memcpy_gbs = 0, copy_kernel_gbs = 0, matmul4096_tflops = 0, matmul8192_tflops = 0;
    double copy_gbs() const { return memcpy_gbs > copy_kernel_gbs ? memcpy_gbs : copy_kernel_gbs; }
    double matrix_tflops() const {
        return matmul4096_tflops > matmul8192_tflops ? matmul4096_tflops : matmul8192_tflops;
    }
};

class Bench;
class Case;
/// The target that runs our kernels on the harness's stream; bench/cuda/target.hpp defines it for a program of a frame.
inlay::Cuda& gpu(Bench& bench);

/// One program: its arguments, the device, the ceilings of this run and the rows so far, which its end writes.
class Bench {
public:
    /// Exits with a message on wrong arguments, and on --help.
    Bench(const char* suite, int argc, char** argv);
    /// Writes DIR/<suite>.json.
    int finish();

    /// Runs `body(case)` if the filter takes the name. An exception costs the row, not the run.
    void run(const std::string& name, const std::function<void(Case&)>& body);
    std::vector<Shape> shapes(const std::string& kind) const;
    bool quick() const { return quick_; }
    int plans() const { return quick_ ? 4 : 16; }
    int device() const { return device_; }
    cudaStream_t stream() const { return stream_; }
    void synchronize();
    const Ceilings& ceilings() const { return ceilings_; }
    const std::string& out() const { return out_; }     ///< the folder of results
    std::string provenance() const { return driver_ + ", commit " + commit_; }

    /// Median time of one of `n` launches, launch(i) for i < n, in microseconds.
    double time(int n, const std::function<void(int)>& launch, bool screening = false);
    char* arena(std::size_t bytes);
    void reset_arena() { used_ = 0; }

private:
    void measure_ceilings();

    std::string suite_, shapes_ = "bench/sd15_shapes.csv", out_ = "bench/results/gpu", filter_, commit_ = "unknown",
                        driver_;
    bool quick_ = false;
    int failed_ = 0, device_ = 0;
    cudaStream_t stream_ = nullptr;
    Ceilings ceilings_;
    inlay::DeviceMemory memory_;
    std::size_t used_ = 0;
    std::vector<std::string> rows_;
};

/// Relative L2 distance of two results, and how many elements of the first are NaN.
struct Distance {
    double relative_l2 = 0;
    index_t nans = 0;
};
Distance distance(cudaStream_t stream, const void* ours, const void* theirs, index_t n, DType type);
void fill_normals(cudaStream_t stream, void* to, index_t n, DType type, std::uint64_t seed);
/// By a kernel, where the runtime's own copy would be another. Addresses and bytes are multiples of 16.
void copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

/// One piece of work, ours and the peers'. Operands are declared first, then things are timed.
class Case {
    struct Slot {
        index_t elements;
        DType type;
        bool input;
        std::size_t stride = 0;
        int copies = 0;
        char* base = nullptr;
    };

public:
    Case(Bench& bench, std::string name) : bench_(bench), name_(std::move(name)) {}

    /// An operand; `ring[i]` is where launch i finds it.
    template <class T>
    struct Ring {
        Case* owner;
        std::size_t slot;
        T* operator[](int i) const { return static_cast<T*>(owner->at(slot, i)); }
    };
    template <class T>
    Ring<const T> input(index_t n) {
        return {this, declare(n, inlay::dtype_of<T>, true)};
    }
    /// The first one declared is what results are compared by.
    template <class T>
    Ring<T> output(index_t n) {
        return {this, declare(n, inlay::dtype_of<T>, false)};
    }

    /// Times kernels one after the other: each make(i) prepares one for launch i.
    template <class... Make>
    double time(Make... make) {
        auto kernels = std::make_tuple(many(make)...);
        return std::apply(
            [&](auto&... k) {
                return time_launches([&](int i) { (k[static_cast<std::size_t>(i)].run(gpu(bench_)), ...); });
            },
            kernels);
    }
    /// Our time of this case, its row's `us`.
    template <class Make>
    void ours(Make make) {
        us_ = time(make);
        keep_result();
    }
    /// The same work by more than one of our kernels.
    template <class... Make>
    void unfused(const std::string& what, Make... make) {
        unfused_us_ = time(make...);
        compare(what);
        number("unfused_us", unfused_us_);
        text("unfused", what);
    }
    double unfused_us() const { return unfused_us_; }
    /// The best of a library's candidates, compared with ours.
    void peer(const std::string& library, const std::vector<Candidate>& candidates);

    /// Of one launch. Bytes are those of all operands, each once, unless said otherwise.
    void flops(double f) { flops_ = f; }
    void bytes(double b) { bytes_ = b; }
    double us() const { return us_; }
    void number(const std::string& key, double v);
    void text(const std::string& key, const std::string& v);
    std::string row();

private:
    friend Bench;
    std::size_t declare(index_t n, DType type, bool input);
    void* at(std::size_t slot, int i);
    void place();
    int launches();
    template <class Make>
    auto many(Make& make) {
        std::vector<decltype(make(0))> all;
        all.reserve(static_cast<std::size_t>(launches()));
        for (int i = 0; i < launches(); ++i) all.push_back(make(i));
        return all;
    }
    double time_launches(const std::function<void(int)>& launch);
    void poison();
    void keep_result();
    void compare(const std::string& with);
    std::size_t result() const;

    Bench& bench_;
    std::string name_;
    std::vector<Slot> slots_;
    int launches_ = 0;
    void* kept_ = nullptr;
    double us_ = 0, unfused_us_ = 0, flops_ = 0, bytes_ = 0;
    std::map<std::string, double> peers_;
    double worst_l2_ = 0;
    bool compared_ = false;
    std::string extra_;
};

}  // namespace inlay_bench
