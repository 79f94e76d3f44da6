// SPDX-License-Identifier: Apache-2.0
/// Blocks of keys that a tile of queries visits, for each named mask: as many as a closed formula says, over many
/// lengths, tiles and blocks, and none with a visible key left out.
#include <inlay/exec/tensor.hpp>
#include <inlay/frame/attention/mask.hpp>
#include <inlay/plan/attention/visible_keys.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace {

using namespace inlay;

constexpr auto i = query_position;
constexpr auto j = coord<3>;

/// Keys [begin, end).
struct Span {
    long begin, end;
};
/// A tile's first and last query, counted from the end of the keys, and the number of keys.
struct Tile {
    long first, last, keys;
    Span keys_of(long begin, long end) const {
        return {std::clamp(begin, 0L, keys), std::clamp(end, 0L, keys)};
    }
};
/// Blocks that two spans of keys touch, the second of which begins at or after the first.
long blocks_of(Span a, Span b, long size) {
    const auto count = [&](long begin, long end) {
        return begin < end ? (end + size - 1) / size - begin / size : 0;
    };
    if (a.begin >= a.end) return count(b.begin, b.end);
    if (b.begin >= b.end) return count(a.begin, a.end);
    const long next = (a.end + size - 1) / size * size;     // b begins there at the earliest
    return count(a.begin, a.end) + count(std::max(b.begin, next), b.end);
}
long blocks_of(Span a, long size) { return blocks_of(a, {0, 0}, size); }

using Formula = std::function<long(const Tile&, long size)>;
using Visible = std::function<bool(long i, long key)>;

/// Visits the tiles of some lengths. `env(queries, keys)`: the slots of the condition.
template <class Condition, class Environment>
void expect_visits(const Environment& env, const Visible& visible, const Formula& formula,
                   bool queries_are_keys = false) {
    long settings = 0, visited = 0, all = 0;
    for (const long keys : {0L, 1L, 15L, 64L, 65L, 200L, 511L})
        for (const long queries : {0L, 1L, 3L, 64L, 65L, 200L, 300L})
            for (const long rows : {1L, 16L, 64L, 128L})
                for (const long size : {1L, 64L, 80L}) {
                    if (queries_are_keys && queries > keys) continue;
                    const auto slots = env(queries, keys);
                    ++settings;
                    for (long q = 0; q < queries; q += rows) {
                        const long end = std::min(q + rows, queries);
                        const auto blocks = key_blocks<Condition>(slots, {0, 0, 1, q, end}, size);
                        const Tile tile{q + keys - queries, end - 1 + keys - queries, keys};
                        ASSERT_EQ(blocks.count(), formula(tile, size))
                            << queries << " queries, " << keys << " keys, tile " << q << " of " << rows
                            << ", blocks of " << size;
                        std::vector<bool> visits(static_cast<std::size_t>(keys / size + 1), false);
                        for (int n = 0; n < blocks.count(); ++n)
                            visits[static_cast<std::size_t>(blocks.block(n))] = true;
                        for (long k = 0; k < keys; ++k)
                            for (long row = tile.first; row <= tile.last && !visits[static_cast<std::size_t>(k / size)];
                                 ++row)
                                ASSERT_FALSE(visible(row, k)) << row << ' ' << k << ' ' << rows << ' ' << size;
                        visited += blocks.count(), all += (keys + size - 1) / size;
                    }
                }
    EXPECT_GT(settings, 300);
    ::testing::Test::RecordProperty("visited", std::to_string(visited) + " of " + std::to_string(all));
}
Env<4, 0> no_slots(long queries, long keys) { return {{}, {}, {{1, 1, queries, keys}}}; }

TEST(VisitedBlocks, Full) {
    expect_visits<mask::Full::condition>(no_slots, [](long, long) { return true; }, [](const Tile& t, long size) {
        return blocks_of({0, t.keys}, size);
    });
}
TEST(VisitedBlocks, Causal) {
    expect_visits<mask::Causal::condition>(
        no_slots, [](long q, long k) { return k <= q; },
        [](const Tile& t, long size) { return blocks_of(t.keys_of(0, t.last + 1), size); });
}
TEST(VisitedBlocks, Window) {
    expect_visits<mask::Window<Const<50>>::condition>(
        no_slots, [](long q, long k) { return k <= q && q - k < 50; },
        [](const Tile& t, long size) { return blocks_of(t.keys_of(t.first - 49, t.last + 1), size); });
}
TEST(VisitedBlocks, WindowOnBothSides) {
    constexpr auto near = abs(i - j) < constant<33>;
    expect_visits<std::remove_cv_t<decltype(near)>>(
        no_slots, [](long q, long k) { return std::labs(q - k) < 33; },
        [](const Tile& t, long size) { return blocks_of(t.keys_of(t.first - 32, t.last + 33), size); });
}
TEST(VisitedBlocks, Prefix) {
    const Visible visible = [](long q, long k) { return k < 40 || k <= q; };
    const Formula formula = [](const Tile& t, long size) {
        return blocks_of(t.keys_of(0, std::max(40L, t.last + 1)), size);
    };
    expect_visits<mask::Prefix<Const<40>>::condition>(no_slots, visible, formula);
    const auto scalar = [](long queries, long keys) { return Env<4, 1>{{}, {Scalar(40.0)}, {{1, 1, queries, keys}}}; };
    expect_visits<mask::Prefix<Param<0>>::condition>(scalar, visible, formula);
}
TEST(VisitedBlocks, SinkAndWindow) {
    constexpr auto mask = j <= i && (j < constant<4> || i - j < constant<70>);
    expect_visits<std::remove_cv_t<decltype(mask)>>(
        no_slots, [](long q, long k) { return k <= q && (k < 4 || q - k < 70); },
        [](const Tile& t, long size) {
            return blocks_of(t.keys_of(0, std::min(4L, t.last + 1)), t.keys_of(t.first - 69, t.last + 1), size);
        });
}
TEST(VisitedBlocks, BlockDiagonal) {
    constexpr auto mask = floor(i / constant<48>) == floor(j / constant<48>);
    const auto floored = [](long x) { return (x + 48000) / 48 - 1000; };
    expect_visits<std::remove_cv_t<decltype(mask)>>(
        no_slots, [&](long q, long k) { return floored(q) == k / 48; },
        [&](const Tile& t, long size) {
            return blocks_of(t.keys_of(floored(t.first) * 48, (floored(t.last) + 1) * 48), size);
        });
}
/// The step is computed: its blocks are those of the window, and without one all.
TEST(VisitedBlocks, Dilated) {
    constexpr auto step = i - j == constant<4> * floor((i - j) / constant<4>);
    expect_visits<std::remove_cv_t<decltype(step)>>(
        no_slots, [](long q, long k) { return (q - k) % 4 == 0; },
        [](const Tile& t, long size) { return blocks_of({0, t.keys}, size); });
    constexpr auto window = j <= i && i - j < constant<50> && step;
    expect_visits<std::remove_cv_t<decltype(window)>>(
        no_slots, [](long q, long k) { return k <= q && q - k < 50 && (q - k) % 4 == 0; },
        [](const Tile& t, long size) { return blocks_of(t.keys_of(t.first - 49, t.last + 1), size); });
}

/// Documents of 1 to 29 keys, whose ids ascend.
struct Documents {
    std::vector<long> begins;   ///< of the document of each key
    std::vector<long> ends;
    std::vector<int> ids;
    Documents() {
        for (int id = 0; begins.size() < 600; ++id) {
            const long begin = static_cast<long>(begins.size()), length = 1 + id * 7 % 29;
            begins.insert(begins.end(), static_cast<std::size_t>(length), begin);
            ends.insert(ends.end(), static_cast<std::size_t>(length), begin + length);
            ids.insert(ids.end(), static_cast<std::size_t>(length), id);
        }
    }
    auto env() const {
        return [this](long queries, long keys) {
            using T = Tensor<const int, 4>;
            return Env<4, 0, T, T>{make_pack(T(ids.data() + keys - queries, Extents<4>{{1, 1, queries, 1}}),
                                             T(ids.data(), Extents<4>{{1, 1, 1, keys}})),
                                   {},
                                   {{1, 1, queries, keys}}};
        };
    }
    long begin(long key) const { return begins[static_cast<std::size_t>(key)]; }
    long end(long key) const { return ends[static_cast<std::size_t>(key)]; }
};
TEST(VisitedBlocks, Documents) {
    const Documents d;
    using Same = Equal<Ascending<Buf<0>>, Ascending<Buf<1>>>;
    expect_visits<Same>(
        d.env(), [&](long q, long k) { return d.begin(q) == d.begin(k); },
        [&](const Tile& t, long size) { return blocks_of(t.keys_of(d.begin(t.first), d.end(t.last)), size); }, true);
    expect_visits<And<Same, mask::Causal::condition>>(
        d.env(), [&](long q, long k) { return d.begin(q) == d.begin(k) && k <= q; },
        [&](const Tile& t, long size) { return blocks_of(t.keys_of(d.begin(t.first), t.last + 1), size); }, true);
}

}  // namespace
