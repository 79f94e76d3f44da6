// SPDX-License-Identifier: Apache-2.0
/// Instruction sets of a processor, beside the system's list of its features.
#include <inlay/core/processor.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace inlay;

#if defined(__x86_64__) && defined(__linux__)
TEST(Processor, RunsWhatTheSystemSays) {
    std::set<std::string> features;
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; features.empty() && std::getline(file, line);)
        if (line.starts_with("flags")) {
            std::istringstream words(line);
            for (std::string word; words >> word;) features.insert(word);
        }
    ASSERT_TRUE(features.contains("sse2"));
    const auto has = [&](std::initializer_list<const char*> all) {
        for (const char* feature : all)
            if (!features.contains(feature)) return false;
        return true;
    };
    // The levels of the x86-64 psABI; "abm" has LZCNT.
    const bool v3 = has({"sse4_2", "popcnt", "avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm"});
    EXPECT_EQ(processor_runs_avx2(), v3);
    const bool v4 = v3 && has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_bf16"});
    EXPECT_EQ(processor_runs_avx512(), v4);
    // The system may refuse tile registers that the processor has.
    EXPECT_TRUE(!processor_runs_amx() || (v4 && has({"amx_tile", "amx_bf16"})));
}
#else
TEST(Processor, RunsNoPathOfX86) {
    EXPECT_FALSE(processor_runs_avx2() || processor_runs_avx512() || processor_runs_amx());
}
#endif

}  // namespace
