// SPDX-License-Identifier: Apache-2.0
/// The shapes of multi-head latent attention: keys longer than values, of parts without and with positions, and a cache
/// of which values are the first columns.
#include "check.hpp"

#include <inlay/frame/attention.hpp>

#include <cstdint>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Decode, absorbed: all query heads over one key head [B, 1, S, 576], of which V is the first 512 columns; the score
/// is that of heads of 192.
using ScaleOf192 = score::Of<Mul<Out, Const<0.07216878364870323>>>;
struct absorbed : Attention<576, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 0, 512>, ValueColumns<512>, ScaleOf192> {};
/// The same of a latent part and a part with positions.
struct absorbed_parts : Attention<576, Concat<-1, Buf<0>, Buf<1>>, Concat<-1, Buf<2>, Buf<3>>, Buf<2>,
                                  ValueColumns<512>, ScaleOf192> {};
/// The same in pages.
struct absorbed_pages : Attention<576, Buf<0>, Paged<Buf<1>, Buf<2>>, Paged<Slice<Buf<1>, -1, 0, 512>, Buf<2>>,
                                  ValueColumns<512>, ScaleOf192, mask::Causal> {};
/// Prefill: 128 columns of each head and 64 that all heads share; V has 128.
using OfAllHeads = Broadcast<Buf<3>, Slice<Buf<2>, -1, 0, 64>>;
struct prefill : Attention<192, Concat<-1, Buf<0>, Buf<1>>, Concat<-1, Buf<2>, OfAllHeads>, Buf<4>, ValueColumns<128>,
                           mask::Causal> {};
struct shorter_keys : Attention<40, Buf<0>, Buf<1>, Buf<2>, ValueColumns<64>> {};

template <class T>
struct AttentionMlaTest : ::testing::Test {};
TYPED_TEST_SUITE(AttentionMlaTest, StorageTypes, StorageNames);

TYPED_TEST(AttentionMlaTest, Absorbed) {
    for (const auto& [batch, heads, queries, keys] :
         {std::array<index_t, 4>{1, 128, 1, 70}, {2, 16, 2, 33}, {1, 3, 1, 1}}) {
        const auto q = normal<TypeParam>(1, batch, heads, queries, 576), cache = normal<TypeParam>(2, batch, 1, keys, 576);
        expect_oracle_computing<absorbed, TypeParam>(Extents<4>{{batch, heads, queries, 512}}, *q, *cache);
    }
}
TYPED_TEST(AttentionMlaTest, AbsorbedOfTwoParts) {
    const auto q = normal<TypeParam>(1, 1, 16, 3, 512), q_rope = normal<TypeParam>(2, 1, 16, 3, 64),
               latent = normal<TypeParam>(3, 1, 1, 40, 512), rope = normal<TypeParam>(4, 1, 1, 40, 64);
    expect_oracle_computing<absorbed_parts, TypeParam>(Extents<4>{{1, 16, 3, 512}}, *q, *q_rope, *latent, *rope);
}
TYPED_TEST(AttentionMlaTest, AbsorbedInPages) {
    const auto q = normal<TypeParam>(1, 2, 16, 2, 576), pool = normal<TypeParam>(2, 7, 16, 1, 576);
    Array<std::int32_t, 2> table({{2, 3}}, 0);
    for (std::size_t i = 0; i < 6; ++i) table.v[i] = static_cast<std::int32_t>(i * 3 % 7);
    expect_oracle_computing<absorbed_pages, TypeParam>(Extents<4>{{2, 16, 2, 512}}, *q, *pool, *table);
}
TYPED_TEST(AttentionMlaTest, Prefill) {
    for (const index_t keys : {70, 129}) {
        const auto q = normal<TypeParam>(1, 1, 3, 70, 128), q_rope = normal<TypeParam>(2, 1, 3, 70, 64),
                   k = normal<TypeParam>(3, 1, 3, keys, 128), rope = normal<TypeParam>(4, 1, 1, keys, 64),
                   v = normal<TypeParam>(5, 1, 3, keys, 128);
        expect_oracle_computing<prefill, TypeParam>(Extents<4>{{1, 3, 70, 128}}, *q, *q_rope, *k, *rope, *v);
    }
}
TYPED_TEST(AttentionMlaTest, KeysShorterThanValues) {
    const auto q = normal<TypeParam>(1, 1, 2, 20, 40), k = normal<TypeParam>(2, 1, 2, 33, 40),
               v = normal<TypeParam>(3, 1, 2, 33, 64);
    expect_oracle_computing<shorter_keys, TypeParam>(Extents<4>{{1, 2, 20, 64}}, *q, *k, *v);
}

TEST(AttentionMla, Misfits) {
    const auto q = unwritten<float>(1, 4, 2, 576), cache = unwritten<float>(1, 1, 9, 575);
    auto y = unwritten<float>(1, 4, 2, 512);
    EXPECT_NE(sentence([&] { prepare<absorbed>(*y, *q, *cache); }).find("the head dimension is 576, of V 512"),
              std::string::npos);
}

}  // namespace
