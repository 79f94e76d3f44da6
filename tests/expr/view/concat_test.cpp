// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <array>

namespace {
using namespace inlay_test;

const auto x = ramp(0, 1, 2, 3, 4), y = ramp(100, 1, 2, 3, 7), z = ramp(1000, 1, 2, 3, 1);

TEST(Concat, ThreeOperandsAlongTheLastAxis) {
    using E = Concat<-1, Buf<0>, Buf<1>, Buf<2>>;
    EXPECT_EQ(extents_of<E>(slots(x, y, z)), (Extents<3>{{2, 3, 12}}));
    const auto v = values<E>(slots(x, y, z));
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 12; ++c) {
            const Extents<2> at{{r / 3, r % 3}};
            const double expected = c < 4    ? x.at({{at[0], at[1], c}})
                                    : c < 11 ? y.at({{at[0], at[1], c - 4}})
                                             : z.at({{at[0], at[1], 0}});
            EXPECT_EQ(v[static_cast<std::size_t>(12 * r + c)], expected);
        }
}
TEST(Concat, AlongAnotherAxisOrOneFromASlot) {
    const auto expected = [&] {
        std::vector<float> v = x.memory;
        v.insert(v.end(), x.memory.begin(), x.memory.end());
        return v;
    }();
    EXPECT_EQ((values<Concat<0, Buf<0>, Buf<0>>>(slots(x))), expected);
    EXPECT_EQ((values<Concat<param<0>, Buf<0>, Buf<0>>>(slots_and<1>({Scalar(0.0)}, x))), expected);
    EXPECT_EQ((values<Concat<1, Buf<0>>>(slots(x))), x.memory);
}
TEST(Concat, OfExpressionsUnderAnOperation) {
    const auto v = values<Silu<Concat<-1, Neg<Buf<0>>, Slice<Buf<1>, -1, 0, 2>>>>(slots(x, y));
    EXPECT_FLOAT_EQ(v[4], 100);
    EXPECT_EQ(v.size(), 36u);
}
TEST(Concat, AnEmptyOperandIsSkipped) {
    const auto none = ramp(0, 0, 2, 3, 0);
    EXPECT_EQ((values<Concat<-1, Buf<1>, Buf<0>, Buf<1>>>(slots(x, none))), x.memory);
}
TEST(Concat, AMisfitIsOneError) {
    EXPECT_EQ(error_of([&] { extents_of<Concat<0, Buf<0>, Buf<1>>>(slots(x, y)); }),
              "inlay: Concat<0, Buf<0>, Buf<1>>: operands [2, 3, 4] and [2, 3, 7] differ off axis 0");
}

}  // namespace
