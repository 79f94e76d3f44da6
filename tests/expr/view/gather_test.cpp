// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

const auto table = ramp(0, 1, 5, 3);

TEST(Gather, RowsOfATable) {
    const Data<std::int32_t, 2> ids({{2, 2}}, {4, 0, 0, 3});
    using E = Gather<Buf<0>, Buf<1>>;
    EXPECT_EQ(extents_of<E>(slots(table, ids)), (Extents<3>{{2, 2, 3}}));
    EXPECT_EQ((values<E>(slots(table, ids))), (std::vector<float>{12, 13, 14, 0, 1, 2, 0, 1, 2, 9, 10, 11}));
}
TEST(Gather, AlongAnyAxis) {
    const Data<std::int32_t, 1> ids({{4}}, {2, 2, 0, 1});
    const auto v = values<Gather<Buf<0>, Buf<1>, -1>>(slots(table, ids));
    for (int r = 0; r < 5; ++r)
        for (int c = 0; c < 4; ++c)
            EXPECT_EQ(v[static_cast<std::size_t>(4 * r + c)], table.at({{r, ids.memory[static_cast<std::size_t>(c)]}}));
}
TEST(Gather, OneRow) {
    const Data<std::int32_t, 0> id({}, {3});
    EXPECT_EQ((values<Gather<Buf<0>, Buf<1>>>(slots(table, id))), (std::vector<float>{9, 10, 11}));
}
TEST(Gather, OfAnExpression) {
    const Data<std::int32_t, 1> ids({{2}}, {1, 4});
    const auto bias = ramp(100, 100, 3);
    EXPECT_EQ((values<Neg<Gather<Add<Buf<0>, Buf<2>>, Buf<1>>>>(slots(table, ids, bias))),
              (std::vector<float>{-103, -204, -305, -112, -213, -314}));
}
TEST(Gather, AnIndexOutsideReadsTheNearestRow) {
    const Data<std::int32_t, 1> ids({{3}}, {-1, 5, 1000000});
    EXPECT_EQ((values<Gather<Buf<0>, Buf<1>>>(slots(table, ids))),
              (std::vector<float>{0, 1, 2, 12, 13, 14, 12, 13, 14}));
}

}  // namespace
