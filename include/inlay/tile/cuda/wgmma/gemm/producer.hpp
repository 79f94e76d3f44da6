// SPDX-License-Identifier: Apache-2.0
/// The producers: for each k-block a box of W and one of A, or pixels under a tap, or once for all taps a halo. To
/// start a copy takes about 100 clocks, so one warp starts those of A and another one those of W.
#pragma once

#include <inlay/tile/cuda/wgmma/gemm/tile.hpp>

#include <climits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A block's shared memory: stages, halo tiles, source tiles, barriers, then room for what the finish keeps. Addresses.
template <class Tile, int Stages>
struct WgmmaShared {
    static constexpr int stages = Stages;
    std::uint32_t ring;

    static constexpr int halo_offset = Stages * Tile::stage_bytes,
                         source_offset = halo_offset + Tile::halos * Tile::halo_bytes,
                         barrier_offset = source_offset + Tile::source_stages * Tile::source_bytes,
                         table_offset = barrier_offset + Tile::barrier_bytes;

    __device__ std::uint32_t a(int stage) const { return ring + stage * Tile::stage_bytes; }
    __device__ std::uint32_t w(int stage) const { return a(stage) + Tile::a_bytes; }
    __device__ std::uint32_t halo(int i) const { return ring + halo_offset + i * Tile::halo_bytes; }
    __device__ std::uint32_t source(int i) const { return ring + source_offset + i * Tile::source_bytes; }
    __device__ std::uint32_t full(int stage) const { return ring + barrier_offset + 8 * stage; }
    __device__ std::uint32_t empty(int stage) const { return full(Stages + stage); }
    __device__ std::uint32_t halo_full(int i) const { return full(2 * Stages + i); }
    __device__ std::uint32_t halo_empty(int i) const { return full(2 * Stages + Tile::halos + i); }
    __device__ std::uint32_t source_full(int i) const { return full(2 * Stages + 2 * Tile::halos + i); }
    __device__ std::uint32_t source_empty(int i) const {
        return full(2 * Stages + 2 * Tile::halos + Tile::source_stages + i);
    }
    /// Barrier of the sums that other blocks of the cluster send.
    __device__ std::uint32_t received() const { return full(2 * Stages + 2 * Tile::halos + 2 * Tile::source_stages); }

    /// Barrier of a ping-pong warpgroup.
    __device__ std::uint32_t turn(int group) const {
        return full(2 * Stages + 2 * Tile::halos + 2 * Tile::source_stages + 1 + group);
    }
    static constexpr int barriers =
        2 * Stages + 2 * Tile::halos + 2 * Tile::source_stages + 1 + (Tile::ping_pong ? Tile::groups : 0);
    static_assert(8 * barriers <= Tile::barrier_bytes);

    /// Called by one thread. A stage is full when all its copied and evaluated data is there, and empty when every warp
    /// that reads it has released it.
    __device__ void init() const {
        const int readers = 4 * (Tile::ping_pong ? 1 : tile_groups<Tile>());
        for (int i = 0; i < Stages; ++i) {
            barrier_init(full(i), 1 + (Tile::halo ? 0 : Tile::evaluates ? Tile::evaluators : 1));
            barrier_init(empty(i), readers);
        }
        for (int i = 0; i < Tile::halos; ++i) {
            barrier_init(halo_full(i), Tile::evaluates ? Tile::evaluators : 1);
            barrier_init(halo_empty(i), readers);
        }
        for (int i = 0; i < Tile::source_stages; ++i) {
            barrier_init(source_full(i), 1);
            barrier_init(source_empty(i), Tile::evaluators);
        }
        barrier_init(received(), 1);
        if constexpr (Tile::ping_pong)
            for (int i = 0; i < Tile::groups; ++i) barrier_init(turn(i), 4);
        fence_barriers();
    }
};

/// Called by all threads, once, at the place of each role: waits until the block's barriers are initialised.
__device__ INLAY_INLINE void barriers_made() { block_barrier(); }
/// The same, once `found`, any integer but the least, has been computed: else the compiler may defer its computation.
__device__ INLAY_INLINE void barriers_made(int found) {
    if (found != INT_MIN) barriers_made();
}

/// A k-block of a work tile's sum: 64 channels of a tap. Halo tiles go over taps first, others over channels.
template <class Tile, class Args>
struct WgmmaKBlock {
    int segment, block;

    __device__ WgmmaKBlock(const Args& a, int k_block) {
        if constexpr (Tile::halo) block = a.by_segments.divide(k_block), segment = k_block - block * a.segments;
        else segment = a.by_blocks.divide(k_block), block = k_block - segment * a.blocks;
    }
};

/// The producer of W. Copies come in runs, along which one coordinate changes, so that the loop over k-blocks computes
/// little: it has about 250 clocks for a k-block of 64×80. A copy is announced first: its place and its bytes. For a
/// block's first one that is done before the kernel before has ended.
template <class Tile, class Args, class Shared>
struct WgmmaProducerW {
    const Args& a;
    const Shared& shared;
    WgmmaKBlock<Tile, Args> place{a, 0};     ///< the begin of the next run
    PipelineState<Shared::stages> at{};
    int run = 0, left = 0;                  ///< copies of the run, and of the work tile behind it
    int row = 0, item = 0, block = 0;       ///< in the map
    int first = 0, second = 0;
    /// From a copy to the next one of a run: along channels, of halo tiles along taps.
    const int further = !Tile::halo ? Tile::k : a.in_order ? a.k : 0, further_second = Tile::halo && !a.in_order;

    __device__ INLAY_INLINE void begin(const WgmmaWorkTile& t) {
        place = {a, t.begin};
        left = t.end - t.begin;
        if (a.in_order) block = (t.batch * a.n + t.n0) / WgmmaColumns<Tile, Args>::group;
        else row = t.n0, item = t.batch;
        begin_run();
    }
    __device__ INLAY_INLINE void begin_run() {
        const int k = place.block * Tile::k;
        first = a.in_order ? k + place.segment * a.k : k;
        second = a.in_order ? 0 : place.segment;
        run = (::min)(left, Tile::halo ? a.segments - place.segment : a.blocks - place.block);
        left -= run;
        if constexpr (Tile::halo) place.segment = 0, ++place.block;
        else place.block = 0, ++place.segment;
    }
    /// All of what `begin` finds.
    __device__ INLAY_INLINE int found() const { return first | second | row | item | block | run | left; }
    /// Waits for a free stage, which there is for a block's first copies.
    __device__ INLAY_INLINE void wait() const { barrier_wait(shared.empty(at.stage), at.parity ^ 1); }
    __device__ INLAY_INLINE void announce() const { barrier_expect(shared.full(at.stage), Tile::w_bytes); }
    __device__ INLAY_INLINE void copy() const {
        copy_box(shared.w(at.stage), a.w_map, shared.full(at.stage), first, second, row, item, block);
    }
    /// To the next copy of the run.
    __device__ INLAY_INLINE void next() { at.next(), first += further, second += further_second; }
};

/// The producer of A in stages, halo tiles or source tiles.
template <class Tile, class Args, class Shared>
struct WgmmaProducerA {
    const Args& a;
    const Shared& shared;
    static constexpr int ring = Tile::evaluates ? Tile::source_stages : Tile::halo ? Tile::halos : Shared::stages;
    WgmmaKBlock<Tile, Args> place{a, 0};
    PipelineState<ring> at{};
    int run = 0, left = 0;      ///< as of W; a run is along the channels of a tensor
    /// The begin of the tile: its first row and the batch item, or the pixel at which its first window begins.
    int x = 0, y = 0, image = 0;
    int channel = 0;            ///< of the batch item's first one
    const TensorMap* map = nullptr;
    int first = 0, right = 0, down = 0;

    __device__ INLAY_INLINE void begin(const WgmmaWorkTile& t) {
        const WgmmaRows& g = a.rows;
        place = {a, t.begin};
        // One copy of a halo tile serves all taps.
        left = Tile::halo ? a.by_segments.divide(t.end + a.segments - 1) - place.block : t.end - t.begin;
        if constexpr (Tile::halo) {
            const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
            image = o.image;
            y = (o.y - g.before) >> g.shift;
            x = (o.x - g.before) >> g.shift;
        } else if (g.pixels) {
            const int row = t.m_tile * tile_rows<Tile>(a), line = g.by_width.divide(row);
            image = g.by_height.divide(line);
            x = (row - line * g.width) * g.stride - g.before;
            y = (line - image * g.height) * g.stride - g.before;
        } else {
            x = t.m_tile * tile_rows<Tile>(a);
            y = t.batch;
        }
        channel = t.batch * g.channels;
        begin_run();
    }
    __device__ INLAY_INLINE void begin_run() {
        const bool behind = place.block >= a.first_blocks;
        map = a.a_map + behind;
        first = channel + (place.block - (behind ? a.first_blocks : 0)) * Tile::k;
        if constexpr (!Tile::halo && !Tile::evaluates)
            if (a.rows.pixels) {
                const WgmmaRows& g = a.rows;
                const int line = g.by_cols.divide(place.segment);
                down = line * g.dilation, right = (place.segment - line * g.cols) * g.dilation;
            }
        run = (::min)(left, (behind ? a.blocks : (::min)(a.first_blocks, a.blocks)) - place.block);
        left -= run;
        place.block += run;
        if constexpr (!Tile::halo)
            if (place.block == a.blocks) place.block = 0, ++place.segment;
    }
    /// All of what `begin` finds.
    __device__ INLAY_INLINE int found() const {
        return first | right | down | x | y | image | run | left |
               static_cast<int>(reinterpret_cast<std::uintptr_t>(map));
    }
    __device__ INLAY_INLINE std::uint32_t full() const {
        return Tile::evaluates ? shared.source_full(at.stage)
               : Tile::halo    ? shared.halo_full(at.stage)
                               : shared.full(at.stage);
    }
    __device__ INLAY_INLINE void wait() const {
        barrier_wait(Tile::evaluates ? shared.source_empty(at.stage)
                     : Tile::halo    ? shared.halo_empty(at.stage)
                                     : shared.empty(at.stage),
                     at.parity ^ 1);
    }
    __device__ INLAY_INLINE void announce() const {
        constexpr bool known = !Tile::halo && !Tile::evaluates && !Tile::drops_warpgroup;
        barrier_expect(full(), static_cast<std::uint32_t>(known ? Tile::a_bytes : a.halo_bytes));
    }
    __device__ INLAY_INLINE void copy() const {
        const std::uint32_t to = Tile::evaluates ? shared.source(at.stage)
                                 : Tile::halo    ? shared.halo(at.stage)
                                                 : shared.a(at.stage);
        if constexpr (Tile::evaluates) {
            INLAY_UNROLL
            for (int i = 0; i < Tile::source_operands; ++i)
                copy_box(to + i * Tile::leaf_bytes, a.a_map[i], full(), first, x, y, image);
        } else if (!Tile::halo && a.rows.pixels) {
            copy_pixels(to, *map, full(), first, x, y, image, static_cast<std::uint16_t>(right),
                        static_cast<std::uint16_t>(down));
        } else {
            copy_box(to, *map, full(), first, x, y, image);
        }
    }
    __device__ INLAY_INLINE void next() { at.next(), first += Tile::k; }
};

/// The copies of a block's tiles, one after the other.
template <class Tile, class Args, class Tiles, class Load>
struct WgmmaCopies {
    WgmmaTileScheduler<Tile, Args, Tiles> scheduler;
    Load load;

    __device__ WgmmaCopies(const Args& args, Tiles tiles, const Load& l) : scheduler(args, tiles), load(l) {
        load.begin(scheduler.work_tile());
    }
    /// To the next run; false: there is none.
    __device__ INLAY_INLINE bool next_run() {
        if (load.left > 0) {
            load.begin_run();
            return true;
        }
        scheduler.next();
        if (!scheduler.more()) return false;
        load.begin(scheduler.work_tile());
        return true;
    }
    /// Starts the next copy, if there is one.
    __device__ INLAY_INLINE void copy_next(bool elected) {
        if (load.run == 0 && (!scheduler.more() || !next_run())) return;
        load.wait();
        if (elected) load.announce(), load.copy();
        count();
    }
    /// Starts the next n copies of a run, which has as many.
    __device__ INLAY_INLINE void copy(int n, bool elected) {
        for (int i = 0; i < n; ++i, load.next()) {
            load.wait();
            if (elected) load.announce(), load.copy();
        }
        load.run -= n;
    }
    /// One has been started.
    __device__ INLAY_INLINE void count() { load.next(), --load.run; }
};

/// K-blocks of a block of which W is copied before the kernel before has ended, if any: of more than half of the
/// stages, A would wait behind W.
template <class Shared, class Args>
__device__ INLAY_INLINE int early_steps(const Args& a) {
    return a.w_constant ? (Shared::stages < 8 ? Shared::stages / 2 : 4) : 0;
}

/// The producers, a warp each for A and for W, of which a thread starts all copies of the block: the first `early`
/// ones, of constants, before the kernel before has ended. All threads compute the operands of copies, so that they
/// stay in uniform registers, and those of the first copy before they wait: no work is left between that end and the
/// copy.
template <class Tile, class Args, class Tiles, class Load>
__device__ INLAY_INLINE void wgmma_produce(const Args& a, Tiles tiles, const Load& first, int early) {
    WgmmaCopies<Tile, Args, Tiles, Load> copies(a, tiles, first);
    Load& load = copies.load;
    barriers_made(load.found());
    const bool elected = elect_thread();
    if (elected) load.announce();
    if (early == 0) after_previous_kernel();
    else reads_constants();
    if (elected) load.copy();
    copies.count();
    if (early == 1) after_previous_kernel();
    int waits = early > 1 ? early - 1 : 0;      // copies until then
    do {
        while (load.run > 0) {
            const int n = waits > 0 ? (::min)(waits, load.run) : load.run;
            copies.copy(n, elected);
            if (waits > 0 && (waits -= n) == 0) after_previous_kernel();
        }
    } while (copies.next_run());
    if (waits > 0) after_previous_kernel();
}
/// Both by one warp, where the other warps evaluate: source tiles as far ahead as there is room for them.
template <class Tile, class Args, class Tiles, class Shared>
__device__ INLAY_INLINE void wgmma_produce_both(const Args& a, Tiles tiles, const Shared& shared) {
    using LoadA = WgmmaProducerA<Tile, Args, Shared>;
    using LoadW = WgmmaProducerW<Tile, Args, Shared>;
    WgmmaCopies<Tile, Args, Tiles, LoadA> source(a, tiles, LoadA{a, shared});
    WgmmaCopies<Tile, Args, Tiles, LoadW> w(a, tiles, LoadW{a, shared});
    barriers_made(source.load.found() | w.load.found());
    const bool elected = elect_thread();
    if (elected) source.load.announce();
    // Of the first work tile. Where each k-block has a source tile of its own, this warp has no time for more.
    const int early = Tile::halo ? (::min)(early_steps<Shared>(a), w.load.run) : 0;
    if (early > 0) reads_constants(), w.copy(early, elected);
    after_previous_kernel(source.load.found());
    if (elected) source.load.copy();
    source.count();
    // As many as there are free stages.
    for (int i = 1; i < Tile::source_stages; ++i) source.copy_next(elected);
    // Then the W of a block of channels, as far as it is not copied yet, and the source tile that takes the place of
    // its own, which has been read when some taps have.
    do {
        if constexpr (Tile::halo) {
            w.copy((::min)(w.load.run, Shared::stages), elected);
            source.copy_next(elected);
            w.copy(w.load.run, elected);
        } else {
            while (w.load.run > 0) w.copy(1, elected), source.copy_next(elected);
        }
    } while (w.next_run());
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
