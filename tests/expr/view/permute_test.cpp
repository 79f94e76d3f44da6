// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

const auto x = ramp(0, 1, 2, 3, 4, 5);

TEST(Permute, NumPysTranspose) {
    using E = Permute<Buf<0>, 0, 3, 1, 2>;
    EXPECT_EQ(extents_of<E>(slots(x)), (Extents<4>{{2, 5, 3, 4}}));
    const auto v = values<E>(slots(x));
    std::size_t i = 0;
    for (int a = 0; a < 2; ++a)
        for (int d = 0; d < 5; ++d)
            for (int b = 0; b < 3; ++b)
                for (int c = 0; c < 4; ++c) EXPECT_EQ(v[i++], x.at({{a, b, c, d}}));
}
TEST(Permute, BackAndForthIsTheTensor) {
    EXPECT_EQ((values<Permute<Permute<Buf<0>, 2, 0, 3, 1>, 1, 3, 0, 2>>(slots(x))), x.memory);
}
TEST(Permute, OperandsBroadcastBelowIt) {
    const auto bias = ramp(100, 100, 5);
    const auto v = values<Permute<Add<Buf<0>, Buf<1>>, 3, 0, 1, 2>>(slots(x, bias));
    EXPECT_EQ(v[24], 1 + 200);
}
TEST(Transpose, SwapsTwoAxes) {
    using E = Transpose<Buf<0>, 1, -1>;
    EXPECT_EQ(extents_of<E>(slots(x)), (Extents<4>{{2, 5, 4, 3}}));
    const auto v = values<E>(slots(x));
    std::size_t i = 0;
    for (int a = 0; a < 2; ++a)
        for (int d = 0; d < 5; ++d)
            for (int c = 0; c < 4; ++c)
                for (int b = 0; b < 3; ++b) EXPECT_EQ(v[i++], x.at({{a, b, c, d}}));
    EXPECT_EQ((values<Transpose<Buf<0>, 2, 2>>(slots(x))), x.memory);
}

}  // namespace
