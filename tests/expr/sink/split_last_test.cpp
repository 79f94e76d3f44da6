// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(SplitLast, GivesHeads) {
    auto y = ramp(0, 0, 2, 4, 3, 2);  // [B, heads, S, D] of [B, S, heads·D]
    store<SplitLast<Permuted<Store<0>, 0, 2, 1, 3>>>(x, y);
    for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 8; ++c) EXPECT_EQ(y.at({{a, c / 2, b, c % 2}}), x.at({{a, b, c}}));
}

}  // namespace
