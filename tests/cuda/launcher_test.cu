// SPDX-License-Identifier: Apache-2.0
/// Dry runs, workspace, semaphores and captures.
#include <exec/in_parts.hpp>

#include <inlay/exec/graph.hpp>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Launcher, DryRunsMeasureAndLaunchNothing) {
    Cuda gpu(0);
    InParts s;
    const auto k = s.kernel();
    EXPECT_EQ(gpu.workspace_bytes(), 0u);
    gpu.load(k);
    EXPECT_GE(gpu.workspace_bytes(), 40u * 48 * 7 * sizeof(float));
    gpu.synchronize();
    EXPECT_EQ(s.unwritten_elements(), s.y.v.size());
    const std::size_t before = gpu.workspace_bytes();
    k.run(gpu);
    k.run(gpu);
    gpu.synchronize();
    EXPECT_EQ(gpu.workspace_bytes(), before);
    EXPECT_EQ(s.unwritten_elements(), 0u);
}

TEST(Launcher, SemaphoresAreZeroAfterEveryRun) {
    Cuda gpu(0);
    InParts s;
    const auto k = s.kernel();
    std::vector<std::uint32_t> left(64, 1);
    for (int i = 0; i < 3; ++i) {
        k.run(gpu);
        on_cuda::check(cudaMemcpyAsync(left.data(), gpu.launcher().semaphores(left.size()),
                                       left.size() * sizeof left[0], cudaMemcpyDeviceToHost, gpu.stream()),
                       "cudaMemcpyAsync");
        gpu.synchronize();
        for (const std::uint32_t v : left) EXPECT_EQ(v, 0u);
    }
}

TEST(Launcher, WithoutWorkspaceACaptureFailsAndTheStreamGoesOn) {
    Cuda gpu(0);
    InParts s;
    const auto k = s.kernel();
    on_cuda::check(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    EXPECT_NE(sentence([&] { k.run(gpu); }).find("was not reserved before the capture"), std::string::npos);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(gpu.stream(), &graph);
    if (graph) cudaGraphDestroy(graph);
    k.run(gpu);
    gpu.synchronize();
    EXPECT_EQ(s.unwritten_elements(), 0u);
}

TEST(Launcher, GrowingKeepsTheWorkspaceOfGraphs) {
    Cuda gpu(0);
    InParts s;
    const auto k = s.kernel();
    const Graph graph(gpu, k);
    k.run(gpu);
    gpu.synchronize();
    s.out.fetch();
    const auto want = s.y.v;
    gpu.launcher().workspace(64 << 20);
    gpu.launcher().semaphores(1 << 20);
    for (int i = 0; i < 2; ++i) {
        std::fill(s.y.v.begin(), s.y.v.end(), fp16(0.0f));
        s.out.upload();
        graph.launch();
        gpu.synchronize();
        s.out.fetch();
        EXPECT_EQ(std::memcmp(s.y.v.data(), want.data(), want.size() * sizeof want[0]), 0);
    }
}

}  // namespace
