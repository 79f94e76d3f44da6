// SPDX-License-Identifier: Apache-2.0
/// Conditions of the masks with a name, at each score, against their definitions in whole numbers.
#include <inlay/expr/eval.hpp>
#include <inlay/frame/attention/mask.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

constexpr index_t queries = 7, keys = 11;

template <class Mask, class Visible>
void expect(const Visible& visible) {
    const Env<4, 0> env{{}, {}, {{1, 1, queries, keys}}};
    const auto condition = bind<typename Mask::condition>(env);
    for (index_t q = 0; q < queries; ++q)
        for (index_t k = 0; k < keys; ++k)
            EXPECT_EQ(value_at<double>(condition, Extents<4>{{0, 0, q, k}}) != 0, visible(q + keys - queries, k))
                << q << ' ' << k;
}

TEST(AttentionMask, Conditions) {
    expect<mask::Full>([](index_t, index_t) { return true; });
    expect<mask::Causal>([](index_t i, index_t k) { return k <= i; });
    expect<mask::Window<Const<3>>>([](index_t i, index_t k) { return k <= i && k > i - 3; });
    expect<mask::Prefix<Const<6>>>([](index_t i, index_t k) { return k < 6 || k <= i; });
    expect<mask::If<Equal<Coord<3>, Const<2>>>>([](index_t, index_t k) { return k == 2; });
}

}  // namespace
