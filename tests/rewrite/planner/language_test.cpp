// SPDX-License-Identifier: Apache-2.0
/// Data of equal classes: the earlier phase, fp32 and a placement by hand hold for both; unequal extents are no match.
#include <inlay/rewrite/planner/language.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;
using namespace inlay::planner;
using language = LayerLanguage<types<>, Shape<>>;

constexpr ClassData data(index_t last, Phase phase = Phase::step, Pin pin = Pin::none, bool fp32 = false) {
    ClassData d;
    d.rank = 2;
    d.extents[0] = 3;
    d.extents[1] = last;
    d.phase = phase;
    d.pin = pin;
    d.fp32 = fp32;
    return d;
}
TEST(LayerLanguage, JoinsWhatHoldsForEither) {
    ClassData a = data(4, Phase::step, Pin::none, true);
    EXPECT_TRUE(language::join(a, data(4, Phase::prompt, Pin::fuse)));
    EXPECT_EQ(a.phase, Phase::prompt);
    EXPECT_EQ(a.pin, Pin::fuse);
    EXPECT_TRUE(a.fp32);
    EXPECT_TRUE(language::join(a, data(4)));
    EXPECT_EQ(a.phase, Phase::prompt);
    EXPECT_EQ(a.pin, Pin::fuse);
}
TEST(LayerLanguage, RefusesOtherExtentsAndOppositePlacements) {
    ClassData a = data(4, Phase::step, Pin::materialize);
    EXPECT_FALSE(language::join(a, data(5)));
    EXPECT_FALSE(language::join(a, data(4, Phase::step, Pin::fuse)));
}

}  // namespace
