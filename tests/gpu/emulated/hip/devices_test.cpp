// SPDX-License-Identifier: Apache-2.0
/// Devices and launches of HIP's runtime.
#include <gpu/emulated/check.hpp>

#include <exec/sentence.hpp>

#include <inlay/tile/hip/runtime/devices.hpp>
#include <inlay/tile/hip/runtime/target.hpp>

namespace emulator_test {

#if defined(__gfx942__)
constexpr const char* architecture = "gfx942";
#else
constexpr const char* architecture = "gfx1100";
#endif

TEST(HipDevices, HaveTheNameOfTheirArchitectureAlone) {
    const on_gpu::Device d = usable_device(0);
    EXPECT_STREQ(d.architecture, architecture);     // without ":sramecc+:xnack-"
    EXPECT_EQ(d.warp, emulator::warp_lanes);
    EXPECT_EQ(name_of(d), "emulator");
}
TEST(HipDevices, AreCountedFromZero) {
    const char* const expected = "there is no HIP device 1: devices count from 0, and there is 1";
    EXPECT_SAYS(inlay_test::sentence([] { usable_device(1); }), expected);
}
TEST(HipDevices, AreTargetsOfDecisions) {
    const on_gpu::Device d = usable_device(0);
    const TargetInfo t = target_of(d);
    EXPECT_EQ(t.name, architecture);
    EXPECT_EQ(t.units, d.multiprocessors);
    EXPECT_EQ(t.shared_bytes, 64 * 1024);
    EXPECT_EQ(t.warp, emulator::warp_lanes);
}

__global__ void nothing(int) {}
TEST(HipLaunches, CountThreadsIn32Bits) {
    EXPECT_SAYS(error_of({index_t(1) << 24, 256}, nothing, 0),
                "a kernel of 16777216 blocks of 256 threads is too large to launch: HIP counts threads in 32 bits");
}
TEST(HipLaunches, HaveNoMoreSharedMemoryThanLds) {
    EXPECT_SAYS(error_of({1, 64, 64 * 1024 + 16}, nothing, 0),
                "a kernel needs 65552 bytes of shared memory, the device has 65536");
    EXPECT_EQ(error_of({1, 64, 64 * 1024}, nothing, 0), "");
}
TEST(HipErrors, NameTheCallAndTheError) {
    EXPECT_SAYS(inlay_test::sentence([] { check(hipErrorInvalidValue, "hipMemcpyAsync"); }), "hipMemcpyAsync: ");
}

}  // namespace emulator_test
