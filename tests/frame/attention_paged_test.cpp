// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <inlay/exec/pages.hpp>
#include <inlay/frame/attention.hpp>

#include <cstdint>
#include <random>

namespace {

using namespace inlay;
using namespace inlay_test;

/// Pools [pages, page, heads, D] of keys and of values, each with a table of its own.
using Keys = Paged<Buf<1>, Buf<2>>;
using Values = Paged<Buf<3>, Buf<4>>;
struct paged_cache : Attention<64, Buf<0>, Keys, Values> {};
struct paged_causal : Attention<64, Buf<0>, Keys, Values, mask::Causal> {};
/// Rows of five chunks of 16 bytes in 16 bits, which the lanes of a warp do not share out evenly.
struct of_five_chunks : Attention<40, Buf<0>, Keys, Values> {};
/// Heads whose keys blocks share in three stages, if they are many.
struct of_many_keys : Attention<128, Buf<0>, Keys, Values> {};
/// The same keys and values one after the other.
struct whole : Attention<64, Buf<0>, Permute<Buf<1>, 0, 2, 1, 3>, Permute<Buf<2>, 0, 2, 1, 3>> {};
/// Pools [pages, heads, page, D], of heads that are no multiple of 16 bytes, and one table.
template <int I>
using HeadsFirst = Paged<Permute<Buf<I>, 0, 2, 1, 3>, Buf<3>>;
struct heads_first : Attention<33, Buf<0>, HeadsFirst<1>, HeadsFirst<2>> {};
/// A batch of several lengths.
struct of_lengths : Attention<64, Buf<0>, Keys, Values, mask::If<Less<Coord<3>, Buf<5>>>> {};
/// Values that are the first columns of the keys.
struct shared_pool : Attention<64, Buf<0>, Keys, Paged<Slice<Buf<1>, -1, 0, 64>, Buf<2>>> {};

Array<std::int32_t, 2> table_of(unsigned seed, index_t batch, index_t entries, index_t pages) {
    Array<std::int32_t, 2> table({{batch, entries}}, 0);
    std::mt19937 engine(seed);
    for (std::int32_t& id : table.v) id = static_cast<std::int32_t>(engine() % static_cast<unsigned>(pages));
    return table;
}

template <class T>
struct AttentionPagedTest : ::testing::Test {
    /// Pools of `pages` pages, in which some are used twice and some not at all.
    template <class K>
    static void expect(index_t b, index_t h, index_t kv_heads, index_t sq, index_t entries, index_t pages,
                       index_t page) {
        const auto q = normal<T>(1, b, h, sq, 64), k = normal<T>(2, pages, page, kv_heads, 64),
                   v = normal<T>(3, pages, page, kv_heads, 64);
        const auto of_keys = table_of(4, b, entries, pages), of_values = table_of(5, b, entries, pages);
        expect_oracle_computing<K, T>(Extents<4>{{b, h, sq, 64}}, *q, *k, *of_keys, *v, *of_values);
    }
};
TYPED_TEST_SUITE(AttentionPagedTest, StorageTypes, StorageNames);

TYPED_TEST(AttentionPagedTest, PagesOfAnySize) {
    this->template expect<paged_cache>(2, 2, 2, 5, 77, 40, 1);
    this->template expect<paged_cache>(2, 2, 1, 5, 9, 7, 16);
    this->template expect<paged_cache>(1, 4, 2, 70, 3, 3, 64);
    this->template expect<paged_cache>(1, 2, 2, 1, 2, 2, 128);
    this->template expect<paged_cache>(2, 2, 2, 9, 11, 5, 12);
    this->template expect<paged_cache>(2, 2, 2, 9, 0, 5, 12);
}
TYPED_TEST(AttentionPagedTest, FewQueriesOfManyKeys) {
    this->template expect<paged_causal>(1, 8, 1, 1, 80, 90, 16);
    this->template expect<paged_causal>(2, 4, 1, 3, 500, 300, 1);
}
TYPED_TEST(AttentionPagedTest, RowsOfFiveChunks) {
    const auto q = normal<TypeParam>(1, 2, 2, 1, 40), k = normal<TypeParam>(2, 40, 4, 2, 40),
               v = normal<TypeParam>(3, 40, 4, 2, 40);
    const auto of_keys = table_of(4, 2, 75, 40), of_values = table_of(5, 2, 75, 40);
    expect_oracle_computing<of_five_chunks, TypeParam>(q.extents, *q, *k, *of_keys, *v, *of_values);
}
TYPED_TEST(AttentionPagedTest, OneQueryOfManyKeysInThreeStages) {
    const auto q = normal<TypeParam>(1, 1, 2, 1, 128), k = normal<TypeParam>(2, 300, 16, 1, 128),
               v = normal<TypeParam>(3, 300, 16, 1, 128);
    const auto of_keys = table_of(4, 1, 257, 300), of_values = table_of(5, 1, 257, 300);
    expect_oracle_computing<of_many_keys, TypeParam>(q.extents, *q, *k, *of_keys, *v, *of_values);
}
TYPED_TEST(AttentionPagedTest, OnePageForAll) {
    this->template expect<paged_cache>(2, 2, 2, 5, 6, 1, 16);
}
TYPED_TEST(AttentionPagedTest, PoolsOfHeads) {
    const auto q = normal<TypeParam>(1, 2, 4, 7, 33), k = normal<TypeParam>(2, 9, 2, 16, 33),
               v = normal<TypeParam>(3, 9, 2, 16, 33);
    const auto table = table_of(4, 2, 6, 9);
    expect_oracle_computing<heads_first, TypeParam>(q.extents, *q, *k, *v, *table);
}
TYPED_TEST(AttentionPagedTest, ValuesThatAreColumnsOfKeys) {
    const auto q = normal<TypeParam>(1, 2, 4, 7, 64), k = normal<TypeParam>(2, 9, 16, 2, 64);
    const auto table = table_of(4, 2, 6, 9);
    expect_oracle_computing<shared_pool, TypeParam>(q.extents, *q, *k, *table);
}
// Entries of a table behind the last key of its row are no ids.
TYPED_TEST(AttentionPagedTest, LengthsOfABatch) {
    for (const index_t page : {1, 16, 64}) {
        const index_t entries = (300 + page - 1) / page, pages = 2 * entries;
        const auto q = normal<TypeParam>(1, 4, 4, 2, 64), k = normal<TypeParam>(2, pages, page, 2, 64),
                   v = normal<TypeParam>(3, pages, page, 2, 64);
        auto table = table_of(4, 4, entries, pages);
        Array<std::int32_t, 4> lengths({{4, 1, 1, 1}}, 0);
        lengths.v = {300, 0, 65, 1};
        for (index_t b = 0; b < 4; ++b)
            for (index_t i = (lengths.v[static_cast<std::size_t>(b)] + page - 1) / page; i < entries; ++i)
                table.v[static_cast<std::size_t>(b * entries + i)] = b % 2 ? -1 : 1 << 30;
        check_pages(*table, pages, page, tensor(lengths.v.data(), 4));
        expect_oracle_computing<of_lengths, TypeParam>(q.extents, *q, *k, *table, *v, *table, *lengths);
    }
}
// The oracle clamps too; guards of NaN around the pools would show.
TYPED_TEST(AttentionPagedTest, IdsOutsideAreClamped) {
    const auto q = normal<TypeParam>(1, 1, 2, 5, 64), k = normal<TypeParam>(2, 3, 4, 2, 64),
               v = normal<TypeParam>(3, 3, 4, 2, 64);
    auto table = table_of(4, 1, 6, 3);
    table.v[1] = -1, table.v[2] = 3, table.v[4] = 2147483647, table.v[5] = -2147483647 - 1;
    EXPECT_EQ(sentence([&] { check_pages(*table, k.extents[0]); }),
              "inlay: page table [1, 6]: entry 1 of row 0 is -1, but the pool has 3 pages");
    expect_oracle_computing<paged_cache, TypeParam>(q.extents, *q, *k, *table, *v, *table);
}

TEST(AttentionPaged, APagedCacheIsTheCache) {
    const auto q = normal<float>(1, 2, 2, 5, 64), k = normal<float>(2, 8, 16, 2, 64), v = normal<float>(3, 8, 16, 2, 64);
    auto table = table_of(4, 2, 4, 8);
    for (std::size_t i = 0; i < 8; ++i) table.v[i] = static_cast<std::int32_t>(i);
    const Tensor<const float, 4> keys{k.v.data(), {{2, 64, 2, 64}}}, values{v.v.data(), {{2, 64, 2, 64}}};
    const auto outs = as_outputs(q.extents);
    const auto plain = run<whole, float>(executor(1), outs, *q, keys, values);
    const auto pages = run<paged_cache, float>(executor(1), outs, *q, *k, *table, *v, *table);
    EXPECT_TRUE(same_bits(plain, pages));
}

TEST(AttentionPaged, Misfits) {
    const auto q = unwritten<float>(2, 4, 9, 64), k = unwritten<float>(0, 16, 4, 64);
    auto y = unwritten<float>(2, 4, 9, 64);
    const auto table = table_of(4, 2, 3, 5);
    expect_sentence("the pool [0, 16, 4, 64] has no page that the table [2, 3] could name",
                    [&] { prepare<paged_cache>(*y, *q, *k, *table, *k, *table); });
    const auto pool = unwritten<float>(5, 16, 4, 64);
    const auto longer = table_of(4, 2, 4, 5);
    expect_sentence("K has 48 keys, V 64", [&] { prepare<paged_cache>(*y, *q, *pool, *table, *pool, *longer); });
}

}  // namespace
