// SPDX-License-Identifier: Apache-2.0
/// Plans of prepared kernels: a run launches what was planned, and what it launches is as right as the first time.
#include <exec/in_parts.hpp>

#include <inlay/exec/program.hpp>
#include <inlay/frame/elementwise.hpp>

#include <algorithm>

namespace {

using namespace inlay;
using namespace inlay_test;

struct by_param : Elementwise<Mul<Buf<0>, Param<0>>> {};
struct twice : Elementwise<Mul<Buf<0>, Const<2.0>>> {};
struct four_parts : Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Tiled<32, 32, 32, 2, 4>> {};

/// Counts the frames that reach it: a plan needs none.
struct Counting : DeviceTarget {
    using DeviceTarget::DeviceTarget;
    int frames = 0, fails = 0;      ///< fails: so many of them, once they have launched

    template <class Schedule, class... A>
    void matmul(const MatmulShape& s, const A&... args) {
        ++frames;
        DeviceTarget::matmul<Schedule>(s, args...);
        if (fails > 0 && fails--) fail("no");
    }
    template <int R, class... A>
    void map(const Extents<R>& e, const A&... args) {
        ++frames;
        DeviceTarget::map(e, args...);
    }
    // Those of the base run frames on the base.
    template <class Runs>
    void load(const Runs& runs) {
        launcher().plan([&] { runs.run(*this); });
    }
    using DeviceTarget::workspace_bytes;
    template <class Runs>
    std::size_t workspace_bytes(const Runs& runs) {
        const on_gpu::Launcher::Measuring here(launcher());
        runs.run(*this);
        return here.bytes();
    }
};

/// A kernel of this type on memory of its own, and its right result.
struct Job {
    InParts s;
    decltype(std::declval<InParts>().kernel()) kernel = s.kernel();
    std::vector<fp16> want;

    Job() {
        kernel.run(executor());
        want = result();
        clear();
    }
    std::vector<fp16> result() {
        s.out.fetch();
        return s.y.v;
    }
    void clear() {
        std::fill(s.y.v.begin(), s.y.v.end(), fp16(0.0f));
        s.out.upload();
    }
    template <class Target>
    bool right_on(Target& gpu) {
        gpu.synchronize();
        const auto got = result();
        clear();
        return std::memcmp(got.data(), want.data(), want.size() * sizeof want[0]) == 0;
    }
};

/// Nodes of what `launches` launches on a stream.
template <class F>
std::size_t captured_nodes(cudaStream_t stream, F&& launches) {
    on_gpu::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    launches();
    cudaGraph_t graph = nullptr;
    on_gpu::check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    std::size_t n = 0;
    on_gpu::check(cudaGraphGetNodes(graph, nullptr, &n), "cudaGraphGetNodes");
    cudaGraphDestroy(graph);
    return n;
}

TEST(Planned, ARunAfterTheFirstDecidesNothing) {
    Counting gpu(0);
    Job job;
    job.kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    const int frames = gpu.frames;
    EXPECT_GE(frames, 1);
    for (int i = 0; i < 3; ++i) {
        job.kernel.run(gpu);
        EXPECT_TRUE(job.right_on(gpu)) << i;
    }
    const auto copy = job.kernel;   // it is the same kernel
    copy.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    EXPECT_EQ(captured_nodes(gpu.stream(), [&] { job.kernel.run(gpu), copy.run(gpu); }), 2u);
    EXPECT_EQ(gpu.frames, frames);
    job.s.kernel().run(gpu);        // and this one another
    EXPECT_TRUE(job.right_on(gpu));
    EXPECT_GT(gpu.frames, frames);
}

TEST(Planned, LoadPlansAndLaunchesNothing) {
    Counting gpu(0);
    Job job;
    gpu.load(job.kernel);
    const int frames = gpu.frames;
    EXPECT_GE(frames, 1);
    gpu.load(job.kernel);
    gpu.synchronize();
    for (const fp16 v : job.result()) ASSERT_EQ(static_cast<float>(v), 0.0f);
    job.kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    EXPECT_EQ(gpu.frames, frames);
}

TEST(Planned, AnotherBindingIsAnotherPlan) {
    DeviceTarget gpu(0);
    auto a = normal<float>(1, 77), b = unwritten<float>(77), c = unwritten<float>(77);
    Placed x(a), y(b), z(c);
    auto kernel = prepare<twice>(*y, *x);
    kernel.run(gpu);
    kernel = prepare<twice>(*z, *y);
    for (int i = 0; i < 2; ++i) kernel.run(gpu);
    gpu.synchronize();
    z.fetch();
    for (std::size_t i = 0; i < a.v.size(); ++i) EXPECT_EQ(c.v[i], 4 * a.v[i]);
}

/// Device memory that is lent, of another content before each run.
struct LentMemory {
    DeviceMemory memory;
    explicit LentMemory(std::size_t bytes) : memory(bytes) {}
    Workspace workspace() {
        on_gpu::check(cudaMemset(memory.data(), 0xa5, memory.size()), "cudaMemset");
        on_gpu::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");    // a target does not wait
        return {memory.data(), memory.size()};
    }
};

TEST(Planned, EachLentMemoryHasPlansOfItsOwn) {
    Counting gpu(0);
    Job job;
    const std::size_t bytes = job.kernel.workspace_bytes(gpu);
    LentMemory first(bytes), second(bytes + 512);
    const auto run_on_all = [&] {
        for (LentMemory* m : {&first, &second}) {
            job.kernel.run(gpu, m->workspace());
            EXPECT_TRUE(job.right_on(gpu));
        }
        // The same memory, less of it: semaphores lie at the end.
        job.kernel.run(gpu, {second.workspace().data, bytes});
        EXPECT_TRUE(job.right_on(gpu));
        job.kernel.run(gpu);
        EXPECT_TRUE(job.right_on(gpu));
    };
    run_on_all();
    const int frames = gpu.frames;
    run_on_all();
    EXPECT_EQ(gpu.frames, frames);
}

/// A kernel that needs no scratch memory has one plan, whatever is lent.
TEST(Planned, MemoryThatIsNotNeededChangesNoPlan) {
    Counting gpu(0);
    auto a = normal<float>(1, 77), b = unwritten<float>(77);
    Placed x(a), y(b);
    const auto kernel = prepare<twice>(*y, *x);
    kernel.run(gpu);
    LentMemory memory(256);
    kernel.run(gpu, memory.workspace());
    kernel.run(gpu, {});
    EXPECT_EQ(gpu.frames, 1);
    gpu.synchronize();
}

TEST(Planned, PlansStayRightWhenTheWorkspaceGrows) {
    Counting gpu(0);
    Job job;
    job.kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    const int frames = gpu.frames;
    gpu.launcher().workspace(8 << 20);
    gpu.launcher().semaphores(1 << 16);
    for (int i = 0; i < 2; ++i) {
        job.kernel.run(gpu);
        EXPECT_TRUE(job.right_on(gpu));
    }
    EXPECT_EQ(gpu.frames, frames);
}

/// `workspace_bytes` allocates nothing, so the plan waits for memory; then it is as any other.
TEST(Planned, MeasuringIsNoRun) {
    Counting gpu(0);
    Job job;
    EXPECT_GT(job.kernel.workspace_bytes(gpu), 0u);
    EXPECT_EQ(gpu.workspace_bytes(), 0u);
    const int measured = gpu.frames;
    EXPECT_GT(job.kernel.workspace_bytes(gpu), 0u);
    EXPECT_EQ(gpu.frames, measured);
    job.kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    const int frames = gpu.frames;
    job.kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    EXPECT_EQ(gpu.frames, frames);
}

TEST(Planned, InACaptureWhereNoMemoryHasToGrow) {
    DeviceTarget gpu(0);
    Job job;
    auto a = normal<float>(1, 77), b = unwritten<float>(77);
    Placed x(a), y(b);
    const auto other = prepare<twice>(*y, *x);
    other.run(executor());      // the driver loads its code outside of a capture
    wait();
    EXPECT_EQ(captured_nodes(gpu.stream(), [&] { other.run(gpu); }), 1u);
    // Memory that another kernel has left suffices.
    gpu.launcher().workspace(1 << 20);
    gpu.launcher().semaphores(1 << 10);
    EXPECT_EQ(captured_nodes(gpu.stream(), [&] { job.kernel.run(gpu); }), 1u);
    job.kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
}

TEST(Planned, ErrorsLeaveNoPlan) {
    Counting gpu(0);
    Job job;
    for (int failures : {1, 2}) {
        const auto kernel = job.s.kernel();
        gpu.fails = failures;
        for (int i = 0; i < failures; ++i) EXPECT_EQ(sentence([&] { kernel.run(gpu); }), "inlay: no");
        kernel.run(gpu);
        EXPECT_TRUE(job.right_on(gpu));
        EXPECT_EQ(captured_nodes(gpu.stream(), [&] { kernel.run(gpu); }), 1u);
    }
    const auto kernel = job.s.kernel();
    gpu.fails = 1;
    EXPECT_EQ(sentence([&] { gpu.load(kernel); }), "inlay: no");
    job.kernel.run(gpu);            // it launches again
    EXPECT_TRUE(job.right_on(gpu));
    kernel.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    const auto nowhere = prepare<twice>(Tensor<float, 1>(nullptr, {{7}}), Tensor<float, 1>(nullptr, {{7}}));
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(sentence([&] { nowhere.run(gpu); }), "inlay: twice: output 0 [7] is null");
}

TEST(Planned, FollowsTheStreamOfItsLauncher) {
    cudaStream_t other = nullptr;
    on_gpu::check(cudaStreamCreate(&other), "cudaStreamCreate");
    {
        DeviceTarget gpu(0);
        Job job;
        const cudaStream_t own = gpu.stream();
        job.kernel.run(gpu);
        EXPECT_TRUE(job.right_on(gpu));
        gpu.launcher().stream(other);
        EXPECT_EQ(captured_nodes(other, [&] { job.kernel.run(gpu); }), 1u);
        job.kernel.run(gpu);
        EXPECT_TRUE(job.right_on(gpu));
        gpu.launcher().stream(own);
    }
    cudaStreamDestroy(other);
}

/// A scalar by pointer is read by each run, one by value is the one that was prepared.
TEST(Planned, ScalarsAreReadAsBefore) {
    DeviceTarget gpu(0);
    auto a = normal<float>(1, 77), b = unwritten<float>(77), f = unwritten<float>(1);
    f.v[0] = 3;
    Placed x(a), y(b), factor(f);
    const auto live = prepare<by_param>(*y, *x, (*factor).data), baked = prepare<by_param>(*y, *x, 5.0f);
    const auto expect = [&](const auto& kernel, float by) {
        kernel.run(gpu);
        gpu.synchronize();
        y.fetch();
        for (std::size_t i = 0; i < a.v.size(); ++i) ASSERT_EQ(b.v[i], by * a.v[i]) << by;
    };
    expect(live, 3);
    expect(baked, 5);
    f.v[0] = 7;
    factor.upload();
    expect(live, 7);
    expect(baked, 5);
}

TEST(Planned, AProgramDecidesOnce) {
    Counting gpu(0);
    Job job;
    Program<Counting> program;
    program.add<four_parts>("few", *job.s.out, *job.s.weight, *job.s.in, *job.s.bias);
    for (int i = 0; i < 3; ++i) program.add<in_parts>("many", *job.s.out, *job.s.weight, *job.s.in, *job.s.bias);
    program.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    const int frames = gpu.frames;
    program.run(gpu);
    EXPECT_TRUE(job.right_on(gpu));
    LentMemory memory(program.workspace_bytes(gpu));
    EXPECT_EQ(gpu.frames, frames);
    program.run(gpu, memory.workspace());
    EXPECT_TRUE(job.right_on(gpu));
    const int lent = gpu.frames;
    EXPECT_EQ(lent, frames + 4);
    program.run(gpu, memory.workspace());
    EXPECT_TRUE(job.right_on(gpu));
    EXPECT_EQ(gpu.frames, lent);
}

/// One prepared kernel on targets of several threads, which plan it each for itself.
TEST(Planned, OneKernelOnTargetsOfSeveralThreads) {
    Job job;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> team;
    for (int i = 0; i < 4; ++i)
        team.emplace_back([&] {
            Counting gpu(0);
            for (int k = 0; k < 5; ++k) job.kernel.run(gpu);
            gpu.synchronize();
            const int frames = gpu.frames;
            const std::size_t nodes = captured_nodes(gpu.stream(), [&] { job.kernel.run(gpu); });
            wrong += frames < 1 || gpu.frames != frames || nodes != 1;
        });
    for (auto& t : team) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(job.right_on(executor()));
}

}  // namespace
