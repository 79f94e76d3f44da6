// SPDX-License-Identifier: Apache-2.0
/// Several host threads, each with a target of its own, on one device and on two; what 200 repetitions leave behind.
#include <frame/work.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/exec/program.hpp>

#include <memory>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(Several, TargetsOfOneDevice) {
    Cuda first(0), second(0), third(0);
    expect_as_alone(3, [&](int i) -> Cuda& { return i == 0 ? first : i == 1 ? second : third; });
}

TEST(Several, MadeAnewByTheirThreads) {
    thread_local std::unique_ptr<Cuda> own;
    expect_as_alone(2, [&](int) -> Cuda& { return *(own = std::make_unique<Cuda>(0)); });
}

TEST(Several, Devices) {
    if (on_gpu::device_count() < 2) GTEST_SKIP() << "there is one GPU";
    const Work work(1);
    const auto alone = work.results(executor());
    const on_gpu::OnDevice there(1);
    Cuda second(1);
    EXPECT_EQ(work.results(second), alone);
}

/// Bytes in use on the device. Kernels are loaded and pools grown by what ran before.
std::size_t used() {
    on_gpu::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::size_t free = 0, total = 0;
    on_gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return total - free;
}

TEST(Leaks, RunsKeepNothing) {
    const Work work(1);
    for (int i = 0; i < 3; ++i) work.results(executor());
    const std::size_t before = used();
    for (int i = 0; i < 200; ++i) work.results(executor());
    EXPECT_EQ(used(), before);
}

TEST(Leaks, TargetsAndGraphsGiveAllBack) {
    auto x = normal<float>(1, 9, 640), w = normal<float>(2, 24, 640), y = unwritten<float>(9, 24);
    Placed in(x), weight(w), out(y);
    const auto once = [&] {
        Cuda gpu(0);
        Program<Cuda> program;
        program.add<Work::product>("product", *out, *weight, *in);
        const Graph graph(gpu, program);
        graph.launch();
        gpu.synchronize();
    };
    for (int i = 0; i < 10; ++i) once();
    const std::size_t before = used();
    for (int i = 0; i < 200; ++i) once();
    EXPECT_EQ(used(), before);
}

}  // namespace
