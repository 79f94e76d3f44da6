// SPDX-License-Identifier: Apache-2.0
/// Schedules of the matrix engine of sm_90a as data, and the rule that chooses among them: clocks of the busiest
/// multiprocessor, from the times of a k-block in the matrix unit, shared memory and the second-level cache.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/order.hpp>
#include <inlay/plan/clusters.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI {

/// Bytes of shared memory that a block may have.
inline constexpr int wgmma_shared_bytes = 227 * 1024;

struct WgmmaSchedule {
    int m, n;               ///< block tile; k-blocks of 64 elements
    bool ping_pong;         ///< `tile/cuda/wgmma/gemm/tile.hpp`
    int halo;               ///< taps of a line of windows that are read from halo tiles; 0: no halo tiles
    const char* found;      ///< the measurement behind it
    int groups = 2;         ///< consumer warpgroups; one: the first half of the rows of another schedule's tile
    bool pairs = false;     ///< for gated products alone

    /// Number of k-blocks that divides a split-K slice: a line of taps.
    constexpr int part_unit() const { return halo > 0 ? halo : 1; }
    /// K-blocks of 64 channels: the taps of a window that halo tiles serve.
    constexpr int taps() const { return halo > 0 ? halo * halo : 1; }
    /// True if blocks can share a tile's sum: shared memory holds it twice.
    constexpr bool splits() const { return !ping_pong && 2 * m * n * 4 <= wgmma_shared_bytes; }
};

/// Warps that evaluate: of two warpgroups all but one warp if the consumers leave them the registers, else of one.
constexpr int wgmma_evaluators(const WgmmaSchedule& s) {
    return s.m * s.n / (s.ping_pong ? 128 : 256) <= 96 ? 7 : 3;
}

/// Schedules of linear layers, and of filters that are not 3×3 at stride 1.
inline constexpr WgmmaSchedule wgmma_boxes[] = {
    {128, 128, true, 0, "bench/tune on an H200: best where there are many tiles of a short sum"},
    {128, 160, false, 0, "bench/tune on an H200: best for wide rows of 160 and more columns"},
    {128, 80, false, 0, "bench/tune on an H200: best for 128 tiles of 2048 and fewer rows, and in parts"},
    {64, 80, false, 0, "timed on an H200: best for up to 128 tiles of 512 and fewer rows", 1},
    {64, 160, false, 0, "half of 128x160, for few rows and heads or pairs of sums", 1},
    {128, 96, false, 0, "bench/tune on an H200: best for pairs of sums of 128 rows", 2, true},
};
/// Schedules of 3×3 filters at stride 1, from halo tiles.
inline constexpr WgmmaSchedule wgmma_windows[] = {
    {256, 128, false, 3, "bench/tune on an H200: best for evaluated images of 128×128 and more pixels"},
    {128, 160, false, 3,
     "bench/tune on an H200: best at 64×64 pixels, and evaluated in two parts at 32×32"},
    {128, 80, false, 3, "bench/tune on an H200: best at 32×32 pixels and fewer, in parts"},
    {128, 128, true, 3,
     "bench/tune on an H200: best for images of 128×128 and more pixels, and for one of 64×64"},
};
/// Schedules of the four phases of an upsampled 3×3 filter, from halo tiles: the same, not tuned anew.
inline constexpr WgmmaSchedule wgmma_phases[] = {
    {256, 128, false, 2, "as of 3x3 windows"},
    {128, 160, false, 2, "as of 3x3 windows"},
    {128, 80, false, 2, "as of 3x3 windows"},
    {128, 128, true, 2, "as of 3x3 windows"},
};

struct WgmmaChoice {
    int index = 0;      ///< in its table
    int parts = 1;      ///< of the sum: the blocks of a cluster
    double clocks = 0;
};

namespace detail {

/// Bytes a clock that the second-level cache delivers to all multiprocessors and to one, and that shared memory moves;
/// clocks before a block's first k-block; of a tile's epilogue, at least and for each element; of an exchange of
/// split-K slices, of two and of more.
/// Fitted to bench/tune on an H200, of so many GHz.
struct WgmmaClocks {
    static constexpr double ghz = 1.66;
    static constexpr double cache = 5950, cache_port = 66, shared = 128, begin = 3000, finish = 400,
                            epilogue_element = 0.14, pair = 1800, pair_byte = 0.05, exchange = 3800,
                            exchange_byte = 0.07;
    /// Clocks of 8 elements that seven warps evaluate, and three, in SiLU of an affine input, beside products; alone
    /// seven take 1.4 (stamps of the clock in the kernel).
    static constexpr double seven_evaluate = 2.4, three_evaluate = 3.3;
    /// The same of boxes, for each tensor that differs from row to row: SiLU, and GEGLU.
    static constexpr double seven_evaluate_box = 1.3, three_evaluate_box = 1.8;
    /// Clocks from the last k-block of one warpgroup's halo tile to the first of the other's.
    static constexpr double turn = 500;
};

}  // namespace detail

/// The reading of an input: evaluated, not copied as it is, from so many tensors that differ from row to row; of a
/// quarter of its pixels, which are upsampled by 2.
struct WgmmaReading {
    bool evaluates = false, upsamples = false;
    int tensors = 1;
};
/// Copied rows of a tile's A: for one k-block, or for those of a halo tile.
constexpr int wgmma_rows(const WgmmaSchedule& s, WgmmaReading in) {
    return !s.halo ? s.m : in.upsamples ? 100 : s.m == 128 ? 200 : 324;
}
/// The first k-block of a split-K slice, which with halo tiles begins with a line of taps.
constexpr index_t wgmma_first_k_block(const WgmmaSchedule& s, index_t steps, int parts, int part) {
    return steps / s.part_unit() * part / parts * s.part_unit();
}
/// Evaluations of 64 channels of a tile's A by the busiest of `parts` blocks: anew for each tile, so that narrow tiles,
/// which are more, evaluate more; and a halo tile whose nine k-blocks two blocks share is evaluated by both.
constexpr index_t wgmma_evaluations(const WgmmaSchedule& s, index_t steps, int parts) {
    const index_t taps = s.taps();
    index_t most = 0;
    for (int p = 0; p < parts; ++p)
        most = larger(most, (wgmma_first_k_block(s, steps, parts, p + 1) + taps - 1) / taps -
                                wgmma_first_k_block(s, steps, parts, p) / taps);
    return most;
}

/// The cost of a schedule by the rule, in clocks of the busiest multiprocessor.
struct WgmmaCost {
    double matrix, shared, cache;   ///< of a k-block: matrix unit, shared memory, second-level cache
    index_t steps, rounds;          ///< k-blocks of a tile; tiles one after the other
    double begin, finish;           ///< before a block's first k-block; from a tile's last k-block to its end
    bool overlaps;                  ///< ping-pong: one warpgroup's epilogue runs beside the other's mainloop
    double evaluate = 0;            ///< a tile's input, beside its k-blocks
    double turn = 0;                ///< between tiles of warpgroups that alternate

    constexpr double step() const { return larger(larger(matrix, shared), cache); }
    constexpr double multiply(double then = 0) const {
        return larger(static_cast<double>(steps) * step() + then, evaluate);
    }
    constexpr double clocks() const {
        const double tile = overlaps ? larger(multiply(turn), (multiply() + finish) / 2) : multiply() + finish;
        return begin + static_cast<double>(rounds) * tile;
    }
};

constexpr WgmmaCost wgmma_cost(const WgmmaSchedule& s, index_t tiles, index_t steps, int parts, int units,
                                 WgmmaReading in = {}) {
    using C = detail::WgmmaClocks;
    const double atoms = s.m / 64.0, w = s.n * 128.0, a = wgmma_rows(s, in) * 128.0 / s.taps();
    const index_t at_once = sm90_clusters(units, parts), rounds = (tiles + at_once - 1) / at_once,
                  blocks = smaller(tiles, at_once) * parts;
    double finish = (C::finish + C::epilogue_element * s.m * s.n) / parts;
    if (parts == 2) finish += C::pair + C::pair_byte * s.m * s.n * 4;
    if (parts > 2) finish += C::exchange + C::exchange_byte * s.m * s.n * 4;
    WgmmaCost c{atoms * s.n * 2, (atoms * (8192 + w) + a + w) / C::shared,
                 (a + w) / smaller(C::cache_port, C::cache / static_cast<double>(blocks)),
                 (steps / s.part_unit() + parts - 1) / parts * s.part_unit(), rounds, C::begin, finish,
                 s.ping_pong && rounds > 1};
    if (s.halo && s.ping_pong) c.turn = C::turn;
    if (in.evaluates) {
        const bool seven = wgmma_evaluators(s) == 7;
        const double chunk = s.halo  ? seven ? C::seven_evaluate : C::three_evaluate
                             : seven ? C::seven_evaluate_box
                                     : C::three_evaluate_box,
                     once = wgmma_rows(s, in) * 8 * chunk * in.tensors;
        c.begin += once;    // nothing is multiplied beside the first one
        c.evaluate = static_cast<double>(wgmma_evaluations(s, steps, parts)) * once;
    }
    return c;
}

/// True if `parts` blocks can share each tile's sum: all at once, two k-blocks or a line of taps each, or more.
constexpr bool wgmma_can_share(const WgmmaSchedule& s, index_t tiles, index_t steps, int parts, int units) {
    return parts == 1 || (s.splits() && tiles <= sm90_clusters(units, parts) &&
                          larger(2, s.part_unit()) * parts <= steps);
}

/// The choice for a product of `batch` times n columns in `steps` k-blocks; `m_tiles`: tiles of rows of each schedule,
/// 0 if it does not support the product.
template <std::size_t N>
constexpr WgmmaChoice choose_wgmma(const WgmmaSchedule (&table)[N], int units, index_t batch,
                                     const index_t (&m_tiles)[N], index_t n, index_t steps, WgmmaReading in = {}) {
    WgmmaChoice best;
    for (int i = 0; i < static_cast<int>(N); ++i) {
        const WgmmaSchedule& s = table[i];
        if (m_tiles[i] == 0) continue;
        const index_t tiles = batch * m_tiles[i] * ((n + s.n - 1) / s.n);
        for (int parts = 1; parts <= 8; ++parts) {
            if (!wgmma_can_share(s, tiles, steps, parts, units)) continue;
            WgmmaChoice c{i, parts};
            c.clocks = wgmma_cost(s, tiles, steps, parts, units, in).clocks();
            if (best.clocks == 0 || c.clocks < best.clocks) best = c;
        }
    }
    return best;
}

}  // namespace inlay::inline INLAY_ABI
