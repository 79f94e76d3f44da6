// SPDX-License-Identifier: Apache-2.0
/// CUDA graphs: everything that some programs launch, captured once and replayed by one launch.
#pragma once

#include <inlay/exec/cuda.hpp>
#include <inlay/exec/recording.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI {

class Graph {
public:
    Graph() = default;
    /// Loads and captures what `runs.run(cuda)` launches, one after the other: Programs, prepared kernels. Nothing runs
    /// yet. The target and its stream outlive the graph; the tensors stay where they are. If it throws, the stream is
    /// as it was.
    template <class... Runs>
    explicit Graph(Cuda& target, const Runs&... runs) : target_(&target) {
        (target.load(runs), ...);
        capture([&] { (runs.run(target), ...); });
    }
    /// With scratch memory of the caller's, which outlives the graph as the tensors do. It may serve others between two
    /// launches.
    template <class... Runs>
    Graph(Cuda& target, const Workspace& workspace, const Runs&... runs) : target_(&target) {
        (static_cast<void>(target.workspace_bytes(runs)), ...);
        capture([&] { (runs.run(target, workspace), ...); });
    }

    /// On the target's stream.
    void launch() const {
        const on_gpu::OnDevice here(target_->device().index);
        on_gpu::check(cudaGraphLaunch(exec_.get(), target_->stream()), "cudaGraphLaunch");
    }
    /// Kernel nodes.
    std::size_t kernels() const { return kernels_; }

private:
    template <class F>
    void capture(F&& launches) {
        Cuda& target = *target_;
        const on_gpu::OnDevice here(target.device().index);
        const cudaStream_t stream = target.stream();
        on_gpu::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        cudaGraph_t graph = nullptr;
        try {
            launches();
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            if (graph) cudaGraphDestroy(graph);
            cudaGetLastError();
            throw;
        }
        on_gpu::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
        const std::unique_ptr<CUgraph_st, DestroyGraph> captured(graph);
        kernels_ = kernels_of(graph);
        cudaGraphExec_t exec = nullptr;
        on_gpu::check(cudaGraphInstantiate(&exec, graph, 0), "cudaGraphInstantiate");
        exec_.reset(exec);
        on_gpu::check(cudaGraphUpload(exec, stream), "cudaGraphUpload");
    }
    static std::size_t kernels_of(cudaGraph_t graph) {
        std::size_t n = 0;
        on_gpu::check(cudaGraphGetNodes(graph, nullptr, &n), "cudaGraphGetNodes");
        std::vector<cudaGraphNode_t> nodes(n);
        if (n > 0) on_gpu::check(cudaGraphGetNodes(graph, nodes.data(), &n), "cudaGraphGetNodes");
        std::size_t kernels = 0;
        for (const cudaGraphNode_t node : nodes) {
            cudaGraphNodeType type;
            on_gpu::check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
            kernels += type == cudaGraphNodeTypeKernel;
        }
        return kernels;
    }
    struct DestroyGraph {
        void operator()(cudaGraph_t g) const { cudaGraphDestroy(g); }
    };
    struct DestroyExec {
        void operator()(cudaGraphExec_t e) const { cudaGraphExecDestroy(e); }
    };

    Cuda* target_ = nullptr;
    std::unique_ptr<CUgraphExec_st, DestroyExec> exec_;
    std::size_t kernels_ = 0;
};

/// On a GPU a recording is a graph.
template <>
class Recording<Cuda> {
public:
    Recording() = default;
    template <class... Programs>
    explicit Recording(Cuda& target, const Programs&... programs) : graph_(target, programs...) {}
    void run() const { graph_.launch(); }
    std::size_t launches() const { return graph_.kernels(); }

private:
    Graph graph_;
};

}  // namespace inlay::inline INLAY_ABI
