// SPDX-License-Identifier: Apache-2.0
/// Counts of visited blocks beside every score of every block.
#include <inlay/report/attention/block_counts.hpp>

#include <inlay/expr/binary.hpp>
#include <inlay/frame/attention.hpp>

#include <gtest/gtest.h>

namespace {

using namespace inlay;

/// `visible(query, key)`, queries counted from the end of the keys; of one head and batch item.
template <class Visible>
BlockCounts by_scores(index_t queries, index_t keys, index_t rows, index_t columns, const Visible& visible) {
    BlockCounts counts;
    for (index_t q0 = 0; q0 < queries; q0 += rows)
        for (index_t k0 = 0; k0 < keys; k0 += columns) {
            index_t some = 0, hidden = 0;
            for (index_t q = q0; q < std::min(q0 + rows, queries); ++q)
                for (index_t k = k0; k < std::min(k0 + columns, keys); ++k)
                    (visible(q + keys - queries, k) ? some : hidden) += 1;
            counts.all += 1;
            counts.visited += some > 0;
            // The last block is masked where it ends beyond the keys.
            counts.masked += some > 0 && (hidden > 0 || k0 + columns > keys);
        }
    return counts;
}
template <class Condition, class Visible>
void expect_scores(const Visible& visible) {
    for (const auto& [queries, keys] : {std::pair<index_t, index_t>{128, 128}, {100, 300}, {1, 257}, {64, 64}})
        for (const auto& [rows, columns] : {std::pair<index_t, index_t>{64, 64}, {128, 32}, {16, 80}}) {
            const AttentionShape s{.batch = 2, .heads = 3, .group = 1, .queries = queries, .keys = keys};
            const BlockCounts found = count_blocks<Condition>(s, {rows, columns, false});
            const BlockCounts one = by_scores(queries, keys, rows, columns, visible);
            EXPECT_EQ(found.all, 6 * one.all);
            EXPECT_EQ(found.visited, 6 * one.visited) << queries << "x" << keys << " by " << rows << "x" << columns;
            EXPECT_EQ(found.masked, 6 * one.masked) << queries << "x" << keys << " by " << rows << "x" << columns;
        }
}

TEST(BlockCounts, OfCausalAttention) {
    expect_scores<LessEqual<Coord<3>, QueryPosition>>([](index_t q, index_t k) { return k <= q; });
}
TEST(BlockCounts, OfKeysAhead) {
    expect_scores<Less<QueryPosition, Coord<3>>>([](index_t q, index_t k) { return q < k; });
}
TEST(BlockCounts, OfNothing) {
    const AttentionShape s{.batch = 2, .heads = 3, .group = 1, .queries = 0, .keys = 7};
    EXPECT_EQ((count_blocks<LessEqual<Coord<3>, QueryPosition>>(s, {64, 64, false}).all), 0);
    EXPECT_EQ((count_blocks<LessEqual<Coord<3>, QueryPosition>>({.queries = 5}, {0, 0, false}).all), 0);
}

}  // namespace
