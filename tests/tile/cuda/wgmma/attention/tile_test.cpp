// SPDX-License-Identifier: Apache-2.0
/// Tiles of sm_90a's attention: every query of every head belongs to one block, which reads as many blocks of keys as
/// its last query sees; what lies in shared memory does not overlap.
#include <gpu/emulated/check.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/tile.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <algorithm>

namespace emulator_test {

struct Nothing {};
using Args = WgmmaAttentionArgs<Nothing, Nothing>;
template <int Stages>
using Tile = WgmmaAttentionTile<fp16, 40, 2, 64, Stages>;

/// Adds one to each query that a block has, and notes its blocks of keys and its head of keys.
template <class Tile, class Mask>
__global__ void counts(const __grid_constant__ Args a, int* queries, int* blocks, int* key_heads) {
    const auto t = WgmmaAttentionWorkTile::of<Tile, Mask>(a, block_index());
    for (int r = t.first_row; r < std::min(t.first_row + a.rows, a.queries); ++r) {
        const int at = (t.batch * a.heads + t.head) * a.queries + r;
        queries[at] += 1, blocks[at] = t.blocks, key_heads[at] = t.key_head;
    }
}
template <class Tile>
__global__ void shares(const __grid_constant__ Args a, int* first, int* blocks) {
    const auto t = WgmmaAttentionWorkTile::of<Tile, PrefixMask<mask::Full::condition>>(a, block_index());
    first[t.rank] = t.first_block, blocks[t.rank] = t.blocks;
}
template <class Mask>
void expect_each_once(int batch, int heads, int group, int queries, int keys) {
    using T = Tile<2>;
    using Prefix = PrefixMask<typename Mask::condition>;
    Args a{};
    a.rows = T::rows, a.heads = heads, a.queries = queries, a.keys = keys;
    a.tiles = (queries + a.rows - 1) / a.rows;
    a.by_tiles = ShortDivisor(a.tiles), a.by_heads = ShortDivisor(heads), a.by_group = ShortDivisor(group);
    const std::vector<int> zeros(static_cast<std::size_t>(batch * heads * queries));
    const Device<int> count(zeros), blocks(zeros), key_heads(zeros);
    ASSERT_EQ(error_of({a.tiles * heads * batch, 1}, counts<T, Prefix>, a, count.p, blocks.p, key_heads.p), "");
    const auto counted = count.get(), seen = blocks.get(), read = key_heads.get();
    EXPECT_EQ(std::count(counted.begin(), counted.end(), 1), static_cast<std::ptrdiff_t>(counted.size()));
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const int query = static_cast<int>(i) % queries, head = static_cast<int>(i) / queries % heads;
        const auto end = static_cast<int>(Prefix::end(query, queries, keys));
        EXPECT_GE(seen[i] * T::keys, end) << "query " << query;
        EXPECT_LE(seen[i], (keys + T::keys - 1) / T::keys);
        EXPECT_EQ(read[i], head / group);
    }
}
TEST(WgmmaAttentionTile, EachQueryOnce) {
    expect_each_once<mask::Full>(2, 3, 1, 300, 77);
    expect_each_once<mask::Full>(1, 6, 3, 128, 200);
    expect_each_once<mask::Causal>(2, 4, 2, 300, 500);
    expect_each_once<mask::Causal>(1, 1, 1, 1, 1);
}
// The first tile of a long causal sequence sees few keys: a block that read all would be right and slow.
TEST(WgmmaAttentionTile, ReadsNoBlockThatAMaskHides) {
    using T = Tile<2>;
    Args a{};
    a.queries = a.keys = 1024;
    EXPECT_EQ((WgmmaAttentionWorkTile::blocks_of<T, PrefixMask<mask::Causal::condition>>(a, T::rows - 1)), T::rows / T::keys);
    EXPECT_EQ((WgmmaAttentionWorkTile::blocks_of<T, PrefixMask<mask::Full::condition>>(a, T::rows - 1)), 1024 / T::keys);
}

// Blocks of a cluster have the same queries, and each block of keys belongs to one of them.
TEST(WgmmaAttentionTile, BlocksOfAClusterShareTheKeys) {
    using T = WgmmaAttentionTile<fp16, 512, 2, 32, 2, 1, false, 1, 2, true>;
    for (const int keys : {1, 32, 33, 200, 512}) {
        Args a{};
        a.rows = T::rows, a.heads = a.tiles = 1, a.queries = 10, a.keys = keys;
        a.by_tiles = a.by_heads = a.by_group = ShortDivisor(1);
        const Device<int> first(std::vector<int>(2)), blocks(std::vector<int>(2));
        ASSERT_EQ(error_of({2, 1}, shares<T>, a, first.p, blocks.p), "");
        const auto f = first.get(), b = blocks.get();
        EXPECT_EQ(f[0], 0);
        EXPECT_EQ(f[1], b[0]);
        EXPECT_EQ(b[0] + b[1], (keys + 31) / 32);
        EXPECT_LE(b[0] - b[1], 1);
    }
}

template <class Tile>
void expect_layout() {
    const WgmmaAttentionShared<Tile> s{1024};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parts = {{s.q, Tile::q_bytes}, {s.q_full(), 8}};
    for (int i = 0; i < Tile::stages; ++i) {
        parts.push_back({s.k(i), Tile::key_bytes});
        parts.push_back({s.v(i), Tile::key_bytes});
        for (const std::uint32_t bar : {s.k_full(i), s.k_empty(i), s.v_full(i), s.v_empty(i)}) {
            EXPECT_EQ(bar % 8, 0u);
            parts.push_back({bar, 8});
        }
        EXPECT_EQ(s.k(i) % 1024, 0u) << "swizzles count from multiples of 1 KB";
        EXPECT_EQ(s.v(i) % 1024, 0u);
    }
    if (Tile::cluster) parts.push_back({s.sent(), 8});
    std::sort(parts.begin(), parts.end());
    for (std::size_t i = 1; i < parts.size(); ++i)
        EXPECT_GE(parts[i].first, parts[i - 1].first + parts[i - 1].second);
    EXPECT_LE(parts.back().first + parts.back().second - 1024, static_cast<std::uint32_t>(Tile::shared) - 1024);
}
TEST(WgmmaAttentionTile, PartsOfSharedMemoryAreApart) {
    expect_layout<Tile<2>>();
    expect_layout<Tile<1>>();
    expect_layout<WgmmaAttentionTile<bf16, 160, 1, 80, 3>>();
    expect_layout<WgmmaAttentionTile<fp16, 512, 2, 32, 2, 1, false, 1, 2, true>>();
}
// The registers that the producer warpgroup gives are those that the others take.
template <class Tile>
constexpr bool registers_fit =
    128 * Tile::few + 128 * Tile::groups * Tile::many <= Tile::at_start * Tile::threads && Tile::many <= 240;
static_assert(registers_fit<WgmmaAttentionTile<fp16, 40, 3, 64, 2>> && registers_fit<Tile<3>> &&
              registers_fit<WgmmaAttentionTile<fp16, 128, 2, 128, 2>>);

}  // namespace emulator_test
