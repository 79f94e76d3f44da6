// SPDX-License-Identifier: Apache-2.0
/// Runs the tests of the GPU, or skips every one of them, by name, where there is none.
#include <inlay/tile/cuda/devices.hpp>

#include <gtest/gtest.h>

namespace {

struct NeedsDevice : ::testing::Environment {
    void SetUp() override {
        try {
            inlay::cuda::device_count();
        } catch (const inlay::Error& e) {
            GTEST_SKIP() << e.what();
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    ::testing::AddGlobalTestEnvironment(new NeedsDevice);
    return RUN_ALL_TESTS();
}
