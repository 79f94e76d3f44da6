// SPDX-License-Identifier: Apache-2.0
/// Dry runs, workspace, semaphores and captures; workspace that is the caller's.
#include <exec/in_parts.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/frame/elementwise.hpp>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Launcher, DryRunsMeasureAndLaunchNothing) {
    DeviceTarget gpu(0);
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
    DeviceTarget gpu(0);
    InParts s;
    const auto k = s.kernel();
    std::vector<std::uint32_t> left(64, 1);
    for (int i = 0; i < 3; ++i) {
        k.run(gpu);
        on_gpu::check(cudaMemcpyAsync(left.data(), gpu.launcher().semaphores(left.size()),
                                       left.size() * sizeof left[0], cudaMemcpyDeviceToHost, gpu.stream()),
                       "cudaMemcpyAsync");
        gpu.synchronize();
        for (const std::uint32_t v : left) EXPECT_EQ(v, 0u);
    }
}

TEST(Launcher, WithoutWorkspaceACaptureFailsAndTheStreamGoesOn) {
    DeviceTarget gpu(0);
    InParts s;
    const auto k = s.kernel();
    on_gpu::check(cudaStreamBeginCapture(gpu.stream(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    EXPECT_NE(sentence([&] { k.run(gpu); }).find("was not reserved before the capture"), std::string::npos);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(gpu.stream(), &graph);
    if (graph) cudaGraphDestroy(graph);
    k.run(gpu);
    gpu.synchronize();
    EXPECT_EQ(s.unwritten_elements(), 0u);
}

TEST(Launcher, GrowingKeepsTheWorkspaceOfGraphs) {
    DeviceTarget gpu(0);
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

/// Device memory that is there, exactly as much as is requested, with bytes that are no zeros.
struct Given {
    void* memory = nullptr;
    std::size_t bytes;
    explicit Given(std::size_t n) : bytes(n) {
        on_gpu::check(cudaMalloc(&memory, n), "cudaMalloc");
        fill();
    }
    ~Given() { cudaFree(memory); }
    void fill() { on_gpu::check(cudaMemset(memory, 0xa5, bytes), "cudaMemset"); }
    Workspace workspace() const { return {memory, bytes}; }
};
std::size_t free_memory() {
    std::size_t free = 0, total = 0;
    on_gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
}
struct whole_sums : inlay::Linear<inlay::Buf<0>, inlay::Add<inlay::Out, inlay::Buf<1>>> {};

TEST(Workspace, OfTheCallerIsAllThatARunTakes) {
    cudaStream_t stream = nullptr;
    on_gpu::check(cudaStreamCreate(&stream), "cudaStreamCreate");
    {
        InParts s;
        DeviceTarget gpu(0, stream);
        const auto k = s.kernel();
        k.run(gpu);
        gpu.synchronize();
        s.out.fetch();
        const auto want = s.y.v;

        DeviceTarget other(0, stream);
        const std::size_t bytes = k.workspace_bytes(other);
        EXPECT_GE(bytes, 40u * 48 * 7 * sizeof(float) + sizeof(std::uint32_t));
        EXPECT_EQ(bytes % Workspace::alignment, 0u);
        Given given(bytes);
        const std::size_t free = free_memory();
        for (int i = 0; i < 3; ++i) {
            std::fill(s.y.v.begin(), s.y.v.end(), fp16(0.0f));
            s.out.upload();
            given.fill();   // others may have had it
            k.run(other, given.workspace());
            other.synchronize();
            s.out.fetch();
            EXPECT_EQ(std::memcmp(s.y.v.data(), want.data(), want.size() * sizeof want[0]), 0) << i;
        }
        EXPECT_EQ(free_memory(), free);
        EXPECT_EQ(other.workspace_bytes(), 0u);     // it owns none
    }
    cudaStreamDestroy(stream);
}

TEST(Workspace, OfTheCallerInACapture) {
    DeviceTarget gpu(0), other(0);
    InParts s;
    const auto k = s.kernel();
    k.run(gpu);
    gpu.synchronize();
    s.out.fetch();
    const auto want = s.y.v;
    Given given(k.workspace_bytes(other));
    const Graph graph(other, given.workspace(), k, k);
    EXPECT_EQ(graph.kernels(), 2u);
    for (int i = 0; i < 2; ++i) {
        std::fill(s.y.v.begin(), s.y.v.end(), fp16(0.0f));
        s.out.upload();
        given.fill();
        graph.launch();
        other.synchronize();
        s.out.fetch();
        EXPECT_EQ(std::memcmp(s.y.v.data(), want.data(), want.size() * sizeof want[0]), 0) << i;
    }
    EXPECT_EQ(other.workspace_bytes(), 0u);
}

TEST(Workspace, OfAProgramIsSharedByItsKernels) {
    DeviceTarget gpu(0);
    InParts s, of_program;
    Program<DeviceTarget> program;
    for (int i = 0; i < 3; ++i)
        program.add<in_parts>("layer", *of_program.out, *of_program.weight, *of_program.in, *of_program.bias);
    program.add<whole_sums>("whole", *of_program.out, *of_program.weight, *of_program.in, *of_program.bias);
    program.add<in_parts>("layer", *of_program.out, *of_program.weight, *of_program.in, *of_program.bias);
    const auto k = s.kernel();
    const auto whole = prepare<whole_sums>(*s.out, *s.weight, *s.in, *s.bias);
    EXPECT_GE(program.workspace_bytes(gpu), std::max(k.workspace_bytes(gpu), whole.workspace_bytes(gpu)));
    EXPECT_LE(program.workspace_bytes(gpu), k.workspace_bytes(gpu) + whole.workspace_bytes(gpu));
    Given given(program.workspace_bytes(gpu));
    program.run(gpu, given.workspace());
    k.run(gpu, given.workspace());
    gpu.synchronize();
    s.out.fetch();
    of_program.out.fetch();
    EXPECT_EQ(std::memcmp(s.y.v.data(), of_program.y.v.data(), s.y.v.size() * sizeof s.y.v[0]), 0);
    EXPECT_EQ(gpu.workspace_bytes(), 0u);
}

TEST(Workspace, SaysWhatIsWrongBeforeAnythingRuns) {
    DeviceTarget gpu(0);
    InParts s;
    const auto k = s.kernel();
    const std::size_t bytes = k.workspace_bytes(gpu);
    Given given(bytes + Workspace::alignment);
    char* const memory = static_cast<char*>(given.memory);
    const std::string n = std::to_string(bytes);
    EXPECT_EQ(sentence([&] { k.run(gpu, {memory, bytes - 1}); }),
              "inlay: in_parts: the workspace has " + std::to_string(bytes - 1) + " bytes, expected " + n +
                  " (workspace_bytes says how many)");
    EXPECT_EQ(sentence([&] { k.run(gpu, {nullptr, bytes}); }),
              "inlay: in_parts: the workspace is null, expected " + n + " bytes");
    EXPECT_EQ(sentence([&] { k.run(gpu, {memory + 16, bytes}); }),
              "inlay: in_parts: the workspace begins 16 bytes behind a multiple of 256, expected an aligned address");
    Program<DeviceTarget> program;
    program.add<in_parts>("layer", *s.out, *s.weight, *s.in, *s.bias);
    EXPECT_EQ(sentence([&] { program.run(gpu, {}); }),
              "inlay: a program: the workspace has 0 bytes, expected " + n + " (workspace_bytes says how many)");
    gpu.synchronize();
    EXPECT_EQ(s.unwritten_elements(), s.y.v.size());
    k.run(gpu);     // and its own workspace serves as before
    gpu.synchronize();
    EXPECT_EQ(s.unwritten_elements(), 0u);
}

TEST(Workspace, AKernelThatNeedsNoneTakesNone) {
    DeviceTarget gpu(0);
    InParts s;
    auto k = prepare<Elementwise<Mul<Buf<0>, Const<2.0>>>>(*s.out, *s.out);
    EXPECT_EQ(k.workspace_bytes(gpu), 0u);
    k.run(gpu, {});
    gpu.synchronize();
}

}  // namespace
