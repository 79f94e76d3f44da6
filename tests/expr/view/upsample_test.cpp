// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

namespace {
using namespace inlay_test;

const auto x = ramp(0, 1, 2, 3, 4, 5);

template <class E>
void check(Extents<4> factor) {
    Extents<4> e = x.tensor.extents;
    for (int i = 0; i < 4; ++i) e[i] *= factor[i];
    EXPECT_EQ(extents_of<E>(slots(x)), e);
    const auto v = values<E>(slots(x));
    for (index_t i = 0; i < count(e); ++i) {
        auto c = unravel(i, e);
        for (int k = 0; k < 4; ++k) c[k] /= factor[k];
        EXPECT_EQ(v[static_cast<std::size_t>(i)], x.at(c));
    }
}

TEST(Upsample, Nearest) {
    check<Upsample2x<Buf<0>>>({{1, 2, 2, 1}});
    check<Upsample<Buf<0>, 3, -1>>({{1, 1, 1, 3}});
    check<Upsample<Buf<0>, 2, 0, 3>>({{2, 1, 1, 2}});
    check<Upsample<Buf<0>, 1, 1>>({{1, 1, 1, 1}});
    check<Upsample2x<Upsample2x<Buf<0>>>>({{1, 4, 4, 1}});
}
TEST(Upsample, BelowAConcatAndAnOperation) {
    const auto skip = ramp(1000, 1, 2, 6, 8, 3);
    const auto v = values<Silu<Concat<-1, Upsample2x<Buf<0>>, Buf<1>>>>(slots(x, skip));
    EXPECT_FLOAT_EQ(v[static_cast<std::size_t>(((0 * 6 + 5) * 8 + 7) * 8 + 4)],
                    static_cast<float>(x.at({{0, 2, 3, 4}})));
    EXPECT_FLOAT_EQ(v[static_cast<std::size_t>(((1 * 6 + 5) * 8 + 7) * 8 + 6)],
                    static_cast<float>(skip.at({{1, 5, 7, 1}})));
}

}  // namespace
