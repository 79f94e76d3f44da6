// SPDX-License-Identifier: Apache-2.0
#include <exec/in_parts.hpp>

#include <inlay/exec/graph.hpp>
#include <inlay/exec/program.hpp>
#include <inlay/frame/elementwise.hpp>

#include <cmath>

namespace {

using namespace inlay;
using namespace inlay_test;

static_assert(Target<DeviceTarget>);  // of the emulator, too, which compiles this file

struct twice : Elementwise<Mul<Buf<0>, Const<2.0>>> {};
struct one_more : Elementwise<Add<Buf<0>, Const<1.0>>> {};

TEST(Graph, ReplaysWhatItsProgramsLaunch) {
    DeviceTarget gpu(0);
    InParts s;
    auto a = normal<float>(1, 3, 77), b = unwritten<float>(3, 77), c = unwritten<float>(3, 77);
    Placed x(a), y(b), z(c);
    Program<DeviceTarget> first, second;
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

/// Kernels begin while the one before them writes what they read, and reads what they overwrite.
TEST(Graph, KernelsOfAChainOverlapAndStayInOrder) {
    DeviceTarget gpu(0);
    auto a = normal<float>(1, 61, 517), b = unwritten<float>(61, 517);
    for (float& v : a.v) v = std::round(8 * v);
    Placed x(a), y(b);
    Program<DeviceTarget> chain;
    for (int i = 0; i < 50; ++i) {
        chain.add<one_more>("there", *y, *x);
        chain.add<one_more>("back", *x, *y);
    }
    const Graph graph(gpu, chain);
    const auto before = a.v;
    for (int i = 0; i < 3; ++i) graph.launch();
    gpu.synchronize();
    x.fetch();
    for (std::size_t i = 0; i < a.v.size(); ++i) ASSERT_EQ(a.v[i], before[i] + 300) << i;
}

TEST(Graph, AnErrorLeavesTheStreamAsItWas) {
    struct Fails {
        const decltype(std::declval<InParts>().kernel())& kernel;
        void run(DeviceTarget& gpu) const {
            kernel.run(gpu);
            if (!gpu.launcher().dry()) fail("no");
        }
    };
    DeviceTarget gpu(0);
    InParts s;
    const auto k = s.kernel();
    EXPECT_THROW(Graph(gpu, Fails{k}), Error);
    k.run(gpu);
    gpu.synchronize();
    EXPECT_EQ(s.unwritten_elements(), 0u);
}

// A recording's target type says what it is; the graph keeps what it needs of the programs.
TEST(Graph, IsTheRecordingOfAGpu) {
    DeviceTarget gpu(0);
    auto a = normal<float>(1, 77), b = unwritten<float>(77);
    Placed x(a), y(b);
    Recording<DeviceTarget> recording;
    EXPECT_EQ(recording.launches(), 0u);
    {
        Program<DeviceTarget> program;
        program.add<twice>("a", *y, *x);
        program.add<twice>("b", *y, *y);
        recording = Recording<DeviceTarget>(gpu, program, program);
    }
    EXPECT_EQ(recording.launches(), 4u);
    recording.run();
    gpu.synchronize();
    y.fetch();
    for (std::size_t i = 0; i < a.v.size(); ++i) EXPECT_EQ(b.v[i], 4 * a.v[i]);
}

}  // namespace
