// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

const auto x = ramp(1, 1, 2, 5, 6, 3);

template <int R, int S, int Stride, int PadRows, int PadCols>
void check() {
    using E = Im2col<Buf<0>, R, S, Stride, PadRows, PadCols>;
    const int ho = (5 + 2 * PadRows - R) / Stride + 1, wo = (6 + 2 * PadCols - S) / Stride + 1;
    EXPECT_EQ(extents_of<E>(slots(x)), (Extents<4>{{2, ho, wo, R * S * 3}}));
    const auto v = values<E>(slots(x));
    std::size_t i = 0;
    for (int b = 0; b < 2; ++b)
        for (int y = 0; y < ho; ++y)
            for (int c = 0; c < wo; ++c)
                for (int r = 0; r < R; ++r)
                    for (int s = 0; s < S; ++s)
                        for (int k = 0; k < 3; ++k) {
                            const int row = y * Stride + r - PadRows, col = c * Stride + s - PadCols;
                            const bool inside = row >= 0 && row < 5 && col >= 0 && col < 6;
                            EXPECT_EQ(v[i++], inside ? x.at({{b, row, col, k}}) : 0);
                        }
}

TEST(Im2col, PatchesAsRows) {
    check<3, 3, 1, 1, 1>();
    check<3, 3, 2, 1, 1>();
    check<1, 1, 1, 0, 0>();
    check<2, 3, 1, 0, 1>();
    check<5, 1, 3, 2, 0>();
}
TEST(Im2col, PadsAfterWhatLiesBelow) {
    EXPECT_EQ((values<Im2col<Exp<Mul<Buf<0>, Const<0.0>>>, 3, 3, 1, 1>>(slots(x))[0]), 0);
}
TEST(Im2col, AWindowTooLargeIsOneError) {
    EXPECT_EQ(error_of([&] { extents_of<Im2col<Buf<0>, 8, 3, 1, 1>>(slots(x)); }),
              "inlay: Im2col<Buf<0>, 8, 3, 1, 1, 1>: the window is larger than the padded image [2, 7, 8, 3]");
}

}  // namespace
