// SPDX-License-Identifier: Apache-2.0
#include <expr/check.hpp>

#include <inlay/expr/access.hpp>

namespace {
using namespace inlay_test;

using E = Paged<Buf<0>, Buf<1>>;

/// Element (b, h, j, c) is that of the pool at the page which the table has for key j.
template <class Pool>
void expect_pages(const Pool& pool, const Data<std::int32_t, 2>& table) {
    const auto v = values<E>(slots(pool, table));
    const Extents<4> p = pool.tensor.extents, out{{table.tensor.extents[0], p[2], table.tensor.extents[1] * p[1], p[3]}};
    ASSERT_EQ(extents_of<E>(slots(pool, table)), out);
    for (index_t i = 0; i < count(out); ++i) {
        const auto c = unravel(i, out);
        const auto page = static_cast<index_t>(table.at({{c[0], c[2] / p[1]}}));
        EXPECT_EQ(v[static_cast<std::size_t>(i)], pool.at({{page, c[2] % p[1], c[1], c[3]}})) << text(c);
    }
}

TEST(Paged, KeysInTheOrderOfTheTable) {
    const Data<std::int32_t, 2> table({{2, 3}}, {4, 0, 2, 1, 3, 0});
    for (const index_t page : {1, 2, 3, 4, 16}) expect_pages(ramp(0, 1, 5, page, 2, 3), table);
}
TEST(Paged, APageUsedTwice) {
    expect_pages(ramp(0, 1, 3, 4, 2, 5), Data<std::int32_t, 2>({{2, 2}}, {1, 1, 2, 1}));
}
TEST(Paged, PagesBelowHeads) {
    const auto pool = ramp(0, 1, 5, 2, 4, 3);
    const Data<std::int32_t, 2> table({{1, 2}}, {3, 1});
    const auto v = values<Paged<Permute<Buf<0>, 0, 2, 1, 3>, Buf<1>>>(slots(pool, table));
    for (index_t i = 0; i < 2 * 8 * 3; ++i) {
        const auto c = unravel(i, Extents<4>{{1, 2, 8, 3}});
        EXPECT_EQ(v[static_cast<std::size_t>(i)], pool.at({{c[2] < 4 ? 3 : 1, c[1], c[2] % 4, c[3]}}));
    }
}
// Walks along every axis: of keys in runs of a page, of heads in runs, of the batch one by one.
TEST(Paged, AnyAxisMayMove) {
    const auto pool = ramp(0, 1, 5, 3, 2, 4);
    const Data<std::int32_t, 2> table({{3, 2}}, {4, 0, 2, 1, 3, 0});
    const auto env = slots(pool, table);
    const auto plain = values<E>(env);
    const auto at = [&](index_t b, index_t h, index_t j, index_t c) {
        return plain[static_cast<std::size_t>(((b * 2 + h) * 6 + j) * 4 + c)];
    };
    const auto keys_last = values<Permute<E, 0, 1, 3, 2>>(env), heads_last = values<Permute<E, 0, 2, 3, 1>>(env),
               batch_last = values<Permute<E, 1, 2, 3, 0>>(env);
    for (index_t b = 0, i = 0; b < 3; ++b)
        for (index_t h = 0; h < 2; ++h)
            for (index_t j = 0; j < 6; ++j)
                for (index_t c = 0; c < 4; ++c, ++i) {
                    EXPECT_EQ(keys_last[static_cast<std::size_t>(((b * 2 + h) * 4 + c) * 6 + j)], at(b, h, j, c));
                    EXPECT_EQ(heads_last[static_cast<std::size_t>(((b * 6 + j) * 4 + c) * 2 + h)], at(b, h, j, c));
                    EXPECT_EQ(batch_last[static_cast<std::size_t>(((h * 6 + j) * 4 + c) * 3 + b)], at(b, h, j, c));
                }
}
TEST(Paged, OfAnExpression) {
    const auto pool = ramp(0, 1, 3, 2, 1, 2);
    const auto scale = ramp(2, 1, 2);
    const Data<std::int32_t, 2> table({{1, 2}}, {2, 0});
    EXPECT_EQ((values<Neg<Paged<Mul<Buf<0>, Buf<2>>, Buf<1>>>>(slots(pool, table, scale))),
              (std::vector<float>{-16, -27, -20, -33, 0, -3, -4, -9}));
}
TEST(Paged, AnIdOutsideReadsTheNearestPage) {
    const auto pool = ramp(0, 1, 3, 1, 1, 2);
    const Data<std::int32_t, 2> table({{1, 3}}, {-1, 3, 1000000});
    EXPECT_EQ((values<E>(slots(pool, table))), (std::vector<float>{0, 1, 4, 5, 4, 5}));
}
TEST(Paged, NoPages) {
    const auto pool = ramp(0, 1, 0, 4, 2, 3);
    const Data<std::int32_t, 2> table({{2, 3}}, 0, 0), none({{2, 0}}, 0, 0);
    EXPECT_EQ(extents_of<E>(slots(pool, none)), (Extents<4>{{2, 2, 0, 3}}));
    EXPECT_EQ(error_of([&] { (void)extents_of<E>(slots(pool, table)); }),
              "inlay: Paged<Buf<0>, Buf<1>>: the pool [0, 4, 2, 3] has no page that the table [2, 3] could name");
    const auto empty = ramp(0, 1, 5, 0, 2, 3);
    EXPECT_EQ(extents_of<E>(slots(empty, table)), (Extents<4>{{2, 2, 0, 3}}));
}
TEST(Paged, IsValidByRanksAndTypes) {
    using Pool = Tensor<const float, 4>;
    static_assert(valid<E, Pool, Tensor<const std::int32_t, 2>>);
    static_assert(!valid<E, Pool, Tensor<const float, 2>> && !valid<E, Pool, Tensor<const std::int32_t, 1>>);
    static_assert(!valid<E, Tensor<const float, 3>, Tensor<const std::int32_t, 2>>);
    static_assert(!valid<Paged<Buf<0>, Add<Buf<1>, Buf<1>>>, Pool, Tensor<const std::int32_t, 2>>);
    static_assert(access_class_of<E> == AccessClass::general);
    static_assert(std::is_same_v<decltype(paged(buf<0>, buf<1>)), E>);
}

}  // namespace
