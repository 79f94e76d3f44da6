// SPDX-License-Identifier: Apache-2.0
/// Checks of persistent programs: what they prove, and that each fault is found.
#include <plan/persistent/gpt2.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay::persistent;
using inlay::types;
using inlay_test::Gpt2, inlay_test::Sizes;

struct A : Buffer<100> {};
struct B : Buffer<200> {};
template <int N, class Waits, class Reads, class Writes, int Groups = 1>
struct P {
    static constexpr const char* name = "p";
    static constexpr int tiles = 4, groups = Groups;
    using waits = Waits;
    using reads = Reads;
    using writes = Writes;
};
using First = P<0, types<>, types<>, types<OwnGroup<A>>>;
constexpr Verdict verdict(const ProgramFacts& f) {
    return check(f);
}

TEST(PersistentCheck, ADecoderPasses) {
    static_assert(check(facts_of<Gpt2::Step>()).fault == Fault::none);
    EXPECT_EQ(facts_of<Gpt2::Step>().phase_count, 7);
}
TEST(PersistentCheck, EveryWaitOfADecoderIsNeeded) {
    static_assert(superfluous_waits(facts_of<Gpt2::Step>()) == 0);
    const ProgramFacts f = facts_of<Gpt2::Step>();
    for (int p = 0; p < f.phase_count; ++p)
        for (int w = 0; w < f.phases[p].wait_count; ++w)
            EXPECT_EQ(check(without_wait(f, p, w)).fault, Fault::race) << f.phases[p].name << " " << w;
}
TEST(PersistentCheck, EveryWaitOfASampledTokenIsNeeded) {
    using Sampled = Decoder<Sizes, TokenChoice::sampled>;
    constexpr ProgramFacts f = facts_of<Sampled::Step>();
    static_assert(check(f).fault == Fault::none && superfluous_waits(f) == 0);
    EXPECT_EQ(f.phase_count, 9);
    EXPECT_EQ(Sampled::Places::places.bytes, Gpt2::Places::places.bytes);
}
TEST(PersistentCheck, FindsReadsThatNothingPrecedes) {
    using Reader = P<1, types<>, types<Whole<A>>, types<OwnGroup<B>>>;
    EXPECT_EQ(verdict(facts_of<Program<Once<First, Reader>>>()).fault, Fault::race);
    EXPECT_EQ(verdict(facts_of<Program<Once<Reader>>>()).fault, Fault::not_written);
    using Waits = P<1, types<After<First>>, types<Whole<A>>, types<OwnGroup<B>>>;
    EXPECT_EQ(verdict(facts_of<Program<Once<First, Waits>>>()).fault, Fault::race)
        << "the next pass writes A too early";
}
TEST(PersistentCheck, WaitsByGroupOrderGroupsAlone) {
    struct Grouped : P<0, types<>, types<>, types<OwnGroup<A>>, 2> {};
    struct Same : P<1, types<AfterGroup<Grouped>>, types<OwnGroup<A>>, types<OwnGroup<B>>, 2> {};
    struct All : P<1, types<AfterGroup<Grouped>>, types<Whole<A>>, types<OwnGroup<B>>, 2> {};
    const Verdict all = verdict(facts_of<Program<Once<Grouped, All>>>());
    EXPECT_EQ(all.fault, Fault::race);
    EXPECT_EQ(all.phase, 1);
    EXPECT_EQ(all.other, 0);
    const Verdict same = verdict(facts_of<Program<Once<Grouped, Same>>>());
    EXPECT_EQ(same.phase, 0) << "only the next pass is too early";
}
TEST(PersistentCheck, FindsCycles) {
    struct Later;
    struct Early : P<0, types<After<Later>>, types<>, types<OwnGroup<A>>> {};
    struct Later : P<1, types<After<Early>>, types<Whole<A>>, types<OwnGroup<B>>> {};
    const Verdict v = verdict(facts_of<Program<Once<Early, Later>>>());
    EXPECT_EQ(v.fault, Fault::cycle);
    EXPECT_EQ(v.phase, 0);
    EXPECT_EQ(v.other, 1);
}
TEST(PersistentCheck, APhaseMayNotReadWhatItsOtherTilesWrite) {
    struct InPlace : P<1, types<After<First>, AfterLast<InPlace>>, types<Whole<A>>, types<OwnGroup<A>>> {};
    EXPECT_EQ(verdict(facts_of<Program<Once<First, InPlace>>>()).fault, Fault::race);
}

}  // namespace
