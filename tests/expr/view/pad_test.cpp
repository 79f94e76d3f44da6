// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <array>

namespace {
using namespace inlay_test;

const auto x = ramp(1, 1, 2, 5);

TEST(Pad, AroundAnAxis) {
    EXPECT_EQ((values<Pad<Slice<Buf<0>, 0, 0, 1>, -1, 2, 1>>(slots(x))), (std::vector<float>{0, 0, 1, 2, 3, 4, 5, 0}));
    EXPECT_EQ((values<Pad<Buf<0>, 0, 1, 0, -1.5>>(slots(x))),
              (std::vector<float>{-1.5, -1.5, -1.5, -1.5, -1.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ((values<Pad<Buf<0>, -1, 0, 0>>(slots(x))), x.memory);
}
TEST(Pad, NestedAndFromSlots) {
    const auto v = values<Pad<Pad<Buf<0>, 0, 1, 1>, 1, param<0>, 1>>(slots_and<1>({Scalar(2.0)}, x));
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c)
            EXPECT_EQ(v[static_cast<std::size_t>(8 * r + c)],
                      r >= 1 && r < 3 && c >= 2 && c < 7 ? x.at({{r - 1, c - 2}}) : 0);
}
TEST(Pad, TheFillIsNotPutThroughWhatLiesBelow) {
    EXPECT_EQ((values<Pad<Exp<Slice<Buf<0>, 0, 0, 1>>, -1, 1, 0>>(slots(x), 1e-6)[0]), 0);
    EXPECT_EQ((values<Exp<Pad<Slice<Buf<0>, 0, 0, 1>, -1, 1, 0>>>(slots(x), 1e-6)[0]), 1);
}
TEST(Pad, NegativeIsOneError) {
    EXPECT_EQ(error_of([&] { extents_of<Pad<Buf<0>, -1, param<0>, 2>>(slots_and<1>({Scalar(-1.0)}, x)); }),
              "inlay: Pad<Buf<0>, -1, param<0>, 2, 0>: pads by -1 and 2; negative padding is a Slice");
}

}  // namespace
