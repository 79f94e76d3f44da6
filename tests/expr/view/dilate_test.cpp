// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>
#include <inlay/expr/view/dilate.hpp>

namespace {
using namespace inlay_test;

const auto x = ramp(1, 1, 2, 3, 4, 5);

template <class E>
void check(Extents<4> factor) {
    Extents<4> e = x.tensor.extents;
    for (int i = 0; i < 4; ++i) e[i] = (e[i] - 1) * factor[i] + 1;
    EXPECT_EQ(extents_of<E>(slots(x)), e);
    const auto v = values<E>(slots(x));
    for (index_t i = 0; i < count(e); ++i) {
        auto c = unravel(i, e);
        bool zero = false;
        for (int k = 0; k < 4; ++k) {
            zero = zero || c[k] % factor[k] != 0;
            c[k] /= factor[k];
        }
        EXPECT_EQ(v[static_cast<std::size_t>(i)], zero ? 0 : x.at(c));
    }
}

TEST(Dilate, ZerosBetween) {
    check<Dilate<Buf<0>, 2, -3, -2>>({{1, 2, 2, 1}});
    check<Dilate<Buf<0>, 3, -1>>({{1, 1, 1, 3}});
    check<Dilate<Buf<0>, 2, 0, 3>>({{2, 1, 1, 2}});
    check<Dilate<Buf<0>, 1, 1>>({{1, 1, 1, 1}});
}

}  // namespace
