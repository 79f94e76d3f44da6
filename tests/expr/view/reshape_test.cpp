// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <array>

namespace {
using namespace inlay_test;

const auto x = ramp(0, 1, 4, 6, 5);

TEST(Reshape, KeepsTheRowMajorOrder) {
    EXPECT_EQ((values<Reshape<Buf<0>, 120>>(slots(x))), x.memory);
    EXPECT_EQ((values<Reshape<Buf<0>, 2, -1, 3>>(slots(x))), x.memory);
    EXPECT_EQ((values<Reshape<Buf<0>, 4, 1, 6, 1, 5>>(slots(x))), x.memory);
    EXPECT_EQ((values<Reshape<Buf<0>, 8, 15>>(slots(x))), x.memory);
    EXPECT_EQ((extents_of<Reshape<Buf<0>, 2, -1, 3>>(slots(x))), (Extents<3>{{2, 20, 3}}));
}
TEST(Reshape, ExtentsFromScalarSlots) {
    using E = Reshape<Buf<0>, param<0>, -1>;
    EXPECT_EQ(extents_of<E>(slots_and<1>({Scalar(12.0)}, x)), (Extents<2>{{12, 10}}));
    EXPECT_EQ(values<E>(slots_and<1>({Scalar(12.0)}, x)), x.memory);
}
TEST(Reshape, AHeadPerAxis) {
    // [S, heads·D] → [heads, S, D]
    const auto v = values<Permute<Reshape<Buf<0>, 24, 1, 5>, 1, 0, 2>>(slots(x));
    EXPECT_EQ(v, x.memory);
    const auto w = values<Permute<Reshape<Buf<0>, 4, 3, 10>, 1, 0, 2>>(slots(x));
    for (int h = 0; h < 3; ++h)
        for (int s = 0; s < 4; ++s)
            for (int d = 0; d < 10; ++d)
                EXPECT_EQ(w[static_cast<std::size_t>((h * 4 + s) * 10 + d)],
                          x.memory[static_cast<std::size_t>(s * 30 + h * 10 + d)]);
}
TEST(Reshape, OfABroadcastExpression) {
    const auto bias = ramp(1000, 1000, 5);
    const auto v = values<Reshape<Add<Buf<0>, Buf<1>>, -1>>(slots(x, bias));
    for (std::size_t i = 0; i < 120; ++i) EXPECT_EQ(v[i], x.memory[i] + 1000 * static_cast<float>(1 + i % 5));
    const auto one = ramp(7, 0, 1, 1);
    EXPECT_EQ((extents_of<Reshape<Buf<0>>>(slots(one))), Extents<0>{});
    EXPECT_EQ((values<Reshape<Buf<0>>>(slots(one))), (std::vector<float>{7}));
}
TEST(Reshape, AMisfitIsOneError) {
    EXPECT_EQ(error_of([&] { extents_of<Reshape<Buf<0>, 7, 17>>(slots(x)); }),
              "inlay: Reshape<Buf<0>, 7, 17>: [4, 6, 5] has 120 elements, [7, 17] has 119");
    EXPECT_EQ(error_of([&] { extents_of<Reshape<Buf<0>, -1, param<0>>>(slots_and<1>({Scalar(-1.0)}, x)); }),
              "inlay: Reshape<Buf<0>, -1, param<0>>: only one extent may be -1");
    EXPECT_EQ(error_of([&] { extents_of<Reshape<Buf<0>, 7, -1>>(slots(x)); }),
              "inlay: Reshape<Buf<0>, 7, -1>: [4, 6, 5] has 120 elements, [7, 17] has 119");
}

}  // namespace
