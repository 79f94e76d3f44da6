// SPDX-License-Identifier: Apache-2.0
/// Work captured in CUDA graphs, and how long it takes. The graphs of what is compared are replayed in turn: clocks
/// follow what ran before, and so they are the same for all of them.
#pragma once

#include <inlay/exec/gpu/memory.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace inlay_bench {

/// A graph of `n` launches, launch(i) for i < n. It keeps `launch`, and with it the kernels that `launch` owns.
class Replay {
public:
    Replay(int device, cudaStream_t stream, int n, std::function<void(int)> launch)
        : stream_(stream), launches_(n), launch_(std::move(launch)), begin_(device), end_(device) {
        using inlay::on_gpu::check;
        check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
        cudaGraph_t graph = nullptr;
        try {
            for (int i = 0; i < n; ++i) launch_(i);
        } catch (...) {
            cudaStreamEndCapture(stream_, &graph);
            if (graph) cudaGraphDestroy(graph);
            cudaGetLastError();
            throw;
        }
        check(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
        cudaGraphExec_t exec = nullptr;
        const cudaError_t made = cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphDestroy(graph);
        check(made, "cudaGraphInstantiate");
        exec_.reset(exec);
    }

    int launches() const { return launches_; }
    /// Milliseconds of all launches, for which it waits.
    double run() {
        begin_.record(stream_);
        inlay::on_gpu::check(cudaGraphLaunch(exec_.get(), stream_), "cudaGraphLaunch");
        end_.record(stream_);
        end_.wait();
        return 1e3 * end_.seconds_since(begin_);
    }

private:
    struct Destroy {
        void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
    };

    cudaStream_t stream_;
    int launches_;
    std::function<void(int)> launch_;
    inlay::on_gpu::Event begin_, end_;
    std::unique_ptr<CUgraphExec_st, Destroy> exec_;
};

/// For so long a device is busy before a time counts. A GPU begins at clocks that its power limit does not let it keep:
/// an H200 runs attention at 1.98 GHz for some 40 ms, in 107.5 µs, and 60 ms later at 1.70 GHz, in 115 µs.
/// bench/replay.py has it too.
inline constexpr double settled_ms = 200;

struct Rounds {
    double busy_ms;     ///< before a round counts; the first never does
    int counted;        ///< at most 3 if a round takes over 300 ms
};

/// Replays each once a round. Median microseconds of one launch of each.
inline std::vector<double> in_turn(const std::vector<Replay*>& replays, Rounds rounds) {
    std::vector<std::vector<double>> ms(replays.size());
    double busy = 0;
    for (int counted = 0; counted < rounds.counted;) {
        const bool counts = busy > 0 && busy >= rounds.busy_ms;
        double round = 0;
        for (std::size_t i = 0; i < replays.size(); ++i) {
            const double t = replays[i]->run();
            round += t;
            if (counts) ms[i].push_back(t);
        }
        busy += round;
        counted += counts;
        if (round > 300) rounds.counted = std::min(rounds.counted, 3);
    }
    std::vector<double> us;
    for (std::size_t i = 0; i < replays.size(); ++i) {
        std::sort(ms[i].begin(), ms[i].end());
        us.push_back(1e3 * ms[i][ms[i].size() / 2] / replays[i]->launches());
    }
    return us;
}

}  // namespace inlay_bench
