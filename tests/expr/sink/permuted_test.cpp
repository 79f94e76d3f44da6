// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(Permuted, ReordersTheAxes) {
    auto y = ramp(0, 0, 8, 2, 3);
    store<Permuted<Store<0>, 2, 0, 1>>(x, y);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{c, a, b}}), x.at({{a, b, c}}));
}

}  // namespace
