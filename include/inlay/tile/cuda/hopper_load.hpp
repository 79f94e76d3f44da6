// SPDX-License-Identifier: Apache-2.0
/// The threads that fill the ring: for each step a box of W and one of A, or pixels under a tap, or once for all taps a
/// halo. A copy takes one thread about 100 clocks to start, so one starts those of A and another one those of W.
#pragma once

#include <inlay/tile/cuda/hopper_tile.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// A block's shared memory: stages, halo tiles, raw tiles, barriers, then room for what the finish keeps. Addresses.
template <class Tile, int Stages>
struct HopperShared {
    static constexpr int stages = Stages;
    std::uint32_t ring;

    static constexpr int halo_offset = Stages * Tile::stage_bytes,
                         raw_offset = halo_offset + Tile::halos * Tile::halo_bytes,
                         barrier_offset = raw_offset + Tile::raws * Tile::raw_bytes,
                         table_offset = barrier_offset + Tile::barrier_bytes;

    __device__ std::uint32_t a(int stage) const { return ring + stage * Tile::stage_bytes; }
    __device__ std::uint32_t w(int stage) const { return a(stage) + Tile::a_bytes; }
    __device__ std::uint32_t halo(int i) const { return ring + halo_offset + i * Tile::halo_bytes; }
    __device__ std::uint32_t raw(int i) const { return ring + raw_offset + i * Tile::raw_bytes; }
    __device__ std::uint32_t full(int stage) const { return ring + barrier_offset + 8 * stage; }
    __device__ std::uint32_t empty(int stage) const { return full(Stages + stage); }
    __device__ std::uint32_t halo_full(int i) const { return full(2 * Stages + i); }
    __device__ std::uint32_t halo_empty(int i) const { return full(2 * Stages + Tile::halos + i); }
    __device__ std::uint32_t raw_full(int i) const { return full(2 * Stages + 2 * Tile::halos + i); }
    __device__ std::uint32_t raw_empty(int i) const { return full(2 * Stages + 2 * Tile::halos + Tile::raws + i); }
    /// Of what other blocks of the cluster send.
    __device__ std::uint32_t received() const { return full(2 * Stages + 2 * Tile::halos + 2 * Tile::raws); }

    /// Of a warpgroup that takes turns with another one.
    __device__ std::uint32_t turn(int group) const {
        return full(2 * Stages + 2 * Tile::halos + 2 * Tile::raws + 1 + group);
    }
    static constexpr int barriers =
        2 * Stages + 2 * Tile::halos + 2 * Tile::raws + 1 + (Tile::alternate ? Tile::groups : 0);
    static_assert(8 * barriers <= Tile::barrier_bytes);

    /// By one thread. A stage is full when all that is copied and evaluated for it is there, and empty when every warp
    /// that reads it says so.
    __device__ void init() const {
        const int readers = 4 * (Tile::alternate ? 1 : tile_groups<Tile>());
        for (int i = 0; i < Stages; ++i) {
            barrier_init(full(i), 1 + (Tile::halo ? 0 : Tile::evaluates ? Tile::evaluators : 1));
            barrier_init(empty(i), readers);
        }
        for (int i = 0; i < Tile::halos; ++i) {
            barrier_init(halo_full(i), Tile::evaluates ? Tile::evaluators : 1);
            barrier_init(halo_empty(i), readers);
        }
        for (int i = 0; i < Tile::raws; ++i) {
            barrier_init(raw_full(i), 1);
            barrier_init(raw_empty(i), Tile::evaluators);
        }
        barrier_init(received(), 1);
        if constexpr (Tile::alternate)
            for (int i = 0; i < Tile::groups; ++i) barrier_init(turn(i), 4);
        fence_barriers();
    }
};

/// A step of a task's sum: 64 channels of a tap. Halo tiles go over taps first, others over channels.
template <class Tile, class Args>
struct HopperStep {
    int segment, block;

    __device__ HopperStep(const Args& a, int step) {
        if constexpr (Tile::halo) block = a.by_segments.divide(step), segment = step - block * a.segments;
        else segment = a.by_blocks.divide(step), block = step - segment * a.blocks;
    }
    __device__ INLAY_INLINE void next(const Args& a) {
        if constexpr (Tile::halo) {
            if (++segment == a.segments) segment = 0, ++block;
        } else {
            if (++block == a.blocks) block = 0, ++segment;
        }
    }
};

/// What fills stages with W. A copy is announced first: where it goes, how much it brings, and from where. Of a block's
/// first one that is done before the kernel before has ended.
template <class Tile, class Args, class Shared>
struct HopperLoadW {
    const Args& a;
    const Shared& shared;
    HopperStep<Tile, Args> place{a, 0};
    RingPlace<Shared::stages> at{};
    int row = 0, item = 0, block = 0;   ///< in the map
    std::uint32_t to = 0, full = 0;     ///< of the copy that is announced
    int first = 0, second = 0;

    __device__ INLAY_INLINE void begin(const HopperTask& t) {
        place = {a, t.begin};
        if (a.in_order) block = (t.batch * a.n + t.n0) / HopperColumns<Tile, Args>::group;
        else row = t.n0, item = t.batch;
    }
    /// Of a task that has begun.
    __device__ INLAY_INLINE int copies(const HopperTask& t) const { return t.end - t.begin; }
    /// All of what `begin` and `announce` find.
    __device__ INLAY_INLINE int found() const { return first | second | row | item | block; }
    /// Waits for room.
    __device__ INLAY_INLINE void announce() {
        const int k = place.block * Tile::k;
        to = shared.w(at.stage), full = shared.full(at.stage);
        first = a.in_order ? k + place.segment * a.k : k;
        second = a.in_order ? 0 : place.segment;
        barrier_wait(shared.empty(at.stage), at.parity ^ 1);
        barrier_expect(full, Tile::w_bytes);
    }
    __device__ INLAY_INLINE void copy() {
        copy_box(to, a.w_map, full, first, second, row, item, block);
        at.next();
        place.next(a);
    }
};

/// What fills stages with A, or halo tiles, or raw tiles.
template <class Tile, class Args, class Shared>
struct HopperLoadA {
    const Args& a;
    const Shared& shared;
    static constexpr int ring = Tile::evaluates ? Tile::raws : Tile::halo ? Tile::halos : Shared::stages;
    HopperStep<Tile, Args> place{a, 0};
    RingPlace<ring> at{};
    /// Where the tile begins: its first row and the batch item, or the pixel at which its first window begins.
    int x = 0, y = 0, image = 0;
    int channel = 0;            ///< of the batch item's first one
    std::uint32_t to = 0, full = 0;     ///< of the copy that is announced
    const TensorMap* map = nullptr;
    int first = 0, right = 0, down = 0;

    __device__ INLAY_INLINE void begin(const HopperTask& t) {
        const HopperRows& g = a.rows;
        place = {a, t.begin};
        if constexpr (Tile::halo) {
            const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
            image = o.image;
            y = (o.y - g.before) >> g.shift;
            x = (o.x - g.before) >> g.shift;
        } else if (g.pixels) {
            const int first = t.m_tile * tile_rows<Tile>(a), line = g.by_width.divide(first);
            image = g.by_height.divide(line);
            x = (first - line * g.width) * g.stride - g.before;
            y = (line - image * g.height) * g.stride - g.before;
        } else {
            x = t.m_tile * tile_rows<Tile>(a);
            y = t.batch;
        }
        channel = t.batch * g.channels;
    }
    /// Of a task that has begun.
    __device__ INLAY_INLINE int copies(const HopperTask& t) const {
        if constexpr (Tile::halo) return a.by_segments.divide(t.end + a.segments - 1) - place.block;
        else return t.end - t.begin;
    }
    /// All of what `begin` and `announce` find.
    __device__ INLAY_INLINE int found() const { return first | right | down | x | y | image; }
    /// Waits for room.
    __device__ INLAY_INLINE void announce() {
        full = Tile::evaluates ? shared.raw_full(at.stage)
               : Tile::halo    ? shared.halo_full(at.stage)
                               : shared.full(at.stage);
        to = Tile::evaluates ? shared.raw(at.stage) : Tile::halo ? shared.halo(at.stage) : shared.a(at.stage);
        const std::uint32_t empty = Tile::evaluates ? shared.raw_empty(at.stage)
                                    : Tile::halo    ? shared.halo_empty(at.stage)
                                                    : shared.empty(at.stage);
        const bool behind = place.block >= a.first_blocks;
        map = a.a_map + behind;
        first = channel + (place.block - (behind ? a.first_blocks : 0)) * Tile::k;
        if constexpr (!Tile::halo && !Tile::evaluates)
            if (a.rows.pixels) {
                const HopperRows& g = a.rows;
                const int line = g.by_cols.divide(place.segment);
                down = line * g.dilation, right = (place.segment - line * g.cols) * g.dilation;
            }
        barrier_wait(empty, at.parity ^ 1);
        constexpr bool known = !Tile::halo && !Tile::evaluates && !Tile::halves;
        barrier_expect(full, static_cast<std::uint32_t>(known ? Tile::a_bytes : a.halo_bytes));
    }
    __device__ INLAY_INLINE void copy() {
        if constexpr (Tile::evaluates) {
            INLAY_UNROLL
            for (int i = 0; i < Tile::raw_leaves; ++i)
                copy_box(to + i * Tile::leaf_bytes, a.a_map[i], full, first, x, y, image);
        } else if (!Tile::halo && a.rows.pixels) {
            copy_pixels(to, *map, full, first, x, y, image, static_cast<std::uint16_t>(right),
                        static_cast<std::uint16_t>(down));
        } else {
            copy_box(to, *map, full, first, x, y, image);
        }
        at.next();
        if constexpr (Tile::halo) ++place.block;  // one copy serves all taps
        else place.next(a);
    }
};

/// Steps of a block of which W is copied before the kernel before has ended, if any: of more, A would wait behind W.
template <class Shared, class Args>
__device__ INLAY_INLINE int early_steps(const Args& a) {
    constexpr int most = Shared::stages < 4 ? Shared::stages : 4;
    return a.w_early ? most : 0;
}

/// By a warp each for A and for W, of which a thread starts all copies of the block: the first `early` ones, of
/// constants, before the kernel before has ended.
template <class Tile, class Args, class Load>
__device__ INLAY_INLINE void hopper_load(const Args& a, Load load, int early) {
    if (!elect_thread()) return after_previous_kernel();
    HopperTasks<Tile, Args> tasks(a);
    int left = 0;
    const auto begin = [&] {
        const HopperTask t = tasks.task();
        load.begin(t);
        left = load.copies(t);
        load.announce();
    };
    begin();
    if (early > 0) reads_constants();
    while (true) {
        if (early-- == 0) after_previous_kernel(load.found() | left);
        load.copy();
        if (--left > 0) {
            load.announce();
            continue;
        }
        tasks.next();
        if (!tasks.more()) break;
        begin();
    }
    if (early >= 0) after_previous_kernel();
}
/// Both by one thread, where the other warps evaluate: raw tiles as far ahead as there is room for them.
template <class Tile, class Args, class Shared>
struct HopperLoadRaw {
    HopperTasks<Tile, Args> tasks;
    HopperLoadA<Tile, Args, Shared> load;
    int left = 0;       ///< copies of the task

    __device__ HopperLoadRaw(const Args& args, const Shared& shared) : tasks(args), load{args, shared} { begin(); }
    __device__ INLAY_INLINE void begin() {
        const HopperTask t = tasks.task();
        load.begin(t);
        left = load.copies(t);
        load.announce();
    }
    /// The one that is announced.
    __device__ INLAY_INLINE void copy() {
        load.copy();
        --left;
    }
    /// The next one, if there is one.
    __device__ INLAY_INLINE void step() {
        if (left == 0) {
            if (!tasks.more()) return;
            tasks.next();
            if (!tasks.more()) return;
            begin();
        } else {
            load.announce();
        }
        copy();
    }
};
template <class Tile, class Args, class Shared>
__device__ INLAY_INLINE void hopper_load_both(const Args& a, const Shared& shared) {
    if (!elect_thread()) return after_previous_kernel();
    HopperLoadRaw<Tile, Args, Shared> raw(a, shared);
    HopperLoadW<Tile, Args, Shared> w{a, shared};
    HopperTasks<Tile, Args> tasks(a);
    HopperTask t = tasks.task();
    w.begin(t);
    const auto copy_w = [&] { w.announce(), w.copy(); };
    // Of the first task. Where each step has a raw tile of its own, this thread has no time for more.
    int early = Tile::halo ? ::min(early_steps<Shared>(a), t.end - t.begin) : 0;
    if (early > 0) reads_constants();
    for (int i = 0; i < early; ++i) copy_w();
    after_previous_kernel(raw.load.found());
    raw.copy();
    // As many as nobody has to give back first.
    for (int i = 1; i < Tile::raws; ++i) raw.step();
    while (true) {
        HopperStep<Tile, Args> place{a, t.begin};
        bool due = true;        // the raw tile that takes the place of this one
        for (int step = t.begin; step < t.end; ++step, place.next(a)) {
            const int tap = place.segment;
            if (early > 0) --early;
            else copy_w();
            // This one has been read when some taps have.
            if constexpr (Tile::halo)
                if (tap < Shared::stages && tap + 1 < a.segments && step + 1 < t.end) continue;
            if (due) raw.step();
            due = Tile::halo ? tap + 1 == a.segments : true;
        }
        tasks.next();
        if (!tasks.more()) return;
        t = tasks.task();
        w.begin(t);
    }
}

}  // namespace inlay::inline INLAY_ABI::cuda
