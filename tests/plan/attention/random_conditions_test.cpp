// SPDX-License-Identifier: Apache-2.0
/// Visible keys of random conditions against plain double loops.
#include <inlay/exec/tensor.hpp>
#include <inlay/plan/attention/visible_keys.hpp>
#include <plan/attention/random_conditions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace inlay_test;

/// Slots of random conditions.
struct RandomSlots {
    index_t queries, keys;
    std::vector<int> any_of_query, ids_of_query, ids_of_key, any_of_both;
    int scalar;

    explicit RandomSlots(std::mt19937& random)
        : queries(1 + random() % 24), keys(random() % 40), scalar(static_cast<int>(random() % 30) - 10) {
        int id = 0;
        for (index_t k = 0; k < keys; ++k) ids_of_key.push_back(id += random() % 4 == 0);
        for (index_t q = 0; q < queries; ++q) {
            any_of_query.push_back(static_cast<int>(random() % 40) - 5);
            ids_of_query.push_back(static_cast<int>(random() % 10));
        }
        for (index_t n = 0; n < queries * keys; ++n) any_of_both.push_back(random() % 2);
    }
    auto env() const {
        using T = Tensor<const int, 4>;
        return Env<4, 1, T, T, T, T>{
            make_pack(T(any_of_query.data(), Extents<4>{{1, 1, queries, 1}}),
                      T(ids_of_query.data(), Extents<4>{{1, 1, queries, 1}}),
                      T(ids_of_key.data(), Extents<4>{{1, 1, 1, keys}}),
                      T(any_of_both.data(), Extents<4>{{1, 1, queries, keys}})),
            {Scalar(static_cast<double>(scalar))},
            {{1, 2, queries, keys}}};
    }
    PlainScore at(index_t head, index_t q, index_t k) const {
        return {q + keys - queries,  k,    head, q, scalar, any_of_query.data(), ids_of_query.data(), ids_of_key.data(),
                any_of_both.data(), keys};
    }
};

struct Tally {
    int conditions = 0, solved = 0;
    index_t loaded = 0, least = 0;
};

template <std::uint32_t Seed>
void random_condition(Tally& tally) {
    using Random = RandomCondition<Seed, 2>;
    using C = std::remove_cvref_t<decltype(Random::expression())>;
    std::mt19937 random(Seed);
    for (int setting = 0; setting < 20; ++setting) {
        const RandomSlots slots(random);
        const auto env = slots.env();
        QueryTile tile{0, static_cast<index_t>(random() % 2), 1, static_cast<index_t>(random() % slots.queries), 0};
        if (tile.head == 0) tile.heads += random() % 2;
        tile.end = tile.begin + 1 + random() % (slots.queries - tile.begin);
        const index_t size = 1 + random() % 9;
        const auto some = visible_keys<C>(env, tile), every = unmasked_keys<C>(env, tile);
        const auto blocks = key_blocks<C>(env, tile, size);
        const bool solved = is_solved<C>(env);
        ASSERT_EQ(solved, computed_terms<C>(env).empty());
        ASSERT_TRUE(solved || !solved_by_types<C>);
        ASSERT_TRUE(solved || Random::computed) << name<C>().c_str();
        std::vector<bool> needed(static_cast<std::size_t>((slots.keys + size - 1) / size), false);
        std::vector<bool> hidden = needed;
        for (index_t k = 0; k < slots.keys; ++k) {
            bool any = false, all = true;
            for (index_t h = tile.head; h < tile.head + tile.heads; ++h)
                for (index_t q = tile.begin; q < tile.end; ++q) {
                    const bool sees = Random::at(slots.at(h, q, k));
                    (sees ? any : all) = sees;
                    if (!solved) continue;
                    const auto row = visible_keys<C>(env, QueryTile::of({0, h, q}));
                    ASSERT_EQ(row.contains(k), sees) << name<C>().c_str() << ' ' << q << ' ' << k;
                }
            ASSERT_TRUE(some.contains(k) || !any) << name<C>().c_str() << ' ' << tile.begin << ' ' << k;
            ASSERT_TRUE(!every.contains(k) || all) << name<C>().c_str() << ' ' << tile.begin << ' ' << k;
            if (any) needed[static_cast<std::size_t>(k / size)] = true;
            if (!all) hidden[static_cast<std::size_t>(k / size)] = true;
        }
        std::vector<bool> loaded(needed.size(), false);
        int last = -1;
        for (int n = 0; n < blocks.count(); ++n) {
            const int block = blocks.block(n);
            ASSERT_LT(last, block);
            ASSERT_LT(block, static_cast<int>(loaded.size()));
            loaded[static_cast<std::size_t>(block)] = true;
            const bool whole = (block + 1) * size <= slots.keys && !hidden[static_cast<std::size_t>(block)];
            ASSERT_TRUE(blocks.masked(block) || whole);
            last = block;
        }
        for (std::size_t n = 0; n < needed.size(); ++n) ASSERT_TRUE(loaded[n] || !needed[n]) << n;
        ++tally.conditions;
        tally.solved += solved;
        if (!solved) continue;
        tally.loaded += blocks.count();
        tally.least += std::count(needed.begin(), needed.end(), true);
    }
}
template <std::uint32_t... Seed>
void random_conditions(Tally& tally, std::integer_sequence<std::uint32_t, Seed...>) {
    (random_condition<Seed>(tally), ...);
}

/// 110 random trees of comparisons, each in 20 settings of lengths, slots, tile and block.
TEST(RandomConditions, HideNoKeyAndMaskEachThatIsHidden) {
    Tally tally;
    random_conditions(tally, std::make_integer_sequence<std::uint32_t, 110>{});
    EXPECT_GE(tally.conditions, 2000);
    EXPECT_GT(tally.solved, tally.conditions / 2);
    // Over a tile the terms of a conjunction are solved one by one, so that some blocks are loaded for nothing.
    EXPECT_LT(tally.loaded, tally.least * 5 / 4);
    RecordProperty("conditions", tally.conditions);
    RecordProperty("solved", tally.solved);
    RecordProperty("loaded", std::to_string(tally.loaded));
    RecordProperty("needed", std::to_string(tally.least));
}

}  // namespace
