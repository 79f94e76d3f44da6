// SPDX-License-Identifier: Apache-2.0
/// Distances between instances of a small program, beside those counted by hand.
#include <inlay/plan/persistent/tags.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace inlay::persistent;
using inlay::types;

struct Row : Buffer<4> {};
struct Inner : Buffer<4> {};
struct First : Buffer<4> {};
template <class Reads, class Writes>
struct Phase {
    static constexpr const char* name = "";
    static constexpr int tiles = 1, groups = 1;
    using waits = types<>;
    using reads = Reads;
    using writes = Writes;
};
struct Begin : Phase<types<Whole<Row>>, types<OwnGroup<Row>, OwnGroup<First>>> {};
struct Up : Phase<types<Whole<Row>>, types<OwnGroup<Inner>>> {};
struct Rest : Phase<types<Whole<Inner>>, types<>> {};
struct Down : Phase<types<Whole<Inner>, Whole<Row>>, types<OwnGroup<Row>>> {};
struct End : Phase<types<Whole<Row>, Whole<First>>, types<>> {};
// A pass of two rounds: Begin, Up, Rest, Down, Up, Rest, Down, End.
using Step = Program<Once<Begin>, Rounds<Up, Rest, Down>, Once<End>>;

TEST(PersistentTags, CountInstancesSinceTheLastWriter) {
    EXPECT_EQ((Since<Step, Up, Row>::in(0)), 1);        // Begin
    EXPECT_EQ((Since<Step, Up, Row>::in(5)), 1);        // Down of the round before
    EXPECT_EQ((Since<Step, Rest, Inner>::in(1)), 1);
    EXPECT_EQ((Since<Step, Down, Inner>::in(1)), 2);
    EXPECT_EQ((Since<Step, Down, Row>::in(0)), 3);
    EXPECT_EQ((Since<Step, Down, Row>::in(1)), 3);
    EXPECT_EQ((Since<Step, End, Row>::in(0)), 1);
    EXPECT_EQ((Since<Step, Begin, Row>::in(0)), 2);     // Down, End of the pass before
}
TEST(PersistentTags, ADistanceThatGrowsWithTheRoundsIsNone) {
    const ProgramFacts f = facts_of<Step>();
    EXPECT_EQ((instances_since(f, phase_number<Step, End>, buffer_number<Step, First>, 0)), -1);
}
TEST(PersistentTags, EachInstanceComesInItsOrder) {
    std::vector<std::string> found;
    each_instance<Step>(2, [&]<class P>(int round, int index) {
        found.push_back(std::to_string(index) + ": " + std::to_string(phase_number<Step, P>) + " of " +
                        std::to_string(round));
    });
    EXPECT_EQ(found, (std::vector<std::string>{"0: 0 of 0", "1: 1 of 0", "2: 2 of 0", "3: 3 of 0", "4: 1 of 1",
                                               "5: 2 of 1", "6: 3 of 1", "7: 4 of 0"}));
}

}  // namespace
