// SPDX-License-Identifier: Apache-2.0
/// Intervals of keys against plain double loops over scores, which share no code with them.
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/plan/attention/visible_keys.hpp>
#include <plan/attention/random_conditions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace inlay_test;

constexpr auto i = query_position;
constexpr auto j = coord<3>;

Env<4, 0> scores(index_t queries, index_t keys) { return {{}, {}, {{1, 1, queries, keys}}}; }

/// A mask as one writes it in a loop: the query, the key, and their numbers.
using PlainMask = std::function<bool(long, long, long, long)>;

struct Counted {
    index_t loaded = 0, full = 0;
    bool operator==(const Counted&) const = default;
};
std::ostream& operator<<(std::ostream& to, const Counted& c) {
    return to << c.loaded << " loaded, " << c.full << " full";
}

/// Tiles of queries and keys with a visible pair, and those of which all pairs exist and are visible.
Counted least(const PlainMask& mask, long queries, long keys, long rows, long size) {
    Counted c;
    for (long q0 = 0; q0 < queries; q0 += rows)
        for (long k0 = 0; k0 < keys; k0 += size) {
            bool any = false, all = k0 + size <= keys;
            for (long q = q0; q < std::min(q0 + rows, queries); ++q)
                for (long k = k0; k < std::min(k0 + size, keys); ++k)
                    (mask(q, k, queries, keys) ? any : all) = mask(q, k, queries, keys);
            c.loaded += any;
            c.full += all;
        }
    return c;
}
template <class Condition, class Environment>
Counted planned(const Environment& env, long rows, long size) {
    Counted c;
    for (long q0 = 0; q0 < env.out[2]; q0 += rows) {
        const auto blocks = key_blocks<Condition>(env, {0, 0, 1, q0, std::min<index_t>(q0 + rows, env.out[2])}, size);
        c.loaded += blocks.count();
        for (int n = 0; n < blocks.count(); ++n) c.full += !blocks.masked(blocks.block(n));
    }
    return c;
}

/// The condition loads as few tiles as its mask allows, masks as few, and each row sees exactly its keys.
template <class Condition, class Environment>
void as_few_as(const PlainMask& mask, const Environment& env, long least_rows = 1) {
    const long queries = env.out[2], keys = env.out[3];
    for (long rows : {1, 16, 64, 128})
        for (long size : {7, 16, 64, 128}) {
            if (rows < least_rows) continue;
            EXPECT_EQ(planned<Condition>(env, rows, size), least(mask, queries, keys, rows, size))
                << name<Condition>().c_str() << ' ' << queries << 'x' << keys << ' ' << rows << 'x' << size;
        }
}
template <class Condition, class Environment>
void exact_rows(const PlainMask& mask, const Environment& env) {
    EXPECT_EQ(std::string(computed_terms<Condition>(env)), "");
    for (long q = 0; q < env.out[2]; ++q) {
        const auto row = visible_keys<Condition>(env, QueryTile::of({0, 0, q}));
        EXPECT_EQ(row, (unmasked_keys<Condition>(env, QueryTile::of({0, 0, q}))));
        for (long k = 0; k < env.out[3]; ++k)
            ASSERT_EQ(row.contains(k), mask(q, k, env.out[2], env.out[3])) << q << ' ' << k;
    }
}
template <class C>
void named_mask(C, const PlainMask& mask) {
    for (const auto& [queries, keys] : {std::pair{128L, 128L}, {200L, 200L}, {33L, 150L}, {1L, 257L}, {90L, 40L},
                                        {65L, 64L}, {1L, 1L}, {5L, 0L}}) {
        as_few_as<C>(mask, scores(queries, keys));
        exact_rows<C>(mask, scores(queries, keys));
    }
}

TEST(VisibleKeys, Causal) {
    named_mask(j <= i, [](long q, long k, long sq, long sk) { return k <= q + sk - sq; });
    named_mask(coord<3> <= coord<2>, [](long q, long k, long, long) { return k <= q; });
}
TEST(VisibleKeys, Window) {
    const auto near = [](long q, long k, long sq, long sk) { return q + sk - sq - k >= 0 && q + sk - sq - k < 40; };
    named_mask(constant<0> <= i - j && i - j < constant<40>, near);
    named_mask(!(j > i || j <= i - constant<40>), near);
    named_mask(abs(i - j) < constant<20>,
               [](long q, long k, long sq, long sk) { return std::labs(q + sk - sq - k) < 20; });
}
TEST(VisibleKeys, PrefixLm) {
    named_mask(j < constant<50> || j <= i, [](long q, long k, long sq, long sk) { return k < 50 || k <= q + sk - sq; });
}
TEST(VisibleKeys, SinkAndWindow) {
    named_mask(j <= i && (j < constant<4> || i - j < constant<48>), [](long q, long k, long sq, long sk) {
        return k <= q + sk - sq && (k < 4 || q + sk - sq - k < 48);
    });
}
TEST(VisibleKeys, BlockDiagonal) {
    named_mask(floor(i / constant<24>) == floor(j / constant<24>), [](long q, long k, long sq, long sk) {
        return floored(q + sk - sq, 24) == floored(k, 24);
    });
    named_mask(j <= i && floor(i / constant<32>) - floor(j / constant<32>) <= constant<1>,
               [](long q, long k, long sq, long sk) {
                   return k <= q + sk - sq && floored(q + sk - sq, 32) - floored(k, 32) <= 1;
               });
}
TEST(VisibleKeys, NegativeDivisors) {
    named_mask(floor(j / constant<-1>) > constant<-5>, [](long, long k, long, long) { return k < 5; });
    named_mask(i > floor((i + j) / constant<-1>),
               [](long q, long k, long sq, long sk) { return 2 * (q + sk - sq) + k > 0; });
    named_mask(j / constant<-2> >= constant<-5>, [](long, long k, long, long) { return k <= 10; });
}
TEST(VisibleKeys, Complements) {
    named_mask(!(j <= i), [](long q, long k, long sq, long sk) { return k > q + sk - sq; });
    named_mask(i - j >= constant<8> || j != constant<3>,
               [](long q, long k, long sq, long sk) { return q + sk - sq - k >= 8 || k != 3; });
    named_mask(constant<1>, [](long, long, long, long) { return true; });
    named_mask(constant<0>, [](long, long, long, long) { return false; });
    named_mask(j * (j - constant<5>), [](long, long k, long, long) { return k != 0 && k != 5; });
}

/// Every fourth key of a window: the modulus is computed, and the window is solved. A tile of at least 4 rows sees a
/// key of every block of the window.
TEST(VisibleKeys, Dilated) {
    constexpr auto dilated = i - j == constant<4> * floor((i - j) / constant<4>);
    constexpr auto mask = j <= i && i - j <= constant<40> && dilated;
    using C = std::remove_cv_t<decltype(mask)>;
    const PlainMask plain = [](long q, long k, long sq, long sk) {
        const long d = q + sk - sq - k;
        return d >= 0 && d <= 40 && d % 4 == 0;
    };
    as_few_as<C>(plain, scores(128, 128), 4);
    as_few_as<C>(plain, scores(64, 200), 4);
    EXPECT_EQ(std::string(computed_terms<C>(scores(8, 8))), std::string(name<std::remove_cv_t<decltype(dilated)>>()));
}

/// Slots bound in order to [queries] by query and [keys] by key.
struct Documents {
    std::vector<int> by_query, by_key;
    Env<4, 1, Tensor<const int, 4>, Tensor<const int, 4>> env() const {
        const auto sq = static_cast<index_t>(by_query.size()), sk = static_cast<index_t>(by_key.size());
        return {make_pack(Tensor<const int, 4>(by_query.data(), Extents<4>{{1, 1, sq, 1}}),
                          Tensor<const int, 4>(by_key.data(), Extents<4>{{1, 1, 1, sk}})),
                {Scalar(30.0)},
                {{1, 1, sq, sk}}};
    }
};
Documents documents(int queries, int keys, int shortest, int longest, unsigned seed) {
    std::mt19937 random(seed);
    Documents d;
    for (int id = 0; static_cast<int>(d.by_key.size()) < keys; id += 1 + static_cast<int>(random() % 2))
        for (unsigned n = static_cast<unsigned>(shortest) + random() % static_cast<unsigned>(longest - shortest + 1);
             n > 0 && static_cast<int>(d.by_key.size()) < keys; --n)
            d.by_key.push_back(id);
    d.by_query.assign(d.by_key.end() - queries, d.by_key.end());
    return d;
}

TEST(VisibleKeys, DocumentsAreSearched) {
    for (const auto& [queries, keys] : {std::pair{256, 256}, {100, 256}, {1, 300}, {64, 64}}) {
        const Documents d = documents(queries, keys, 1, 60, static_cast<unsigned>(keys));
        const auto env = d.env();
        const auto same = [&](long q, long k, long, long) {
            return d.by_query[static_cast<std::size_t>(q)] == d.by_key[static_cast<std::size_t>(k)];
        };
        using Same = Equal<Ascending<Buf<0>>, Ascending<Buf<1>>>;
        as_few_as<Same>(same, env);
        exact_rows<Same>(same, env);
        using Causal = And<Equal<Buf<0>, Ascending<Buf<1>>>, LessEqual<Coord<3>, QueryPosition>>;
        const auto causal = [&](long q, long k, long sq, long sk) { return same(q, k, sq, sk) && k <= q + sk - sq; };
        as_few_as<Causal>(causal, env);
        exact_rows<Causal>(causal, env);
    }
}
/// Counts the keys that a search looks at.
struct CountedSearch {
    int* keys_read;
    template <class Before>
    index_t operator()(index_t keys, const Before& before) const {
        return BinarySearch{}(keys, [&](index_t k) { return ++*keys_read, before(k); });
    }
};
TEST(VisibleKeys, DocumentsOfATileTakeFourSearches) {
    const Documents d = documents(200, 4096, 20, 60, 5);
    for (index_t q = 0; q < 200; q += 64) {
        int keys_read = 0;
        const QueryTile tile{0, 0, 1, q, std::min<index_t>(q + 64, 200)};
        using Same = Equal<Buf<0>, Ascending<Buf<1>>>;
        EXPECT_EQ(visible_keys<Same>(d.env(), tile, CountedSearch{&keys_read}), visible_keys<Same>(d.env(), tile));
        EXPECT_LE(keys_read, 4 * 13);
    }
}
/// Without the promise, or with ids of both sides by key, every block is loaded and the term computed.
TEST(VisibleKeys, DocumentsInAnyOrderAreComputed) {
    const Documents d = documents(64, 64, 5, 20, 3);
    using Same = Equal<Buf<0>, Buf<1>>;
    using Causal = And<Same, LessEqual<Coord<3>, QueryPosition>>;
    EXPECT_EQ(std::string(computed_terms<Causal>(d.env())), "Equal<Buf<0>, Buf<1>>");
    EXPECT_EQ(planned<Same>(d.env(), 16, 16), (Counted{16, 0}));
    using Both = Less<Ascending<Buf<1>>, Ascending<Buf<1>>>;
    EXPECT_EQ(planned<Both>(d.env(), 16, 16), (Counted{16, 0}));
}
TEST(VisibleKeys, LengthsOfSlots) {
    const Documents d = documents(100, 100, 5, 20, 4);
    const auto env = d.env();
    const auto id = [&](long q) { return d.by_query[static_cast<std::size_t>(q)]; };
    const auto prefix = [&](long q, long k, long, long) { return k < 30 || k <= q; };
    as_few_as<Or<Less<Coord<3>, Param<0>>, LessEqual<Coord<3>, QueryPosition>>>(prefix, env);
    exact_rows<Or<Less<Coord<3>, Param<0>>, LessEqual<Coord<3>, QueryPosition>>>(prefix, env);
    const auto length = [&](long q, long k, long, long) { return k < 3 * id(q); };
    as_few_as<Less<Coord<3>, Mul<Const<3>, Buf<0>>>>(length, env);
    exact_rows<Less<Coord<3>, Mul<Const<3>, Buf<0>>>>(length, env);
    as_few_as<Less<Div<Coord<3>, Const<3>>, Buf<0>>>(length, env);
}
/// Sequences of 40 and 70 keys in one batch: each row ends at its own, and its queries are the last of them.
TEST(VisibleKeys, LengthsOfABatch) {
    const int lengths[] = {40, 70};
    const Env<4, 0, Tensor<const int, 4>> env{
        make_pack(Tensor<const int, 4>(lengths, Extents<4>{{2, 1, 1, 1}})), {}, {{2, 3, 16, 100}}};
    using C = LessEqual<Coord<3>, Add<Coord<2>, Sub<Buf<0>, Const<16>>>>;
    EXPECT_TRUE(is_solved<C>(env));
    for (const index_t batch : {0, 1}) {
        const auto some = visible_keys<C>(env, {batch, 0, 3, 4, 8});
        const auto every = unmasked_keys<C>(env, {batch, 0, 3, 4, 8});
        EXPECT_EQ(some.at[0], (Interval{0, lengths[batch] - 8}));
        EXPECT_EQ(every.at[0], (Interval{0, lengths[batch] - 11}));
    }
}
/// Ascending along the queries: from head to head a bound may change in any way.
TEST(VisibleKeys, HeadsOfATileHaveTheirOwnBounds) {
    const int bounds[] = {5, 6, 7, 8, 1, 2, 3, 4, 30, 31, 32, 33, 6, 7, 8, 9};
    const Env<4, 0, Tensor<const int, 4>> env{
        make_pack(Tensor<const int, 4>(bounds, Extents<4>{{1, 4, 4, 1}})), {}, {{1, 4, 4, 64}}};
    using C = Less<Coord<3>, Ascending<Buf<0>>>;
    EXPECT_EQ((visible_keys<C>(env, {0, 0, 4, 1, 3}).at[0]), (Interval{0, 32}));
    EXPECT_EQ((unmasked_keys<C>(env, {0, 0, 4, 1, 3}).at[0]), (Interval{0, 2}));
    EXPECT_EQ((visible_keys<C>(env, {0, 3, 1, 1, 3}).at[0]), (Interval{0, 8}));
}
TEST(VisibleKeys, ScalarsThatAreNoIntegers) {
    Env<4, 1> env{{}, {Scalar(6.5)}, {{1, 1, 16, 16}}};
    const QueryTile row = QueryTile::of({0, 0, 10});
    EXPECT_EQ((visible_keys<LessEqual<Coord<3>, Param<0>>>(env, row).at[0]), (Interval{0, 7}));
    EXPECT_EQ((visible_keys<Greater<Coord<3>, Sub<QueryPosition, Param<0>>>>(env, row).at[0]), (Interval{4, 16}));
    EXPECT_EQ((visible_keys<Equal<Coord<3>, Param<0>>>(env, row).size()), 0);
    for (const double none : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
        env.scalars[0] = none;
        EXPECT_EQ((visible_keys<LessEqual<Coord<3>, Param<0>>>(env, row).size()), 0);
        EXPECT_EQ((visible_keys<Less<Coord<3>, Param<0>>>(env, row).size()), 0);
        EXPECT_EQ((visible_keys<Not<LessEqual<Coord<3>, Param<0>>>>(env, row).size()), 16);
    }
    env.scalars[0] = std::numeric_limits<double>::infinity();
    EXPECT_EQ((visible_keys<LessEqual<Coord<3>, Param<0>>>(env, row).size()), 16);
}
TEST(VisibleKeys, SmallFractionsBesideManyKeys) {
    constexpr auto small = constant<0x1p-24>;
    const QueryTile row = QueryTile::of({0, 0, 0});
    for (const double length : {90000.0, 1e6, 1e300}) {
        const index_t keys = 1200000, seen = length < 1e9 ? static_cast<index_t>(length) + 1 : keys;
        const Env<4, 1> env{{}, {Scalar(length)}, {{1, 1, 1, keys}}};
        EXPECT_EQ((visible_keys<decltype(j < param<0> + small)>(env, row)).size(), seen);
        EXPECT_EQ((visible_keys<decltype(floor(j * constant<2>) < (param<0> + small) * constant<2>)>(env, row)).size(),
                  seen);
        EXPECT_EQ((visible_keys<decltype(floor(j + small) <= param<0>)>(env, row)).size(), seen);
        EXPECT_EQ((visible_keys<decltype(floor(param<0> + small) >= j)>(env, row)).size(), seen);
    }
}
TEST(VisibleKeys, EqualInfinities) {
    for (const double sign : {1.0, -1.0}) {
        const double infinite = sign * std::numeric_limits<double>::infinity();
        const Env<4, 2> env{{}, {Scalar(infinite), Scalar(infinite)}, {{1, 1, 16, 16}}};
        const auto seen = [&]<class C>(C) {
            const QueryTile rows{0, 0, 1, 3, 9};
            EXPECT_EQ((visible_keys<C>(env, rows)), (unmasked_keys<C>(env, rows)));
            return visible_keys<C>(env, rows).size();
        };
        EXPECT_EQ(seen(param<0> <= param<1>), 16);
        EXPECT_EQ(seen(param<0> >= param<1>), 16);
        EXPECT_EQ(seen(param<0> == param<1>), 16);
        EXPECT_EQ(seen(param<0> < param<1>), 0);
        EXPECT_EQ(seen(param<0> > param<1>), 0);
        EXPECT_EQ(seen(param<0> != param<1>), 0);
    }
}
TEST(VisibleKeys, TermsOfScoresAreComputed) {
    using C = And<Greater<Out, Const<0>>, LessEqual<Coord<3>, QueryPosition>>;
    EXPECT_EQ(std::string(computed_terms<C>(scores(8, 8))), "Greater<Out, Const<0>>");
    EXPECT_EQ((visible_keys<C>(scores(8, 8), QueryTile::of({0, 0, 2})).size()), 3);
    EXPECT_EQ((unmasked_keys<C>(scores(8, 8), QueryTile::of({0, 0, 2})).size()), 0);
    const Documents d = documents(8, 8, 1, 2, 6);
    using View = Less<node::Transpose<Buf<0>, -1, -2>, Coord<3>>;  // below a view, slots are not read here
    EXPECT_FALSE(is_solved<View>(d.env()));
    EXPECT_EQ((visible_keys<View>(d.env(), QueryTile::of({0, 0, 2})).size()), 8);
}

}  // namespace
