// SPDX-License-Identifier: Apache-2.0
/// Devices that cannot be used and memory that is not there: one sentence each. What the driver decides when a process
/// starts is checked in other processes: device_check, built for this device and for another architecture.
#include <frame/check.hpp>

#include <inlay/frame/elementwise.hpp>

#include <cstdio>
#include <filesystem>

namespace {

using namespace inlay;
using namespace inlay_test;

struct copy : Elementwise<Buf<0>> {};

/// The output of a program beside this one.
std::string output(const std::string& environment, const std::string& program) {
    const auto path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / program;
    if (!std::filesystem::exists(path)) return "no " + path.string();
    std::string text;
    if (FILE* pipe = popen((environment + " " + path.string() + " 2>&1").c_str(), "r")) {
        char line[512];
        while (std::fgets(line, sizeof line, pipe)) text += line;
        pclose(pipe);
    }
    return text;
}

TEST(Errors, NumbersOfDevicesThatAreNotThere) {
    const int n = on_gpu::device_count();
    EXPECT_NE(sentence([&] { Cuda gpu(n); }).find("no CUDA device " + std::to_string(n)), std::string::npos);
    EXPECT_NE(sentence([] { Cuda gpu(-1); }).find("no CUDA device -1"), std::string::npos);
}

TEST(Errors, DevicesTakenAway) {
    EXPECT_EQ(output("", "device_check"), "usable\n");
    for (const std::string visible : {"", "-1"})
        EXPECT_EQ(output("CUDA_VISIBLE_DEVICES=" + visible, "device_check"),
                  "inlay: no CUDA device: CUDA_VISIBLE_DEVICES='" + visible + "' leaves none\n");
}

TEST(Errors, ArchitecturesWithoutCode) {
    EXPECT_EQ(output("", "device_check_other").find("inlay: this binary has no code for CUDA device 0 (sm_"), 0u)
        << output("", "device_check_other");
}

TEST(Errors, OutOfMemorySaysHowMuchWasAskedFor) {
    const char* asked = "out of memory: 4194304 MB were asked for on CUDA device 0, which has";
    constexpr std::size_t much = std::size_t(1) << 42;
    EXPECT_NE(sentence([] { DeviceMemory all(much); }).find(asked), std::string::npos);
    Cuda gpu(0);
    EXPECT_NE(sentence([&] { gpu.launcher().workspace(much); }).find(asked), std::string::npos);
    // Nothing is left of it for the next call.
    const auto a = normal<float>(1, 77);
    auto b = unwritten<float>(77);
    EXPECT_NE(gpu.launcher().workspace(1000), nullptr);
    execute<copy>(gpu, *b, *a);
    EXPECT_EQ(a.v, b.v);
}

}  // namespace
