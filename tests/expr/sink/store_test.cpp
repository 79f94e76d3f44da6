// SPDX-License-Identifier: Apache-2.0
#include <expr/sink/check.hpp>

namespace {

TEST(Store, WritesAsItIs) {
    auto y = ramp(0, 0, 2, 3, 8);
    store<Store<0>>(x, y);
    EXPECT_EQ(y.memory, x.memory);
}
TEST(Store, AMisfitIsOneError) {
    auto odd = ramp(0, 0, 2, 3, 9);
    EXPECT_EQ(error_of([&] { prepare<Elementwise<Buf<0>, Store<0>>>(odd.tensor, x.tensor); }),
              "inlay: Elementwise<Buf<0>, Store<0>, Auto>: the output takes [2, 3, 9], the expression has extents "
              "[2, 3, 8]");
}

}  // namespace
