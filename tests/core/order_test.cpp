// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/order.hpp>

#include <gtest/gtest.h>

namespace {

using inlay::common_multiple;
using inlay::larger;
using inlay::smaller;

static_assert(smaller(2, 3) == 2 && smaller(3, 2) == 2 && smaller(-1.5, 0.0) == -1.5);
static_assert(larger(2, 3) == 3 && larger(3, 2) == 3 && larger(-1.5, 0.0) == 0.0);
static_assert(smaller<long>(7, 4) == 4 && larger<long>(7, 4) == 7);

TEST(Order, CommonMultiplesAreTheLeast) {
    for (int a = 1; a <= 40; ++a)
        for (int b = 1; b <= 40; ++b) {
            int n = larger(a, b);
            while (n % a || n % b) ++n;
            EXPECT_EQ(common_multiple(a, b), n) << a << " and " << b;
        }
    EXPECT_EQ(common_multiple(1 << 16, 3 << 15), 3 << 16);  // the product would not fit
}

}  // namespace
