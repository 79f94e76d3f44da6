// SPDX-License-Identifier: Apache-2.0
/// Device memory that plans take, which is counted to the byte here.
#include <exec/in_parts.hpp>

#include <inlay/exec/program.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

struct two_parts : Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Tiled<32, 32, 32, 2, 2>> {};
struct four_parts : Linear<Buf<0>, Add<Out, Buf<1>>, Store<0>, Tiled<32, 32, 32, 2, 4>> {};

std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    on_gpu::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
}

/// A program takes what the neediest of its kernels does, in whichever order they are.
TEST(Scratch, OfAProgramGrowsOnce) {
    InParts s;
    DeviceTarget gpu(0);
    Program<DeviceTarget> program;
    program.add<two_parts>("two", *s.out, *s.weight, *s.in, *s.bias);
    program.add<four_parts>("four", *s.out, *s.weight, *s.in, *s.bias);
    program.add<in_parts>("eight", *s.out, *s.weight, *s.in, *s.bias);
    const std::size_t before = free_bytes();
    gpu.load(program);
    EXPECT_GT(gpu.workspace_bytes(), 0u);
    EXPECT_EQ(before - free_bytes(), gpu.workspace_bytes());
    program.run(gpu);
    program.run(gpu);
    gpu.synchronize();
    EXPECT_EQ(before - free_bytes(), gpu.workspace_bytes());
    EXPECT_EQ(s.unwritten_elements(), 0u);
}

}  // namespace
