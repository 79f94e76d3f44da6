// SPDX-License-Identifier: Apache-2.0
/// The warps that make A of source tiles: each chunk of 8 channels of a pixel through the input's expression, once for
/// all taps. The leaves that differ from pixel to pixel were copied; the others are vectors of channels. A pixel
/// outside the image is zeros, whatever the expression gives for zeros.
#pragma once

#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/wgmma/gemm/channels.hpp>
#include <inlay/tile/cuda/wgmma/gemm/producer.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class Tile, class Args, class Shared>
struct WgmmaEvaluate {
    using Channels = WgmmaChannels<Tile, Args>;
    static constexpr int rows_at_once = 32 * Tile::evaluators / 8;

    const Args& a;
    const Shared& shared;
    char* const memory;         ///< at `shared.ring`
    const int thread = thread_index() - warp_size, chunk = thread % 8;     ///< of those that evaluate

    __device__ WgmmaEvaluate(const Args& args, const Shared& s, char* m) : a(args), shared(s), memory(m) {}

    /// For all tiles of the block.
    template <class Tiles>
    __device__ INLAY_INLINE void run(Tiles tiles) {
        Channels channels(a, chunk);
        PipelineState<Tile::source_stages> source;
        PipelineState<Tile::halo ? Tile::halos : Shared::stages> to;
        bool first = true;
        for (WgmmaTileScheduler<Tile, Args, Tiles> scheduler(a, tiles); scheduler.more(); scheduler.next()) {
            const WgmmaWorkTile t = scheduler.work_tile();
            const int end = Tile::halo ? a.by_segments.divide(t.end + a.segments - 1) : t.end;
            int block = Tile::halo ? a.by_segments.divide(t.begin) : t.begin;
            const Rows rows(a.rows, t, thread / 8);
            const Places places(*this, rows);
            // Halo tiles that have yet to be cleared outside the image, which other blocks of channels do not write.
            int uncleared = Tile::halos;
            if (first) {
                for (; uncleared > 0; --uncleared) clear_outside(rows, shared.halo(uncleared - 1));
                after_previous_kernel();
            }
            first = false;
            channels.ask(rows.image, block);
            // The eight threads of a row prefetch those of a later round.
            const int later = block + thread / 8 / rows.images;
            if (later < end) channels.prefetch(rows.image, later);
            while (block < end) {
                barrier_wait(Tile::halo ? shared.halo_empty(to.stage) : shared.empty(to.stage), to.parity ^ 1);
                const std::uint32_t into = Tile::halo ? shared.halo(to.stage) : shared.a(to.stage);
                if (uncleared > 0) clear_outside(rows, into), --uncleared;
                barrier_wait(shared.source_full(source.stage), source.parity);
                channels.take();
                make(channels, rows, places, memory + (shared.source(source.stage) - shared.ring), into);
                fence_shared_for_engines();
                warp_sync();
                if (thread % warp_size == 0) {
                    barrier_arrive(shared.source_empty(source.stage));
                    barrier_arrive(Tile::halo ? shared.halo_full(to.stage) : shared.full(to.stage));
                }
                source.next();
                to.next();
                if (++block < end) channels.ask(rows.image, block);
            }
        }
    }

private:
    /// The thread's rows of a tile: of a box all, of a halo tile the pixels inside the image, line by line. The threads
    /// of a tile of several images share these.
    struct Rows {
        int image = 0, images = 1;          ///< the thread's, and the number of the tile
        int first = 0;                      ///< the tile's first row of the image
        int pitch = 0, begin_y = 0, end_y = 1, begin_x = 0, end_x = Tile::m;    ///< lines, and the range inside the image
        int begin, apart = rows_at_once;    ///< the thread's first one of those inside, and the distance to its next one
        int row, x;                         ///< the place of the first one in the tile, and in its line
        int further = rows_at_once, lines = 0;      ///< to the next one: along a line, and lines

        __device__ Rows(const WgmmaRows& g, const WgmmaWorkTile& t, int of_threads)
            : begin(of_threads), row(begin), x(begin) {
            if constexpr (Tile::halo) {
                const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
                images = g.stacked ? Tile::m / 64 : 1;
                apart /= images;
                begin = of_threads / images;
                const int mine = of_threads - begin * images;
                image = o.image + mine;
                first = mine * g.image_rows;
                pitch = g.pitch;
                const int y0 = (o.y - g.before) >> g.shift, x0 = (o.x - g.before) >> g.shift;
                begin_y = (::max)(-y0, 0), begin_x = (::max)(-x0, 0);
                end_y = image < g.images ? (::min)(g.by_pitch.divide(g.image_rows), g.in_height - y0) : begin_y;
                end_x = (::max)((::min)(pitch, g.in_width - x0), begin_x);
                const int of_line = (::max)(width(), 1), line = begin / of_line;
                x = begin - line * of_line;
                row = first + (begin_y + line) * pitch + begin_x + x;
                lines = apart / of_line, further = apart - lines * of_line;
            }
        }
        __device__ int width() const { return end_x - begin_x; }
        __device__ int left() const { return (end_y - begin_y) * width() - begin; }
        __device__ bool inside(int at_y, int at_x) const {
            return at_y >= begin_y && at_y < end_y && at_x >= begin_x && at_x < end_x;
        }
    };
    __device__ INLAY_INLINE int offset(int row) const {
        return row * Tile::row_bytes + ((chunk ^ (row & 7)) << 4);
    }
    /// Goes along the thread's rows.
    struct Walk {
        const WgmmaEvaluate& e;
        const Rows& rows;
        int row = rows.row, x = rows.x, left = rows.left();

        /// The place of the thread's chunk of the next one; -1: there is none.
        __device__ INLAY_INLINE int next() {
            const int at = left > 0 ? e.offset(row) : -1;
            left -= rows.apart;
            row += rows.lines * rows.pitch + rows.further;
            if constexpr (Tile::halo) {
                x += rows.further;
                if (x >= rows.width()) x -= rows.width(), row += rows.pitch - rows.width();
            }
            return at;
        }
    };
    /// The places of the thread's chunks of all its rows of a box, two in a word, found once for all blocks of
    /// channels. Registers suffice for eight: others are found by a walk for each block, and so are those of halo
    /// tiles: unrolled instructions for each row, in place of one loop, evict the consumers' from the instruction
    /// cache.
    static constexpr int most_rows = (Tile::m + rows_at_once - 1) / rows_at_once;
    static constexpr bool finds_once = !Tile::halo && most_rows <= 8;
    static constexpr int pairs = finds_once ? (most_rows + 1) / 2 : 1;
    static_assert(!finds_once || Tile::leaf_bytes <= 1 << 15);
    /// True if a tile may have such a pair of rows. With a walk it always may, without a branch, which would separate
    /// the computations before and behind it.
    __device__ static bool may_have(int pair) { return !finds_once || pair < pairs; }
    struct Places {
        std::uint32_t two[pairs];

        __device__ INLAY_INLINE Places(const WgmmaEvaluate& e, const Rows& rows) {
            if constexpr (finds_once) {
                Walk walk{e, rows};
                INLAY_UNROLL
                for (std::uint32_t& w : two) {
                    const int first = walk.next(), second = walk.next();
                    w = (static_cast<std::uint32_t>(first) & 0xffffu) | static_cast<std::uint32_t>(second) << 16;
                }
            }
        }
        /// Of row i; negative: there is none.
        __device__ INLAY_INLINE int at(int i) const {
            return static_cast<std::int16_t>(i % 2 == 0 ? two[i / 2] & 0xffffu : two[i / 2] >> 16);
        }
    };
    /// Chunks of two rows, on their way from the source tile.
    struct Chunks {
        uint4 words[2][Tile::source_operands];
        int at[2];
    };
    /// Evaluates the thread's chunk of its rows, zeros where there are no such channels. The matrix unit keeps shared
    /// memory busy, so that a load takes long: those of the next rows are under way while these are evaluated.
    __device__ INLAY_INLINE void make(const Channels& channels, const Rows& rows, const Places& places,
                                      const char* from, std::uint32_t into) const {
        Walk walk{*this, rows};
        if (!channels.inside()) {
            for (int at = walk.next(); at >= 0; at = walk.next())
                store_shared(into + static_cast<std::uint32_t>(at), uint4{});
            return;
        }
        const auto load = [&](int pair) {
            Chunks c;
            INLAY_UNROLL
            for (int i = 0; i < 2; ++i) {
                if constexpr (finds_once) c.at[i] = places.at(2 * pair + i);
                else c.at[i] = walk.next();
                const char* const stored = from + (::max)(c.at[i], 0);
                INLAY_UNROLL
                for (int l = 0; l < Tile::source_operands; ++l)
                    c.words[i][l] = *reinterpret_cast<const uint4*>(stored + l * Tile::leaf_bytes);
            }
            return c;
        };
        Chunks next = load(0);
#pragma unroll(finds_once ? pairs : 1)
        for (int pair = 0; may_have(pair) && next.at[0] >= 0; ++pair) {
            const Chunks c = next;
            if (may_have(pair + 1)) next = load(pair + 1);
            // Together, also if there is no second one: either alone is one long chain.
            const uint4 made[] = {channels.evaluate(c.words[0]), channels.evaluate(c.words[1])};
            INLAY_UNROLL
            for (int i = 0; i < 2; ++i)
                if (c.at[i] >= 0) store_shared(into + static_cast<std::uint32_t>(c.at[i]), made[i]);
        }
    }
    /// Clears the thread's chunk of the pixels outside the image.
    __device__ INLAY_INLINE void clear_outside(const Rows& rows, std::uint32_t into) const {
#pragma unroll 1
        for (int r = rows.begin; r < a.rows.image_rows; r += rows.apart) {
            const int y = a.rows.by_pitch.divide(r);
            if (rows.inside(y, r - y * rows.pitch)) continue;
            store_shared(into + static_cast<std::uint32_t>(offset(rows.first + r)), uint4{});
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
