// SPDX-License-Identifier: Apache-2.0
/// Dry runs, workspace, semaphores, captures and graphs.
#include <kernel/work.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/kernel/elementwise.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct twice : Elementwise<Mul<Buf<0>, Const<2.0>>> {};
/// Long sums of few outputs, in 8 parts: they need workspace and semaphores.
struct in_parts : Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Tiled<32, 32, 32, 2, 8>> {};

struct Split {
    Array<half, 2> x = normal<half>(1, 40, 2048), w = gaussian<half>(2, 0, 0.02, 48, 2048), y = unwritten<half>(40, 48);
    Array<half, 1> b = normal<half>(3, 48);
    Placed<half, 2> in{x}, weight{w}, out{y};
    Placed<half, 1> bias{b};
    auto kernel() { return prepare<in_parts>(*out, *weight, *in, *bias); }
};

TEST(Launcher, DryRunsMeasureAndLaunchNothing) {
    Cuda gpu(0);
    Split s;
    const auto k = s.kernel();
    EXPECT_EQ(gpu.workspace_bytes(), 0u);
    gpu.load(k);
    EXPECT_GE(gpu.workspace_bytes(), 40u * 48 * 7 * sizeof(float));
    gpu.synchronize();
    s.out.fetch();
    for (const half v : s.y.v) EXPECT_TRUE(std::isnan(static_cast<float>(v)));
    const std::size_t before = gpu.workspace_bytes();
    k.run(gpu);
    k.run(gpu);
    gpu.synchronize();
    EXPECT_EQ(gpu.workspace_bytes(), before);
    s.out.fetch();
    for (const half v : s.y.v) EXPECT_FALSE(std::isnan(static_cast<float>(v)));
}

TEST(Launcher, SemaphoresAreZeroAfterEveryRun) {
    Cuda gpu(0);
    Split s;
    const auto k = s.kernel();
    std::vector<std::uint32_t> left(64, 1);
    for (int i = 0; i < 3; ++i) {
        k.run(gpu);
        cuda::check(cudaMemcpyAsync(left.data(), gpu.launcher().semaphores(left.size()),
                                    left.size() * sizeof left[0], cudaMemcpyDeviceToHost, gpu.stream()),
                    "cudaMemcpyAsync");
        gpu.synchronize();
        for (const std::uint32_t v : left) EXPECT_EQ(v, 0u);
    }
}

TEST(Launcher, WithoutWorkspaceACaptureFailsAndTheStreamGoesOn) {
    Cuda gpu(0);
    Split s;
    const auto k = s.kernel();
    cuda::check(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    EXPECT_NE(sentence([&] { k.run(gpu); }).find("was not reserved before the capture"), std::string::npos);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(gpu.stream(), &graph);
    if (graph) cudaGraphDestroy(graph);
    k.run(gpu);
    gpu.synchronize();
    s.out.fetch();
    for (const half v : s.y.v) EXPECT_FALSE(std::isnan(static_cast<float>(v)));
}

TEST(Launcher, GrowingKeepsTheWorkspaceOfGraphs) {
    Cuda gpu(0);
    Split s;
    const auto k = s.kernel();
    const Graph graph(gpu, k);
    k.run(gpu);
    gpu.synchronize();
    s.out.fetch();
    const auto want = s.y.v;
    gpu.launcher().workspace(64 << 20);
    gpu.launcher().semaphores(1 << 20);
    for (int i = 0; i < 2; ++i) {
        std::fill(s.y.v.begin(), s.y.v.end(), half(0.0f));
        s.out.upload();
        graph.launch();
        gpu.synchronize();
        s.out.fetch();
        EXPECT_EQ(std::memcmp(s.y.v.data(), want.data(), want.size() * sizeof want[0]), 0);
    }
}

TEST(Graph, ReplaysWhatItsProgramsLaunch) {
    Cuda gpu(0);
    Split s;
    auto a = normal<float>(1, 3, 77), b = unwritten<float>(3, 77), c = unwritten<float>(3, 77);
    Placed x(a), y(b), z(c);
    Program<Cuda> first, second;
    first.add<twice>("a", *y, *x);
    first.add<in_parts>("b", *s.out, *s.weight, *s.in, *s.bias);
    second.add<twice>("c", *z, *y);
    const Graph graph(gpu, first, second);
    EXPECT_EQ(graph.kernels(), 3u);
    gpu.synchronize();
    z.fetch();
    for (const float v : c.v) EXPECT_TRUE(std::isnan(v));  // nothing has run yet
    for (const float by : {1.0f, 3.0f}) {
        for (float& v : a.v) v *= by;
        x.upload();
        graph.launch();
        gpu.synchronize();
        z.fetch();
        for (std::size_t i = 0; i < a.v.size(); ++i) EXPECT_EQ(c.v[i], 4 * a.v[i]);
    }
}

TEST(Graph, AnErrorLeavesTheStreamAsItWas) {
    struct Fails {
        const decltype(std::declval<Split>().kernel())& kernel;
        void run(Cuda& gpu) const {
            kernel.run(gpu);
            if (!gpu.launcher().dry()) fail("no");
        }
    };
    Cuda gpu(0);
    Split s;
    const auto k = s.kernel();
    EXPECT_THROW(Graph(gpu, Fails{k}), Error);
    k.run(gpu);
    gpu.synchronize();
    s.out.fetch();
    for (const half v : s.y.v) EXPECT_FALSE(std::isnan(static_cast<float>(v)));
}

// On a stream of the caller's, kernels are ordered by it.
TEST(Cuda, RunsOnTheCallersStream) {
    cudaStream_t stream;
    cuda::check(cudaStreamCreate(&stream), "cudaStreamCreate");
    {
        Cuda gpu(0, stream);
        EXPECT_EQ(gpu.stream(), stream);
        auto a = normal<float>(1, 5000), b = unwritten<float>(5000);
        Placed x(a), y(b);
        prepare<twice>(*y, *x).run(gpu);
        cuda::check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        y.fetch();
        for (std::size_t i = 0; i < a.v.size(); ++i) EXPECT_EQ(b.v[i], 2 * a.v[i]);
    }
    cudaStreamDestroy(stream);
}

}  // namespace
