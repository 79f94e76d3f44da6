// SPDX-License-Identifier: Apache-2.0
/// The harness of the GPU benchmarks. A case declares its operands, and the harness makes so many copies of them that
/// weights and inputs together take more than 128 MB, filled with random normals on the device. Launches over all
/// copies one after the other are captured in a CUDA graph, ours and the peers' on the same operands. Every result is
/// compared once, over a poisoned output, so that a wrong kernel cannot look fast. At the end of a case its graphs are
/// replayed in turn, and the time of a launch is the median over replays divided by the launches of one.
#pragma once

#include "peers.hpp"
#include "replay.hpp"

#include <inlay/exec/gpu/memory.hpp>

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

/// The rates that the device reaches in this run. A copy is read and written.
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
    bool takes(const std::string& name) const;      ///< true if the filter does
    bool quick() const { return quick_; }
    int plans() const { return quick_ ? 4 : 16; }
    int device() const { return device_; }
    cudaStream_t stream() const { return stream_; }
    void synchronize();
    const Ceilings& ceilings() const { return ceilings_; }
    const std::string& out() const { return out_; }     ///< the folder of results
    std::string provenance() const { return driver_ + ", commit " + commit_; }

    /// The measurement of a case.
    Rounds rounds() const { return quick_ ? Rounds{30, 5} : Rounds{settled_ms, 9}; }
    /// Median time of one of `n` launches, launch(i) for i < n, in microseconds: alone, and sooner than a case's.
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
void fill_normals(cudaStream_t stream, void* to, index_t n, DType type, std::uint64_t seed, float deviation = 1);
/// By a kernel, where the runtime's own copy would be another. Addresses and bytes are multiples of 16.
void copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes);

/// One piece of work, ours and the peers'. Operands are declared first, then what is to be timed; `measure` times it.
class Case {
    struct Slot {
        index_t elements;
        DType type;
        bool input;
        float deviation;
        std::size_t stride = 0;
        int copies = 0;
        char* base = nullptr;
    };
    /// The timed functions: our kernels under a key, a peer under the library's name.
    struct Entry {
        std::string name;
        bool peer;
        std::unique_ptr<Replay> replay;
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
    Ring<const T> input(index_t n, float deviation = 1) {
        return {this, declare(n, inlay::dtype_of<T>, true, deviation)};
    }
    /// The first one declared is what results are compared by.
    template <class T>
    Ring<T> output(index_t n) {
        return {this, declare(n, inlay::dtype_of<T>, false, 0)};
    }

    /// Data that all launches read and that is not rotated: page tables, ids of documents, slopes of heads.
    template <class T>
    const T* constant(const std::vector<T>& data) {
        const std::size_t bytes = data.size() * sizeof(T);
        T* const at = reinterpret_cast<T*>(bench_.arena(bytes));
        inlay::on_gpu::check(cudaMemcpy(at, data.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
        return at;
    }

    /// Our kernels that run one after the other, timed as the row's `key`: each make(i) prepares one for launch i.
    template <class... Make>
    void time(const std::string& key, Make... make) {
        enter(key, false, [this, kernels = std::make_tuple(many(make)...)](int i) {
            std::apply([&](const auto&... k) { (k[static_cast<std::size_t>(i)].run(gpu(bench_)), ...); }, kernels);
        });
    }
    /// A description of this case.
    template <class Make>
    void ours(Make make) {
        time("us", make);
        keep_result();
    }
    /// The same work by more than one of our kernels.
    template <class... Make>
    void unfused(const std::string& what, Make... make) {
        time("unfused_us", make...);
        compare(what);
        text("unfused", what);
    }
    /// The best of a library's candidates, compared with ours.
    void peer(const std::string& library, const std::vector<Candidate>& candidates);
    /// Times all of the above in turn; nothing can be added afterwards. Again, it does nothing.
    void measure();
    /// Our time of a key, once all was measured.
    double us(const std::string& key = "us") const { return us_.at(key); }

    /// Of one launch. Bytes are those of all operands, each once, unless said otherwise.
    void flops(double f) { flops_ = f; }
    void bytes(double b) { bytes_ = b; }
    void number(const std::string& key, double v);
    void text(const std::string& key, const std::string& v);
    std::string row();

private:
    friend Bench;
    std::size_t declare(index_t n, DType type, bool input, float deviation);
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
    void enter(const std::string& name, bool peer, std::function<void(int)> launch);
    void poison();
    void keep_result();
    void compare(const std::string& with);
    std::size_t result() const;

    Bench& bench_;
    std::string name_;
    std::vector<Slot> slots_;
    int launches_ = 0;
    void* kept_ = nullptr;
    double flops_ = 0, bytes_ = 0;
    std::vector<Entry> entries_;
    std::map<std::string, double> us_, peers_;
    double worst_l2_ = 0;
    bool compared_ = false;
    std::string extra_;
};

}  // namespace inlay_bench
