// SPDX-License-Identifier: Apache-2.0
/// Runs the tests of the GPU, or skips each of them, by name, where there is none.
#if defined(__HIP__)
#include <inlay/tile/hip/runtime/devices.hpp>
#else
#include <inlay/tile/cuda/runtime/devices.hpp>
#endif

#include <gtest/gtest.h>

#include <string>

namespace {

/// Skips in a global environment would count as passed.
class WithoutDevice : public ::testing::EmptyTestEventListener {
public:
    explicit WithoutDevice(std::string why) : why_(std::move(why)) {}
    void OnTestStart(const ::testing::TestInfo&) override { GTEST_SKIP() << why_; }

private:
    std::string why_;
};

}  // namespace

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    try {
        inlay::on_gpu::device_count();
    } catch (const inlay::Error& e) {
        ::testing::UnitTest::GetInstance()->listeners().Append(new WithoutDevice(e.what()));
    }
    return RUN_ALL_TESTS();
}
