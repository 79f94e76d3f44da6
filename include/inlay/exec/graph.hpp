// SPDX-License-Identifier: Apache-2.0
/// Graphs of a GPU's runtime: everything that some programs launch, captured once and replayed by one launch.
#pragma once

#include <inlay/exec/gpu/target.hpp>
#include <inlay/exec/recording.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

class Graph {
public:
    Graph() = default;
    /// Loads and captures what `runs.run(target)` launches, one after the other: Programs, prepared kernels. Nothing
    /// runs yet. The target and its stream outlive the graph; the tensors stay where they are. If it throws, the stream
    /// is as it was.
    template <class... Runs>
    explicit Graph(DeviceTarget& target, const Runs&... runs) : target_(&target) {
        (target.load(runs), ...);
        capture([&] { (runs.run(target), ...); });
    }
    /// With scratch memory of the caller's, which outlives the graph as the tensors do. It may serve others between two
    /// launches.
    template <class... Runs>
    Graph(DeviceTarget& target, const Workspace& workspace, const Runs&... runs) : target_(&target) {
        (static_cast<void>(target.workspace_bytes(runs)), ...);
        capture([&] { (runs.run(target, workspace), ...); });
    }

    /// On the target's stream.
    void launch() const {
        const on_gpu::OnDevice here(target_->device().index);
        on_gpu::api::launch(exec_.get(), target_->stream());
    }
    /// Kernel nodes.
    std::size_t kernels() const { return kernels_; }

private:
    template <class F>
    void capture(F&& launches) {
        DeviceTarget& target = *target_;
        const on_gpu::OnDevice here(target.device().index);
        const on_gpu::Stream stream = target.stream();
        on_gpu::api::begin_capture(stream);
        try {
            launches();
        } catch (...) {
            on_gpu::api::end_capture(stream);
            throw;
        }
        const Owned<on_gpu::GraphHandle> graph(on_gpu::api::captured(stream));
        kernels_ = on_gpu::api::kernels_of(graph.get());
        exec_.reset(on_gpu::api::instantiate(graph.get()));
        on_gpu::api::upload(exec_.get(), stream);
    }
    struct End {
        template <class Handle>
        void operator()(Handle h) const {
            on_gpu::api::end_graph(h);
        }
    };
    template <class Handle>
    using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, End>;

    DeviceTarget* target_ = nullptr;
    Owned<on_gpu::GraphExecHandle> exec_;
    std::size_t kernels_ = 0;
};

/// On a GPU a recording is a graph.
template <>
class Recording<DeviceTarget> {
public:
    Recording() = default;
    template <class... Programs>
    explicit Recording(DeviceTarget& target, const Programs&... programs) : graph_(target, programs...) {}
    void run() const { graph_.launch(); }
    std::size_t launches() const { return graph_.kernels(); }

private:
    Graph graph_;
};

}  // namespace inlay::inline INLAY_ABI
