// SPDX-License-Identifier: Apache-2.0
/// Runs the tests of the GPU, or skips every one of them, by name, where there is none.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace {

struct NeedsDevice : ::testing::Environment {
    void SetUp() override {
        int devices = 0;
        const cudaError_t code = cudaGetDeviceCount(&devices);
        if (code != cudaSuccess) GTEST_SKIP() << "no GPU: " << cudaGetErrorString(code);
        if (devices == 0) GTEST_SKIP() << "no GPU";
    }
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    ::testing::AddGlobalTestEnvironment(new NeedsDevice);
    return RUN_ALL_TESTS();
}
