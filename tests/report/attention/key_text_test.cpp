// SPDX-License-Identifier: Apache-2.0
/// Conditions on scores as text, and the intervals that it names against those that are solved.
#include <inlay/exec/tensor.hpp>
#include <inlay/report/attention/key_text.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace {

using namespace inlay;

constexpr auto i = query_position;
constexpr auto j = coord<3>;

Env<4, 0> scores(index_t queries, index_t keys) { return {{}, {}, {{1, 8, queries, keys}}}; }
template <class C>
std::string keys_of(C, index_t queries = 4096, index_t keys = 4096) {
    return key_text<C>(scores(queries, keys));
}

TEST(KeyText, NamedMasks) {
    EXPECT_EQ(keys_of(constant<1>, 64, 77), "[0, 77)");
    EXPECT_EQ(keys_of(constant<0>), "none");
    EXPECT_EQ(keys_of(j <= i), "[0, i + 1)");
    EXPECT_EQ(keys_of(!(j <= i)), "[i + 1, 4096)");
    EXPECT_EQ(keys_of(j <= i && i - j < constant<1024>), "[max(0, i - 1023), i + 1)");
    EXPECT_EQ(keys_of(constant<0> <= i - j && i - j < constant<1024>), "[max(0, i - 1023), i + 1)");
    EXPECT_EQ(keys_of(abs(i - j) < constant<20>), "[max(0, i - 19), min(i + 20, 4096))");
    EXPECT_EQ(keys_of(j < constant<128> || j <= i), "[0, max(128, i + 1))");
    EXPECT_EQ(keys_of(j <= i && (j < constant<4> || i - j < constant<1024>)),
              "[0, min(i + 1, 4)) ∪ [max(0, i - 1023), i + 1)");
    EXPECT_EQ(keys_of(floor(i / constant<64>) == floor(j / constant<64>)),
              "[64 floor(i / 64), 64 floor(i / 64) + 64)");
    EXPECT_EQ(keys_of(floor(i / constant<64>) == floor(j / constant<64>), 100, 100),
              "[64 floor(i / 64), min(64 floor(i / 64) + 64, 100))");
    EXPECT_EQ(keys_of(j <= i && floor(i / constant<64>) - floor(j / constant<64>) <= constant<1>),
              "[max(0, 64 floor(i / 64) - 64), i + 1)");
    EXPECT_EQ(keys_of(ceil(j / constant<4>) < constant<3>), "[0, 9)");
    EXPECT_EQ(keys_of(j != constant<3>), "[0, 3) ∪ [4, 4096)");
}
TEST(KeyText, BoundsThatAreNeverReachedAreLeftOut) {
    EXPECT_EQ(keys_of(j <= i && i - j < constant<1024>, 1, 2048), "[i - 1023, i + 1)");   // i is 2047
    EXPECT_EQ(keys_of(j <= i && j < constant<100>, 16, 4096), "[0, 100)");
    EXPECT_EQ(keys_of(j < constant<10000>, 16, 77), "[0, 77)");
    EXPECT_EQ(keys_of(j > constant<10000> || j <= i, 16, 77), "[0, i + 1)");
}
TEST(KeyText, Fractions) {
    EXPECT_EQ(keys_of(constant<3> * j < i), "[0, ceil(i / 3))");
    EXPECT_EQ(keys_of(constant<3> * j <= i - constant<1>), "[0, floor((i - 1) / 3) + 1)");
    EXPECT_EQ(keys_of(j + j >= i * constant<0.5>), "[ceil(i / 4), 4096)");
    EXPECT_EQ(keys_of(j < constant<2.5>), "[0, 3)");
    EXPECT_EQ(keys_of(j >= coord<1> * constant<16>, 16, 77), "[16 head, 77)");
}
/// Every fourth key: the modulus is no bound.
TEST(KeyText, ComputedTermsStandBehindWhere) {
    EXPECT_EQ(keys_of(j <= i && i - j == constant<4> * floor((i - j) / constant<4>)),
              "[0, i + 1) where i - j == 4 floor((i - j) / 4)");
    EXPECT_EQ(keys_of(!(i - j == constant<4> * floor((i - j) / constant<4>))),
              "[0, 4096) where i - j != 4 floor((i - j) / 4)");
    EXPECT_EQ(keys_of(i >= constant<8>, 16, 16), "[0, 16) where i >= 8");
}
TEST(KeyText, SlotsByName) {
    std::int32_t* const none = nullptr;
    const Tensor<const std::int32_t, 1> ids(none, {{4096}});
    const Tensor<const std::int32_t, 4> lengths(none, {{1, 1, 1, 1}});
    const Env<4, 1, Tensor<const std::int32_t, 1>, Tensor<const std::int32_t, 4>> env{
        {{{ids}, {lengths}}}, {Scalar(7.0)}, {{1, 8, 4096, 4096}}};
    const auto text = [&]<class C>(C) { return key_text<C>(env); };
    EXPECT_EQ(text(j < buf<1>), "[0, min(Buf<1>, 4096))");
    EXPECT_EQ(text(j <= i && i - j < param<0>), "[max(0, floor(i - Param<0>) + 1), i + 1)");
    EXPECT_EQ(text(j <= i && ascending(buf<0>) == buf<1>), "[0, i + 1) where Buf<0> == Buf<1>");
    EXPECT_EQ(text(j <= buf<0>), "[0, 4096) where j <= Buf<0>");       // it varies along the keys

    const auto computed = [&]<class C>(C) {
        EXPECT_EQ(computed_text<C>(env).empty(), computed_terms<C>(env).empty());
        return computed_text<C>(env);
    };
    EXPECT_EQ(computed(j <= i && j < buf<1>), "");
    EXPECT_EQ(computed(j <= i && ascending(buf<0>) == buf<1>), "");         // searched
    EXPECT_EQ(computed(j <= i && buf<0> == buf<1>), "Buf<0> == Buf<1>");
    EXPECT_EQ(computed((j <= i || buf<0> > constant<0>) && j * i < constant<9>), "j i < 9, Buf<0> > 0");
}

/// The text of a window of each width is that of the interval which is solved, at each query.
TEST(KeyText, AgreesWithSolvedIntervals) {
    constexpr auto c = j <= i && floor(i / constant<24>) - floor(j / constant<24>) <= constant<1>;
    const auto env = scores(90, 100);
    EXPECT_EQ(key_text<std::remove_cv_t<decltype(c)>>(env), "[max(0, 24 floor(i / 24) - 24), i + 1)");
    for (index_t q = 0; q < 90; ++q) {
        const index_t at = q + 10;
        const auto solved = visible_keys<std::remove_cv_t<decltype(c)>>(env, QueryTile::of({0, 0, q}));
        EXPECT_EQ(solved.at[0], (Interval{std::max<index_t>(0, at / 24 * 24 - 24), at + 1})) << q;
    }
}

}  // namespace
