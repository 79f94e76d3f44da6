// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(Strided, WritesOnePhase) {
    auto y = ramp(-1, 0, 2, 6, 16);
    store<Strided<Strided<Store<0>, 1, 2, 1>, -1, 2, 0>>(x, y);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{a, 2 * b + 1, 2 * c}}), x.at({{a, b, c}}));
}
TEST(Strided, AMisfitIsOneError) {
    auto odd = ramp(0, 0, 2, 3, 9);
    EXPECT_EQ(error_of([&] { prepare<Elementwise<Buf<0>, Strided<Store<0>, -1, 2, 0>>>(odd.tensor, x.tensor); }),
              "inlay: Elementwise<Buf<0>, Strided<Store<0>, -1, 2, 0>, Auto>: Strided<Store<0>, -1, 2, 0>: "
              "extent 9 of axis 2 is not a multiple of 2");
}

}  // namespace
