// SPDX-License-Identifier: Apache-2.0
/// The choice of a path: by what a processor runs and by INLAY_HOST_ISA.
#include <inlay/exec/host/paths.hpp>

#include <gtest/gtest.h>

#include <string>

struct Numbers {
    int value;
};
INLAY_HOST_PATHS(Numbers, numbers_here)
INLAY_HOST_PATH(numbers_here){.value = 42};

namespace {

using namespace inlay;

/// The paths of a program on processors that run the first `runs` of them.
struct Paths {
    explicit Paths(int runs)
        : all{{"baseline", runs > 0, nullptr}, {"avx2", runs > 1, nullptr}, {"avx512", runs > 2, nullptr}} {}
    std::string chosen(const char* forced) const { return choose_host_path(all, 3, forced).name; }
    std::string fault(const char* forced) const {
        try {
            return "chose " + chosen(forced);
        } catch (const Error& e) {
            return e.what();
        }
    }
    HostPath all[3];
};

TEST(HostPaths, TheBestThatRuns) {
    EXPECT_EQ(Paths(1).chosen(nullptr), "baseline");
    EXPECT_EQ(Paths(2).chosen(nullptr), "avx2");
    EXPECT_EQ(Paths(3).chosen(nullptr), "avx512");
    EXPECT_EQ(Paths(3).chosen(""), "avx512");
}

TEST(HostPaths, TheForcedOne) {
    for (const char* name : {"baseline", "avx2", "avx512"}) EXPECT_EQ(Paths(3).chosen(name), name);
    EXPECT_EQ(Paths(2).chosen("baseline"), "baseline");
}

TEST(HostPaths, FaultsAreOneSentence) {
    for (const std::string name : {"avx", "avx512 "})
        EXPECT_EQ(Paths(3).fault(name.c_str()), "inlay: INLAY_HOST_ISA is '" + name +
                                                    "', of which this program has no code, expected one of baseline, "
                                                    "avx2, avx512");
    EXPECT_EQ(Paths(2).fault("avx512"),
              "inlay: INLAY_HOST_ISA is 'avx512', which this processor does not run, expected one of baseline, avx2");
    EXPECT_EQ(Paths(1).fault("avx2"),
              "inlay: INLAY_HOST_ISA is 'avx2', which this processor does not run, expected baseline");
    EXPECT_EQ(Paths(0).fault(nullptr),
              "inlay: this program has code for baseline, avx2, avx512, none of which this processor runs");
    const HostPath native{"native", true, nullptr};
    EXPECT_THROW(choose_host_path(&native, 1, "avx2"), Error);
    EXPECT_STREQ(choose_host_path(&native, 1, "native").name, "native");
}

int initialised = 0;

TEST(HostPaths, InitialisersOfTheChosenPathRunInTheirOrder) {
    static const HostInitialiser first[] = {[] { initialised = 10 * initialised + 1; }, nullptr,
                                            [] { initialised = 10 * initialised + 2; }};
    static const HostInitialiser other[] = {[] { initialised = 10 * initialised + 3; }};
    static const int mine = 7;
    const HostPath paths[] = {{"other", false, nullptr, other, other + 1}, {"first", true, &mine, first, first + 3}};
    EXPECT_EQ(enter_host_path(paths), &mine);
    EXPECT_EQ(initialised, 12);
}

TEST(HostPaths, OneUnitIsThePathNative) {
    EXPECT_EQ(numbers_here().value, 42);
    EXPECT_EQ(&numbers_here(), &numbers_here());
}

}  // namespace
