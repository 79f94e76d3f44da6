// SPDX-License-Identifier: Apache-2.0
#include <inlay/core/extents.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>

namespace {

using inlay::checked_count;
using inlay::checked_product;
using inlay::checked_sum;
using inlay::count;
using inlay::Extents;
using inlay::has_elements;
using inlay::index_t;
using inlay::row_major;
using inlay::text;
using inlay::unravel;

static_assert(sizeof(index_t) == 8 && std::is_signed_v<index_t>);
static_assert(std::is_trivially_copyable_v<Extents<4>> && sizeof(Extents<4>) == 32);

TEST(Extents, RankZeroIsOneElement) {
    constexpr Extents<0> e;
    static_assert(count(e) == 1 && e == Extents<0>{} && row_major(e) == e && unravel(0, e) == e);
    EXPECT_EQ(text(e), "[]");
}

TEST(Extents, AxesFromEitherEnd) {
    Extents<3> e{{2, 3, 4}};
    EXPECT_EQ(e[0], 2);
    EXPECT_EQ(e.back(0), 4);
    EXPECT_EQ(e.back(2), 2);
    e.back(0) = 7;
    EXPECT_EQ(e, (Extents<3>{{2, 3, 7}}));
    EXPECT_FALSE(e == (Extents<3>{{2, 3, 4}}));
}
TEST(Extents, UnnamedAxesAreZero) { EXPECT_EQ(Extents<3>{{5}}, (Extents<3>{{5, 0, 0}})); }

TEST(Extents, CountsBeyond32Bits) {
    static_assert(count(Extents<3>{{1 << 20, 1 << 20, 3}}) == index_t(3) << 40);
    EXPECT_EQ(count(Extents<2>{{std::numeric_limits<index_t>::max(), 1}}), std::numeric_limits<index_t>::max());
    EXPECT_EQ(count(Extents<3>{{index_t(1) << 40, 0, 5}}), 0);
}
/// True if the compiler finds the count of N rows of N a constant: where it overflows, it is none.
template <index_t N>
concept square_counts = requires { typename std::integral_constant<index_t, count(Extents<2>{{N, N}})>; };
TEST(Extents, ACountThatOverflowsIsNoNumber) {
    static_assert(square_counts<3037000499> && !square_counts<3037000500>);  // √(2^63)
}

TEST(Extents, CheckedCountsKeepWhatDoesNotFit) {
    constexpr index_t most = std::numeric_limits<index_t>::max();
    static_assert(checked_product(0, most) == 0 && checked_product(most, 0) == 0 && checked_product(most, 1) == most);
    static_assert(checked_product(3037000499, 3037000499) == 9223372030926249001);
    static_assert(checked_product(3037000500, 3037000500) == most);
    static_assert(checked_product(index_t(1) << 32, index_t(1) << 32) == most);
    static_assert(checked_product(checked_product(most, 2), 3) == most);
    static_assert(checked_sum(most - 1, 1) == most && checked_sum(most, most) == most && checked_sum(3, 4) == 7);
    static_assert(checked_count(Extents<3>{{2, 0, 5}}) == 10 && checked_count(Extents<0>{}) == 1);
    static_assert(checked_count(Extents<3>{{index_t(1) << 40, 0, index_t(1) << 40}}) == most);
    static_assert(row_major(Extents<3>{{0, index_t(1) << 40, index_t(1) << 40}}) ==
                  Extents<3>{{most, index_t(1) << 40, 1}});
    static_assert(has_elements(Extents<2>{{2, 3}}) && !has_elements(Extents<2>{{2, 0}}));
}

TEST(Extents, RowMajorStrides) {
    static_assert(row_major(Extents<4>{{2, 3, 4, 5}}) == Extents<4>{{60, 20, 5, 1}});
    EXPECT_EQ(row_major(Extents<3>{{2, 1, 1}}), (Extents<3>{{1, 1, 1}}));
    EXPECT_EQ(row_major(Extents<3>{{7, 0, 5}}), (Extents<3>{{0, 5, 1}}));
    EXPECT_EQ(row_major(Extents<2>{{2, index_t(1) << 35}}), (Extents<2>{{index_t(1) << 35, 1}}));
}

template <int R>
index_t ravel(const Extents<R>& c, const Extents<R>& e) {
    index_t i = 0;
    for (int d = 0; d < R; ++d) i = i * e[d] + c[d];
    return i;
}
TEST(Extents, UnravelEnumeratesInOrder) {
    const Extents<4> e{{2, 1, 3, 5}};
    Extents<4> c{};
    for (index_t i = 0; i < count(e); ++i) {
        ASSERT_EQ(unravel(i, e), c) << i;
        for (int d = 3; d >= 0 && ++c[d] == e[d]; --d) c[d] = 0;
    }
}
// Either side of where the division by 32-bit numbers ends: in the index, in an extent, in both.
TEST(Extents, UnravelBeyond32Bits) {
    const index_t edge = index_t(1) << 32;
    for (const auto& e : {Extents<3>{{5, 3, edge - 1}}, {{5, 3, edge}}, {{5, 3, edge + 1}}, {{edge + 7, 3, 5}},
                          {{1 << 20, 1 << 20, 1 << 20}}, {{3, edge, 1}}})
        for (const index_t i : {index_t(0), edge - 1, edge, edge + 1, 2 * edge - 1, count(e) - 1}) {
            const auto c = unravel(i, e);
            EXPECT_EQ(ravel(c, e), i) << text(e);
            for (int d = 0; d < 3; ++d) EXPECT_TRUE(c[d] >= 0 && c[d] < e[d]) << text(e) << ' ' << i;
        }
}
TEST(Extents, UnravelOfNothingIsTheOrigin) { EXPECT_EQ(unravel(0, Extents<2>{{0, 4}}), (Extents<2>{})); }

TEST(Extents, Text) {
    EXPECT_EQ(text(Extents<4>{{2, 64, 0, -320}}), "[2, 64, 0, -320]");
    EXPECT_EQ(text(Extents<2>{{std::numeric_limits<index_t>::max(), std::numeric_limits<index_t>::min()}}),
              "[9223372036854775807, -9223372036854775808]");
}

}  // namespace
