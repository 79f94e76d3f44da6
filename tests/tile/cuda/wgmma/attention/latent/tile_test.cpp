// SPDX-License-Identifier: Apache-2.0
/// Tiles of latent attention: every head belongs to one block, or to one of each slice of the keys, and what lies in
/// shared memory does not overlap.
#include <gpu/emulated/check.hpp>

#include <inlay/frame/attention.hpp>
#include <inlay/tile/cuda/wgmma/attention/latent/tile.hpp>
#include <inlay/tile/cuda/wgmma/attention/scores.hpp>

#include <algorithm>

namespace emulator_test {

template <class Mask>
struct Latent : Attention<576, Buf<0>, Buf<1>, Buf<2>, ValueColumns<512>, Mask> {};
template <class Mask>
using AlgebraOf = WgmmaAlgebra<AttentionAlgebra<typename Latent<Mask>::form>, false, true>;
struct Nothing {};
using Args = WgmmaLatentArgs<Nothing, Nothing, Env<4, 0>>;
using Tile = WgmmaLatentTile<bf16, 576, 512>;
/// Heads see other numbers of keys: the first ones the fewest.
using ByHead = mask::If<LessEqual<Coord<3>, Mul<Coord<1>, Const<4>>>>;

template <class Mask>
__global__ void counts(const __grid_constant__ Args a, int* heads, int* blocks) {
    const auto t = WgmmaLatentWorkTile<Tile, AlgebraOf<Mask>>::of(a, block_index());
    blocks[block_index()] = t.blocks;
    if (thread_index() == 0)
        for (int h = t.head; h < t.end; ++h) heads[t.batch * a.key_heads * a.group + h] += 1;
}
/// Numbers of the blocks of keys that blocks of threads have, of which each head belongs to one for each slice.
template <class Mask>
std::vector<int> blocks_of(int batch, int key_heads, int group, int keys, int log2_slices = 0) {
    Args a{};
    a.tiles = (group + 63) / 64, a.key_heads = key_heads, a.group = group, a.keys = keys, a.log2_slices = log2_slices;
    a.by_tiles = ShortDivisor(a.tiles), a.by_heads = ShortDivisor(key_heads);
    a.env.out = {{batch, key_heads * group, 1, keys}};
    const int threads_blocks = batch * key_heads * a.tiles << log2_slices;
    const Device<int> heads(std::vector<int>(static_cast<std::size_t>(batch * key_heads * group))),
        blocks(std::vector<int>(static_cast<std::size_t>(threads_blocks)));
    EXPECT_EQ(error_of({threads_blocks, 32}, counts<Mask>, a, heads.p, blocks.p), "");
    const auto counted = heads.get();
    EXPECT_EQ(std::count(counted.begin(), counted.end(), 1 << log2_slices),
              static_cast<std::ptrdiff_t>(counted.size()));
    return blocks.get();
}

TEST(WgmmaLatentTile, EachHeadOnce) {
    EXPECT_EQ((blocks_of<mask::Full>(2, 2, 70, 100)), std::vector<int>(8, 2));
    EXPECT_EQ((blocks_of<mask::Full>(3, 1, 128, 4096)), std::vector<int>(6, 64));
    EXPECT_EQ((blocks_of<ByHead>(1, 1, 128, 500)), (std::vector<int>{4, 8}));
}
TEST(WgmmaLatentTile, BlocksOfAClusterShareOutTheKeys) {
    EXPECT_EQ((blocks_of<mask::Full>(1, 1, 16, 600, 1)), (std::vector<int>{5, 5}));
    EXPECT_EQ((blocks_of<mask::Full>(1, 1, 16, 600, 2)), (std::vector<int>{3, 3, 3, 1}));
    EXPECT_EQ((blocks_of<mask::Full>(1, 1, 16, 600, 3)), (std::vector<int>{2, 2, 2, 2, 2, 0, 0, 0}));
}

template <class Tile>
void expect_layout() {
    const WgmmaLatentShared<Tile> s{1024};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parts = {
        {s.q, Tile::stage_bytes}, {s.q_full(), 8}, {s.sent(), 8}};
    for (int stage = 0; stage < 2; ++stage) {
        parts.push_back({s.k(stage), Tile::stage_bytes});
        for (const std::uint32_t bar : {s.full(stage, 0), s.full(stage, 1), s.empty(stage, 0), s.empty(stage, 1),
                                        s.weighted(stage)}) {
            EXPECT_EQ(bar % 8, 0u);
            parts.push_back({bar, 8});
        }
        parts.push_back({s.shift(stage), Tile::row_numbers});
        parts.push_back({s.sum(stage), Tile::row_numbers});
        EXPECT_EQ(s.k(stage) % 1024, 0u) << "swizzles count from multiples of 1 KB";
        EXPECT_EQ(s.tail(stage) + Tile::atom_bytes, s.k(stage) + Tile::stage_bytes);
    }
    std::sort(parts.begin(), parts.end());
    for (std::size_t i = 1; i < parts.size(); ++i)
        EXPECT_GE(parts[i].first, parts[i - 1].first + parts[i - 1].second);
    EXPECT_LE(parts.back().first + parts.back().second - 1024, static_cast<std::uint32_t>(Tile::shared) - 1024);
}
TEST(WgmmaLatentTile, PartsOfSharedMemoryAreApart) {
    expect_layout<Tile>();
    expect_layout<WgmmaLatentTile<fp16, 192, 128>>();
}
// The registers that the producer warpgroup gives are those that the others take.
static_assert(128 * Tile::few + 256 * Tile::many <= 65536 / Tile::threads / 8 * 8 * Tile::threads);

}  // namespace emulator_test
