// SPDX-License-Identifier: Apache-2.0
/// The explanation of a small program whose numbers are counted by hand.
#include <inlay/plan/persistent/storage.hpp>
#include <inlay/report/persistent/explain.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::persistent;

struct Left : Buffer<64> {};
struct Right : Buffer<32> {};
struct Row : Buffer<128> {};
struct Begin {
    static constexpr const char* name = "begin";
    static constexpr int tiles = 8, groups = 1;
    using waits = types<>;
    using reads = types<>;
    using writes = types<OwnGroup<Row>>;
};
struct Join;
/// Two phases that do not wait for each other, the first with more memory to read.
struct Heavy {
    static constexpr const char* name = "heavy";
    static constexpr int tiles = 9, groups = 1;
    using waits = types<After<Begin>, AfterLast<Join>>;
    using reads = types<Whole<Row>>;
    using writes = types<OwnGroup<Left>>;
};
struct Light {
    static constexpr const char* name = "light";
    static constexpr int tiles = 4, groups = 1;
    using waits = types<After<Begin>, AfterLast<Join>>;
    using reads = types<Whole<Row>>;
    using writes = types<OwnGroup<Right>>;
};
struct Join {
    static constexpr const char* name = "join";
    static constexpr int tiles = 2, groups = 1;
    using waits = types<After<Heavy>, After<Light>>;
    using reads = types<Whole<Left>, Whole<Right>>;
    using writes = types<OwnGroup<Row>>;
};
using Small = Program<Once<Begin>, Rounds<Heavy, Light, Join>>;

Report report() {
    Report r{.name = "small", .facts = facts_of<Small>(), .rounds = 3, .blocks = 4, .storage = 224};
    const int together[] = {2, 1, 1, 1};
    const double memory[] = {800, 900, 400, 0};
    for (int p = 0; p < 4; ++p) r.together[p] = together[p], r.memory[p] = memory[p];
    return r;
}

TEST(ExplainPersistent, TilesAreSharedOut) {
    const Report r = report();
    EXPECT_EQ(r.most(0), 2);    // 4 pairs on 4 blocks
    EXPECT_EQ(r.fewest(0), 2);
    EXPECT_EQ(r.most(1), 3);    // 9 tiles
    EXPECT_EQ(r.fewest(1), 2);
    EXPECT_EQ(r.most(3), 1);    // 2 tiles: two blocks have none
    EXPECT_EQ(r.fewest(3), 0);
    EXPECT_DOUBLE_EQ(r.largest_share(1), 300);
    EXPECT_EQ(r.times(0), 1);
    EXPECT_EQ(r.times(2), 3);
}
/// The lighter branch is not on it: 200 of `begin`, and 300 of `heavy` in each of three rounds.
TEST(ExplainPersistent, ThePathFollowsTheMostMemory) {
    const CriticalPath path = critical_path(report());
    EXPECT_DOUBLE_EQ(path.bytes, 200 + 3 * 300);
    std::string names;
    for (const Instance& i : path.instances)
        names += std::string(facts_of<Small>().phases[i.phase].name) + std::to_string(i.round) + " ";
    EXPECT_EQ(names, "begin0 heavy0 join0 heavy1 join1 heavy2 join2 ");
}
TEST(ExplainPersistent, PrintsTasksBytesAndThePath) {
    TargetInfo t = sm90a_target;
    t.bandwidth_gbs = 2;  // 4700 bytes in 2.35 us
    EXPECT_EQ(explain(report(), t),
              "small: one persistent launch of 4 phases, 10 instances a pass, on 4 multiprocessors of sm_90a\n"
              "phase           times    tasks          each     memory  handed on  waits for\n"
              "begin               1        8             2      800 B      128 B  \n"
              "heavy               3        9        2 to 3      900 B       64 B  begin, join before\n"
              "light               3        4             1      400 B       32 B  begin, join before\n"
              "join                3        2        0 to 1        0 B      128 B  heavy, light\n"
              "A pass: 53 (13.2 a multiprocessor) tasks, 4.7 kB of memory (1.18 kB a multiprocessor), 800 B handed on "
              "in 224 B of storage.\n"
              "Critical path: begin, 3 x (heavy, join): 7 instances one after the other, of which the busiest "
              "multiprocessors read 1.1 kB.\n"
              "Memory takes at least 2.4 us, and along that path 2.2 us where each multiprocessor has its share of 2 "
              "GB/s.\n");
}

}  // namespace
