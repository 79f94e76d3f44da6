// SPDX-License-Identifier: Apache-2.0
#include <frame/check.hpp>

#include <inlay/tile/gpu/runtime/plans.hpp>

namespace {

using namespace inlay;
using namespace inlay::on_gpu;

void some_frame(const void*, void*) {}
void other_frame(const void*, void*) {}
LaunchPlan needing(std::size_t bytes) {
    LaunchPlan p;
    p.needs.workspace = bytes;
    return p;
}

TEST(LaunchPlans, AreFoundByAllOfTheirName) {
    LaunchPlans plans;
    char memory[2];
    const PlanName names[] = {{1, some_frame},      {2, some_frame},          {1, other_frame},
                              {1, some_frame, memory, 1}, {1, some_frame, memory, 2}, {1, some_frame, memory + 1, 1}};
    for (const PlanName& n : names) EXPECT_EQ(plans.find(n), nullptr);
    std::size_t i = 0;
    for (const PlanName& n : names) {
        EXPECT_EQ(plans.keep(n, needing(256 * i)).needs.workspace, 256 * i);
        ++i;
    }
    i = 0;
    for (const PlanName& n : names) {
        ASSERT_NE(plans.find(n), nullptr);
        EXPECT_EQ(plans.find(n)->needs.workspace, 256 * i++);
    }
    EXPECT_EQ(plans.size(), 6);
}

TEST(LaunchPlans, TheOldestEnds) {
    LaunchPlans plans(100);
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        plans.keep({i, some_frame}, needing(i));
        ASSERT_EQ(plans.size(), i < 100 ? static_cast<int>(i) : 100);
    }
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        const LaunchPlan* const p = plans.find({i, some_frame});
        ASSERT_EQ(p != nullptr, i > 900) << i;
        if (p) {
            EXPECT_EQ(p->needs.workspace, i);
        }
    }
}

/// Addresses of parameters are where their types want them, and what is there is a copy.
TEST(PlannedLaunch, KeepsItsArguments) {
    struct alignas(64) Wide {
        int v;
    };
    char c = 1;
    Wide w{2};
    void* values[] = {&c, &w};
    const std::uint32_t sizes[] = {sizeof c, sizeof w}, alignments[] = {1, alignof(Wide)};
    PlannedLaunch launch({}, {2, values, sizes, alignments});
    c = 9, w.v = 9;
    PlannedLaunch moved(std::move(launch));
    void* const* const at = moved.arguments();
    EXPECT_EQ(*static_cast<char*>(at[0]), 1);
    EXPECT_EQ(static_cast<Wide*>(at[1])->v, 2);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at[1]) % 64, 0u);
}

}  // namespace
