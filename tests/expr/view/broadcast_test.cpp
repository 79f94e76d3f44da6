// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

const auto row = ramp(1, 1, 4);
const auto like = ramp(0, 0, 2, 3, 4);

TEST(Broadcast, StretchesToAnotherExpression) {
    using E = Broadcast<Buf<0>, Buf<1>>;
    EXPECT_EQ(extents_of<E>(slots(row, like)), (Extents<3>{{2, 3, 4}}));
    const auto v = values<E>(slots(row, like));
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(v[i], row.memory[i % 4]);
}
TEST(Broadcast, WhatIsReadOnlyForItsShapeIsNotEvaluated) {
    const auto nan = ramp(-1, 0, 2, 4);
    EXPECT_EQ((values<Broadcast<Buf<0>, Log<Buf<1>>>>(slots(row, nan))), (std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4}));
}
TEST(Broadcast, ThenReshaped) {
    const auto column = ramp(1, 1, 3, 1);
    EXPECT_EQ((values<Reshape<Broadcast<Buf<0>, Slice<Buf<1>, 0, 0, 1>>, -1>>(slots(column, like))),
              (std::vector<float>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
}
TEST(Broadcast, AMisfitIsOneError) {
    const auto other = ramp(0, 0, 2, 3, 5), one = ramp(0, 0, 2, 3, 1);
    EXPECT_EQ(error_of([&] { extents_of<Broadcast<Buf<0>, Buf<1>>>(slots(row, other)); }),
              "inlay: Broadcast<Buf<0>, Buf<1>>: cannot broadcast [4] to [2, 3, 5]");
    EXPECT_EQ(error_of([&] { extents_of<Broadcast<Buf<0>, Buf<1>>>(slots(row, one)); }),
              "inlay: Broadcast<Buf<0>, Buf<1>>: cannot broadcast [4] to [2, 3, 1]");
}

}  // namespace
