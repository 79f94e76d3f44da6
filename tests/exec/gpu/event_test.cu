// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/exec/gpu/event.hpp>

namespace {

using namespace inlay;
using namespace inlay_test;

TEST(DeviceEvent, IsAhead) { static_assert(DeviceEvent::ahead && std::is_same_v<DeviceTarget::Mark, DeviceEvent>); }

TEST(DeviceEvent, WaitsForNothingBeforeItIsSet) {
    DeviceTarget gpu(0);
    EXPECT_NO_THROW(DeviceEvent(gpu).wait());
}

TEST(DeviceEvent, MeasuresTheWorkBetween) {
    DeviceTarget gpu(0);
    const DeviceMemory memory = gpu.allocate(std::size_t(256) << 20);
    DeviceEvent start(gpu), little(gpu), much(gpu);
    gpu.zero(memory.data(), memory.size());
    start.set();
    gpu.zero(memory.data(), memory.size());
    little.set();
    for (int i = 0; i < 40; ++i) gpu.zero(memory.data(), memory.size());
    much.set();
    much.wait();
    const double one = little.seconds_since(start), forty = much.seconds_since(little);
    EXPECT_GT(one, 0);
    EXPECT_GT(forty, 10 * one);
    EXPECT_NEAR(much.seconds_since(start), one + forty, 1e-4);
    // Set again, it is the later moment.
    start.set();
    start.wait();
    EXPECT_GT(start.seconds_since(much), 0);
}

TEST(DeviceEvent, WaitsForTheWorkBeforeIt) {
    DeviceTarget gpu(0);
    const DeviceMemory memory = gpu.allocate(std::size_t(256) << 20);
    DeviceEvent mark(gpu);
    for (int i = 0; i < 40; ++i) gpu.zero(memory.data(), memory.size());
    mark.set();
    mark.wait();
    EXPECT_EQ(cudaStreamQuery(gpu.stream()), cudaSuccess);
}

// Time since a moment that was never set is an error, and not a number.
TEST(DeviceEvent, NoTimeSinceAMarkThatWasNotSet) {
    DeviceTarget gpu(0);
    DeviceEvent unset(gpu), mark(gpu);
    mark.set();
    mark.wait();
    EXPECT_THROW(mark.seconds_since(unset), on_gpu::CudaError);
    EXPECT_NO_THROW(gpu.synchronize());
}

}  // namespace
