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
template <class Mask>
struct Attend : Attention<40, Buf<0>, Buf<1>, Buf<2>, Mask> {};
template <class Mask>
using AlgebraOf = WgmmaAlgebra<AttentionAlgebra<typename Attend<Mask>::form>, false, false>;
using Args = WgmmaAttentionArgs<Nothing, Nothing>;
template <int Stages>
using Tile = WgmmaAttentionTile<fp16, 40, 2, 64, Stages>;

/// Adds one to each query that a block has, and notes its blocks of keys and its head of keys.
template <class Tile, class Mask>
__global__ void counts(const __grid_constant__ Args a, int* queries, int* blocks, int* key_heads) {
    const auto t = WgmmaAttentionWorkTile<Tile, AlgebraOf<Mask>>::of(a, block_index(), nullptr);
    for (int r = t.first_row; r < std::min(t.first_row + a.rows, a.queries); ++r) {
        const int at = (t.batch * a.heads + t.head) * a.queries + r;
        queries[at] += 1, blocks[at] = t.blocks, key_heads[at] = t.key_head;
    }
}
template <class Tile>
__global__ void shares(const __grid_constant__ Args a, int* first, int* blocks) {
    const auto t = WgmmaAttentionWorkTile<Tile, AlgebraOf<mask::Full>>::of(a, block_index(), nullptr);
    first[t.rank] = t.first_block, blocks[t.rank] = t.blocks;
}
/// True if a mask hides the key from the query, by its closed form.
template <class Mask>
bool hides(int position, int key);
template <>
bool hides<mask::Full>(int, int) {
    return false;
}
template <>
bool hides<mask::Causal>(int position, int key) {
    return key > position;
}
using Window = mask::Window<Const<100>>;
template <>
bool hides<Window>(int position, int key) {
    return key > position || key <= position - 100;
}
using Prefix = mask::Prefix<Const<150>>;
template <>
bool hides<Prefix>(int position, int key) {
    return key > position && key >= 150;
}
using SinkAndWindow = mask::If<And<LessEqual<Coord<3>, QueryPosition>,
                                   Or<Less<Coord<3>, Const<4>>, Less<Sub<QueryPosition, Coord<3>>, Const<100>>>>>;
template <>
bool hides<SinkAndWindow>(int position, int key) {
    return key > position || (key >= 4 && key <= position - 100);
}

/// Each query in one work tile, which visits those blocks of keys of which one of its queries sees a key, and no other.
template <class Mask>
void expect_each_once(int batch, int heads, int group, int queries, int keys) {
    using T = Tile<2>;
    Args a{};
    a.rows = T::rows, a.heads = heads, a.queries = queries, a.keys = keys;
    a.tiles = (queries + a.rows - 1) / a.rows;
    a.by_tiles = ShortDivisor(a.tiles), a.by_heads = ShortDivisor(heads), a.by_group = ShortDivisor(group);
    a.env.out = {{batch, heads, queries, keys}};
    const std::vector<int> zeros(static_cast<std::size_t>(batch * heads * queries));
    const Device<int> count(zeros), blocks(zeros), key_heads(zeros);
    ASSERT_EQ(error_of({a.tiles * heads * batch, 1}, counts<T, Mask>, a, count.p, blocks.p, key_heads.p), "");
    const auto counted = count.get(), seen = blocks.get(), read = key_heads.get();
    EXPECT_EQ(std::count(counted.begin(), counted.end(), 1), static_cast<std::ptrdiff_t>(counted.size()));
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const int query = static_cast<int>(i) % queries, head = static_cast<int>(i) / queries % heads;
        const int first = query / T::rows * T::rows, behind = std::min(first + T::rows, queries);
        int expected = 0;
        for (int block = 0; block * T::keys < keys; ++block) {
            bool some = false;
            for (int q = first; q < behind; ++q)
                for (int k = block * T::keys; k < std::min((block + 1) * T::keys, keys); ++k)
                    some = some || !hides<Mask>(q + keys - queries, k);
            expected += some;
        }
        EXPECT_EQ(seen[i], expected) << "query " << query;
        EXPECT_EQ(read[i], head / group);
    }
}
TEST(WgmmaAttentionTile, EachQueryOnce) {
    expect_each_once<mask::Full>(2, 3, 1, 300, 77);
    expect_each_once<mask::Full>(1, 6, 3, 128, 200);
    expect_each_once<mask::Causal>(2, 4, 2, 300, 500);
    expect_each_once<mask::Causal>(1, 1, 1, 1, 1);
    expect_each_once<Window>(1, 2, 1, 500, 500);
    expect_each_once<Window>(1, 1, 1, 300, 130);
    expect_each_once<Prefix>(1, 2, 2, 300, 400);
    expect_each_once<SinkAndWindow>(1, 1, 1, 500, 600);
}

__global__ void places(int* to) {
    const WgmmaKeyBlocks<3, false> blocks{{2, 7, 0}, {4, 10, 0}};
    int* const at = to;
    at[0] = blocks.count(), at[1] = blocks.first(), at[2] = blocks.last();
    for (int i = 0; i < 5; ++i) at[3 + i] = blocks.block(i);
    for (int b = 0; b < 12; ++b) at[8 + b] = 10 * blocks.place(b) + blocks.contains(b);
}
TEST(WgmmaAttentionTile, PlacesOfBlocks) {
    const Device<int> to(std::vector<int>(20));
    ASSERT_EQ(error_of({1, 1}, places, to.p), "");
    EXPECT_EQ(to.get(), (std::vector<int>{5, 2, 10, 2, 3, 7, 8, 9, 0, 0, 1, 11, 20, 20, 20, 21, 31, 41, 50, 50}));
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
