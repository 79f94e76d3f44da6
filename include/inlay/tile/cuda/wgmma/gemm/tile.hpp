// SPDX-License-Identifier: Apache-2.0
/// The block tile of a matrix product on sm_90a, the parameters of its kernel, and the division of its shared memory.
///
/// Two producer warps start the copies of a ring of stages, a k-block of 64 elements each, one those of A and one those
/// of W; consumer warpgroups multiply arrived stages. A stage has a tile of A and one of W. Of a filter's input it has
/// only W: a halo tile, the pixels under all taps of the block's outputs, is copied once for 64 channels, and each tap
/// reads it from another row on.
#pragma once

#include <inlay/expr/leaves.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/plan/gemm/wgmma.hpp>
#include <inlay/tile/cuda/isa/barrier.hpp>
#include <inlay/tile/cuda/isa/grid.hpp>
#include <inlay/tile/cuda/isa/tma.hpp>
#include <inlay/tile/cuda/isa/wgmma.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/gpu/scheduler.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The places of A's rows, and the halo tiles that cover them.
struct WgmmaRows : MappedRows {
    /// Number of halo tiles across and down an image, rows of a halo line and of an image in it, as pixels of the
    /// copied image.
    int across = 1, down = 1, pitch = 0, image_rows = 0;
    bool stacked = false;                   ///< atoms are images of at most 8×8
    ShortDivisor by_across, by_down, by_width, by_height, by_pitch, by_cols;
};
/// The input of a kernel that copies it as it is.
struct CopiedInput {};

/// M×N of C. `Groups` warpgroups multiply: they share the rows of a tile, or, where they alternate, each has tiles of
/// its own, so that one multiplies while another finishes. Taps: of a line of windows, under which A is read from halo
/// tiles: 3, or 2 of phases; 0: A is not. Sources: leaves of a source tile, from which the warps beside the one that
/// copies make A, through the input's expression; 0: A is copied as it is.
template <class T, int M, int N, int Groups = 2, bool Alternate = false, int Taps = 0, int Sources = 0>
struct WgmmaTile {
    using value_type = T;
    static constexpr WgmmaSchedule schedule{M, N, Alternate, Taps, ""};
    static constexpr int m = M, n = N, k = 64, groups = Groups;
    static constexpr bool ping_pong = Alternate, halo = Taps > 0, evaluates = Sources > 0;
    /// True if the blocks of a cluster may share its sum. Other tiles are compiled for whole sums only.
    static constexpr bool splits = schedule.splits();
    static constexpr int slice_unit = schedule.part_unit();  ///< k-blocks of which a slice is a multiple
    static constexpr int atoms = M / 64 / (Alternate ? 1 : Groups);     ///< of 64 rows, of a warpgroup
    static constexpr int accumulators = atoms * N / 2;                  ///< of a consumer thread
    /// Producer warpgroups: one, of which two warps copy, or those of which all warps but one evaluate; two of them if
    /// registers suffice.
    static constexpr int before = evaluates && wgmma_evaluators(schedule) == 7 ? 2 : 1,
                         evaluators = evaluates ? 4 * before - 1 : 0, threads = 128 * (before + Groups);
    static constexpr int row_bytes = 128;                               ///< of a stage: 64 elements
    /// True if a launch may omit the last warpgroup: blocks then have the first half of a tile's rows.
    static constexpr bool drops_warpgroup = Groups == 2 && !Alternate && !halo && !evaluates;

    /// Outputs of a halo tile: atoms of 8×8 pixels, two side by side, further ones below them; or in images of their
    /// own. Around them lie the pixels of 3×3 windows, of which a phase reads 2×2.
    static constexpr int taps = Taps, border = 2, wide = HaloOutputs::wide, high = HaloOutputs{M}.high();
    static constexpr int halo_rows = halo ? (M == 128 ? 2 * 10 * 10 : (wide + border) * (high + border)) : 0;
    static constexpr int halo_bytes = (halo_rows * row_bytes + 1023) / 1024 * 1024, halos = halo ? 2 : 0;

    static constexpr int source_operands = Sources, leaf_bytes = halo ? halo_bytes : M * row_bytes,
                         source_bytes = Sources * leaf_bytes,
                         source_stages = !evaluates ? 0 : halo ? (M == 128 ? 2 : 1) : Sources == 1 ? 3 : 2;
    static constexpr int a_bytes = halo ? 0 : M * row_bytes, w_bytes = N * row_bytes, stage_bytes = a_bytes + w_bytes;
    static constexpr int most_bytes = wgmma_shared_bytes, barrier_bytes = 256;
    /// Bytes left for stages beside a table of `table` bytes: 1 KB goes to alignment.
    static constexpr int stages(int table) {
        const int n = (most_bytes - 1024 - barrier_bytes - table - halos * halo_bytes -
                       source_stages * source_bytes) /
                      stage_bytes;
        return n > 10 ? 10 : n;
    }
    /// Registers of a producer thread and of a consumer thread, where there are two consumer warpgroups: at most 504 in
    /// all of three, 512 of four.
    static constexpr int few = !evaluates ? 40 : before == 1 ? 104 : 88,
                         many = !evaluates ? 232 : before == 1 ? 200 : 168;

    static_assert(M % 64 == 0 && atoms >= 1 && atoms <= 2 && N % 16 == 0 && N <= 256 && accumulators <= 160);
    static_assert(!halo || M == 128 || M == 256);
    static_assert(Taps == 0 || Taps == 2 || Taps == 3);
    static_assert(!halo || slice_unit == taps);
};

namespace detail {

/// The leaves of an input that is evaluated.
template <class In>
inline constexpr int wgmma_leaves = 0;
template <class In>
    requires requires { typename In::expression; }
inline constexpr int wgmma_leaves<In> = inlay::detail::leaves_of<CursorsOf<typename In::expression, In, float>>;

}  // namespace detail

/// Kernel parameters.
template <class T, class In_, class Epilogue_, class Sink_, class Place_, unsigned Copied = 0>
struct WgmmaArgs {
    using value_type = T;
    static constexpr unsigned copied = Copied;      ///< leaves of an input that is evaluated, a bit each
    using In = In_;
    using Epilogue = Epilogue_;
    using Sink = Sink_;
    using Place = Place_;

    TensorMap a_map[2];             ///< of A's first channels and of those after them, or of a source tile's leaves
    TensorMap w_map;
    In in;
    Epilogue epilogue;
    Sink sink;
    Place place;
    WgmmaRows rows{};
    int batch = 0, m = 0, n = 0, k = 0;
    int segments = 0, blocks = 0, k_blocks = 0;     ///< k_blocks = segments · blocks of 64 elements
    int first_blocks = 0;           ///< of the first map
    int m_tiles = 0, n_tiles = 0;   ///< of a batch item
    /// Divisors by tiles of an item, of a band of rows of them, and by rows of the last band.
    ShortDivisor by_item{}, by_band{}, by_last{};
    ShortDivisor by_slices{}, by_segments{}, by_blocks{};
    int tiles = 0;                  ///< in all
    int slices = 0;                 ///< split-K slices of each tile: the blocks of a cluster
    int rows_of_tile = 0;           ///< that a block has: Tile::m, or half of them
    int halo_bytes = 0;             ///< that the box of a halo tile, or those of a source tile, have
    /// True if rows of W come in an order in which a lane's registers are neighbouring columns: `WgmmaColumns`.
    bool in_order = false;
    bool w_constant = false;        ///< packed: W of the first k-blocks is copied before the kernel before has ended
    static constexpr int leaves = detail::wgmma_leaves<In>;
    WgmmaLeaf leaf[room_for<leaves>] = {};     ///< of an input that is evaluated
};

/// The columns of the result that a lane has, `each` next to each other: 16 bytes of halves where the tile is a
/// multiple of what four lanes then have, else half as many. Register e of the j-th 8 columns that are multiplied, of
/// lane q of four, is column 2·q + e of these 8. For it to be one of the lane's own, rows of W are copied in another
/// order: of 4·each rows, row each·q + 2·j + e to 8·j + 2·q + e.
///
/// Gated: 16 rows of W are those of one sum, the next 16 those of the other. Lanes 0 and 1 then have 16 columns of the
/// tile's first half, lanes 2 and 3 as many of the second, and it is row 8·q + 4·e + j of one such half, or rather 8·(q
/// % 2) + 4·e + j of 16 rows in the half of q / 2: an order that one box can bring, of whole tiles.
template <class Tile, class Args>
struct WgmmaColumns {
    static constexpr bool pairs = gated<typename Args::Epilogue::expression>,
                          as_half_argument = pairs && affine_silu_columns(Tile::n);
    static constexpr int each = as_half_argument || (!pairs && Tile::n % 32 == 0) ? 8 : 4,
                         group = as_half_argument ? 16 : 4 * each,     ///< rows of W that are next to each other
                         apart = as_half_argument ? 16 : 4 * each;     ///< columns, from one chunk of a lane to its next
    /// The first chunk of lane q.
    __device__ static int first(int q) { return as_half_argument ? q / 2 * (Tile::n / 4) + q % 2 * each : each * q; }
};

/// Rows of a tile that a block has, and its consumer warpgroups.
template <class Tile, class Args>
__device__ INLAY_INLINE int tile_rows(const Args& a) {
    if constexpr (Tile::drops_warpgroup) return a.rows_of_tile;
    else return Tile::m;
}
template <class Tile>
__device__ INLAY_INLINE int tile_groups() {
    if constexpr (Tile::drops_warpgroup) return block_threads() / 128 - Tile::before;
    else return Tile::groups;
}

/// The pipeline state: a place in a ring, which producers and consumers advance alike.
template <int Stages>
struct PipelineState {
    int stage = 0;
    std::uint32_t parity = 0;

    __device__ INLAY_INLINE void next() {
        if (++stage == Stages) stage = 0, parity ^= 1;
    }
    __device__ INLAY_INLINE void skip(int n) {
        const int to = stage + n, laps = to / Stages;
        stage = to - laps * Stages;
        parity ^= static_cast<std::uint32_t>(laps) & 1u;
    }
};

/// A work tile: a tile of C, and the k-blocks of its sum that the block computes.
struct WgmmaWorkTile {
    int batch, m_tile, n0;
    int begin, end;     ///< k-blocks
};

/// The first k-block of a split-K slice: `wgmma_first_k_block`.
template <class Tile, class Args>
__device__ INLAY_INLINE int slice_begin(const Args& a, int slice) {
    return a.by_slices.divide(a.k_blocks / Tile::slice_unit * slice) * Tile::slice_unit;
}

/// The tile scheduler: the work tiles of a block, in order.
template <class Tile, class Args, class Tiles = PersistentTiles>
struct WgmmaTileScheduler {
    const Args& a;
    const Tiles tiles;    ///< blocks, of a cluster one after the other
    int tile;                       ///< the next one
    int slice;

    __device__ WgmmaTileScheduler(const Args& args, Tiles t) : a(args), tiles(t) {
        const int block = tiles.first();
        tile = clusters(block);
        slice = Tile::splits ? block - tile * a.slices : 0;
    }
    __device__ bool more() const { return tile < a.tiles; }
    /// Advances by the number of clusters.
    __device__ void next() { tile += clusters(tiles.stride()); }
    /// Blocks that run together share rows of A and of W: they go down groups of `tall` rows of tiles.
    static constexpr int tall = 8;
    __device__ WgmmaWorkTile work_tile() const {
        const int batch = a.by_item.divide(tile), t = tile - batch * a.m_tiles * a.n_tiles;
        const int band = a.by_band.divide(t), in_band = t - band * tall * a.n_tiles, left = a.m_tiles - band * tall;
        const int column = left >= tall ? in_band / tall : a.by_last.divide(in_band),
                  row = in_band - column * (left >= tall ? tall : left);
        return {batch, band * tall + row, column * Tile::n, first_k_block(slice),
                Tile::splits ? first_k_block(slice + 1) : a.k_blocks};
    }

private:
    __device__ int clusters(int blocks) const { return Tile::splits ? a.by_slices.divide(blocks) : blocks; }
    __device__ int first_k_block(int of_slice) const { return Tile::splits ? slice_begin<Tile>(a, of_slice) : 0; }
};

/// The first output of a halo tile.
struct HaloOrigin {
    int image, y, x;

    template <class Tile>
    __device__ static HaloOrigin of(const WgmmaRows& g, int m_tile) {
        if (g.stacked) return {m_tile * (Tile::m / 64), 0, 0};
        const int line = g.by_across.divide(m_tile), image = g.by_down.divide(line), down = line - image * g.down;
        constexpr int of_lines = Tile::wide / Tile::high;   // tiles that share the lines of upsampled pixels
        return {image, g.shift == 0 ? down * Tile::high : down / of_lines * Tile::wide + down % of_lines,
                (m_tile - line * g.across) * Tile::wide};
    }
};

/// Row r of a tile as a row of the matrix; -1 if it has none.
template <class Tile, class Args>
__device__ INLAY_INLINE int wgmma_row(const Args& a, const WgmmaWorkTile& t, int r) {
    if constexpr (!Tile::halo) {
        const int m = t.m_tile * tile_rows<Tile>(a) + r;
        return m < a.m ? m : -1;
    } else {
        const WgmmaRows& g = a.rows;
        const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
        const int atom = r / 64, image = o.image + (g.stacked ? atom : 0), apart = g.stacked ? 0 : g.shift ? 1 : 8;
        const int y = o.y + ((r / 8 % 8) << g.shift) + atom / 2 * apart,
                  x = o.x + ((r % 8) << g.shift) + atom % 2 * apart;
        return image < g.images && y < g.height && x < g.width ? (image * g.height + y) * g.width + x : -1;
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
