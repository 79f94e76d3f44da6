// SPDX-License-Identifier: Apache-2.0
/// Tiles of sm_90a: every row and column of a product belongs to one tile of one cluster, and every step of its sum to
/// one block of it.
#include <gpu/emulated/check.hpp>

#include <inlay/tile/cuda/wgmma/gemm/tile.hpp>

#include <algorithm>

namespace emulator_test {

using Args = WgmmaArgs<fp16, CopiedInput, int, int, int>;

/// A block adds the steps that it does to each row of each column of tiles.
template <class Tile>
__global__ void counts_steps(const __grid_constant__ Args a, int* to) {
    for (WgmmaTileScheduler<Tile, Args> scheduler(a, PersistentTiles{}); scheduler.more(); scheduler.next()) {
        const WgmmaWorkTile t = scheduler.work_tile();
        for (int r = 0; r < tile_rows<Tile>(a); ++r)
            if (const int row = wgmma_row<Tile>(a, t, r); row >= 0)
                to[(t.batch * a.m + row) * a.n_tiles + t.n0 / Tile::n] += t.end - t.begin;
    }
}

/// Of a product of `g`'s pixels, or of m rows, as its launch divides it.
template <class Tile>
void expect_each_once(int batch, int m, int n, int steps, int parts, WgmmaRows g = {}, int rows = Tile::m) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n) + ", " + std::to_string(parts) + " parts");
    const auto up = [](int x, int y) { return (x + y - 1) / y; };
    const WgmmaSchedule s{rows, Tile::n, Tile::ping_pong, Tile::halo, ""};
    WgmmaGrid w{Tile::halo, batch, m, n, steps, g, nullptr};
    g.stacked = HaloOutputs{Tile::m}.stacks(g);
    g.across = up(g.width, Tile::wide);
    g.down = up(g.height, Tile::high);
    g.by_across = ShortDivisor(g.across);
    g.by_down = ShortDivisor(g.down);
    Args a{};
    a.rows = g;
    a.rows_of_tile = rows;
    a.batch = batch, a.m = m, a.n = n, a.k_blocks = steps, a.slices = parts;
    a.m_tiles = static_cast<int>(wgmma_m_tiles(s, w));
    a.n_tiles = up(n, Tile::n);
    a.tiles = batch * a.m_tiles * a.n_tiles;
    constexpr int tall = WgmmaTileScheduler<Tile, Args>::tall;
    a.by_item = ShortDivisor(a.m_tiles * a.n_tiles);
    a.by_band = ShortDivisor(tall * a.n_tiles);
    a.by_last = ShortDivisor(std::max(1, a.m_tiles % tall));
    a.by_slices = ShortDivisor(parts);
    Device<int> count{std::vector<int>(static_cast<std::size_t>(batch * m * a.n_tiles))};
    const int clusters = parts > 1 ? a.tiles : std::min(a.tiles, 5);
    EXPECT_EQ(error_of({clusters * parts, 1, 0}, counts_steps<Tile>, a, count.p), "");
    const std::vector<int> got = count.get();
    EXPECT_EQ(std::count(got.begin(), got.end(), steps), static_cast<std::ptrdiff_t>(got.size()));
}
WgmmaRows pixels(int images, int height, int width) {
    WgmmaRows g;
    g.pixels = true;
    g.images = images, g.height = height, g.width = width;
    return g;
}

TEST(WgmmaTile, RowsOfAMatrix) {
    using Tile = WgmmaTile<fp16, 128, 80>;
    expect_each_once<Tile>(1, 1, 1, 1, 1);
    expect_each_once<Tile>(1, 1300, 200, 7, 1);     // more rows of tiles than a band has, the last one short
    expect_each_once<Tile>(3, 300, 81, 7, 1);
    for (const int parts : {2, 3, 5, 8}) expect_each_once<Tile>(1, 300, 160, 11, parts);
    // Halves of it.
    expect_each_once<Tile>(1, 1300, 200, 7, 1, {}, 64);
    expect_each_once<Tile>(3, 300, 81, 7, 3, {}, 64);
}
TEST(WgmmaTile, PixelsOfHaloTiles) {
    using Tile = WgmmaTile<fp16, 128, 80, 2, false, 3>;
    using Tall = WgmmaTile<fp16, 256, 128, 2, false, 3>;
    using ByTurns = WgmmaTile<fp16, 128, 128, 2, true, 3>;
    using Phases = WgmmaTile<fp16, 128, 80, 2, false, 2>;
    for (const auto& [images, height, width] : {std::array{2, 9, 19}, {1, 40, 33}, {3, 8, 8}, {5, 5, 3}, {1, 1, 1}}) {
        const WgmmaRows g = pixels(images, height, width);
        expect_each_once<Tile>(1, images * height * width, 100, 18, 1, g);
        expect_each_once<Tile>(1, images * height * width, 100, 18, 4, g);
        expect_each_once<Tall>(1, images * height * width, 100, 18, 1, g);
        expect_each_once<ByTurns>(1, images * height * width, 100, 18, 1, g);
        // Two phases of four, with lines of two taps.
        for (const int parts : {1, 3}) expect_each_once<Phases>(2, images * height * width, 100, 8, parts, g);
    }
}
TEST(WgmmaTile, LeavesRoomForThreeStages) {
    static_assert(WgmmaTile<fp16, 128, 256>::stages(1024) == 4);
    static_assert(WgmmaTile<fp16, 256, 128, 2, false, 3>::stages(1024) >= 3);
    static_assert(WgmmaTile<fp16, 128, 128, 2, true, 3, 1>::stages(2048) >= 3);
    static_assert(WgmmaTile<fp16, 128, 160, 2, false, 3, 1>::stages(1024) >= 3);
}

}  // namespace emulator_test
