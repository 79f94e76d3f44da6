// SPDX-License-Identifier: Apache-2.0
/// The words of a persistent program: uses, waits and sections.
#include <inlay/plan/persistent/phase.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

using namespace inlay;
using namespace inlay::persistent;

struct Row : Buffer<64> {};
struct Cache : KeptBuffer<8> {};
struct First {};
struct Second {};
struct Third {};

TEST(Phase, Buffers) {
    EXPECT_EQ(Row::bytes, 64);
    EXPECT_FALSE(Row::kept);
    EXPECT_TRUE(Cache::kept);
    EXPECT_FALSE(Whole<Row>::group);
    EXPECT_TRUE(OwnGroup<Row>::group);
    static_assert(std::is_same_v<OwnGroup<Row>::buffer, Row> && std::is_same_v<Whole<Cache>::buffer, Cache>);
}
TEST(Phase, Waits) {
    EXPECT_TRUE(!After<First>::group && !After<First>::last);
    EXPECT_TRUE(AfterGroup<First>::group && !AfterGroup<First>::last);
    EXPECT_TRUE(!AfterLast<First>::group && AfterLast<First>::last);
}
TEST(Phase, SectionsAreInOrder) {
    using Step = Program<Once<First>, Rounds<Second, Third>, Once<First>>;
    static_assert(std::is_same_v<Step::phases, types<First, Second, Third, First>>);
    static_assert(!type_at<0, Step::sections>::repeats && type_at<1, Step::sections>::repeats);
    EXPECT_EQ(Step::sections::size, 3);
}

}  // namespace
