// SPDX-License-Identifier: Apache-2.0
/// The warps that make A of raw tiles: each chunk of 8 channels of a pixel through the input's expression, once for all
/// taps. The leaves that differ from pixel to pixel were copied; the others are vectors of channels. A pixel outside
/// the image is zeros, whatever the expression gives for zeros.
#pragma once

#include <inlay/tile/cuda/hopper_channels.hpp>
#include <inlay/tile/cuda/hopper_load.hpp>

namespace inlay::inline INLAY_ABI::cuda {

template <class Tile, class Args, class Shared>
struct HopperEvaluate {
    using Channels = HopperChannels<Tile, Args>;
    static constexpr int rows_at_once = 32 * Tile::evaluators / 8;

    const Args& a;
    const Shared& shared;
    char* const memory;         ///< at `shared.ring`
    const int thread = static_cast<int>(threadIdx.x) - 32, chunk = thread % 8;     ///< of those that evaluate

    __device__ HopperEvaluate(const Args& args, const Shared& s, char* m) : a(args), shared(s), memory(m) {}

    /// For all tiles of the block.
    __device__ INLAY_INLINE void run() {
        Channels channels(a, chunk);
        RingPlace<Tile::raws> raw;
        RingPlace<Tile::halo ? Tile::halos : Shared::stages> to;
        bool waits = true;
        for (HopperTasks<Tile, Args> tasks(a); tasks.more(); tasks.next()) {
            const HopperTask t = tasks.task();
            const int end = Tile::halo ? a.by_segments.divide(t.end + a.segments - 1) : t.end;
            int block = Tile::halo ? a.by_segments.divide(t.begin) : t.begin;
            const HaloOrigin o = Tile::halo ? HaloOrigin::of<Tile>(a.rows, t.m_tile) : HaloOrigin{};
            const int images = Tile::halo && a.rows.stacked ? Tile::m / 64 : 1;
            if (waits) after_previous_kernel();
            waits = false;
            channels.ask(o.image, block);
            // The eight threads of a row bring those of a later turn.
            const int turn = thread / 8, later = block + turn / images;
            if (later < end) channels.prefetch(o.image + turn % images, later);
            for (int u = 0; block < end;) {
                if (u == 0) {
                    barrier_wait(shared.raw_full(raw.stage), raw.parity);
                    barrier_wait(Tile::halo ? shared.halo_empty(to.stage) : shared.empty(to.stage), to.parity ^ 1);
                }
                const char* const from = memory + (shared.raw(raw.stage) - shared.ring);
                char* const into = memory + ((Tile::halo ? shared.halo(to.stage) : shared.a(to.stage)) - shared.ring);
                channels.take();
                if constexpr (Tile::halo) {
                    const HopperRows& g = a.rows;
                    make_rows(channels, u * g.image_rows, (u + 1) * g.image_rows, from, into,
                              HaloRows(g, o, thread / 8, channels.inside()));
                } else {
                    make_rows(channels, 0, Tile::m, from, into, BoxRows{channels.inside()});
                }
                if (++u == images) {
                    fence_shared_for_engines();
                    __syncwarp();
                    if (thread % 32 == 0) {
                        barrier_arrive(shared.raw_empty(raw.stage));
                        barrier_arrive(Tile::halo ? shared.halo_full(to.stage) : shared.full(to.stage));
                    }
                    raw.next();
                    to.next();
                    u = 0, ++block;
                }
                if (block < end) channels.ask(o.image + u, block);
            }
        }
    }

private:
    __device__ INLAY_INLINE int offset(int row) const {
        return row * Tile::row_bytes + ((chunk ^ (row & 7)) << 4);
    }
    /// Chunks of several rows, on their way from the raw tile.
    static constexpr int at_once = 2;
    struct Chunks {
        uint4 words[at_once][Tile::raw_leaves];
        bool inside[at_once];
    };
    /// The thread's rows from `begin` to `end`. The matrix unit has shared memory busy, so that a load takes long:
    /// those of the next rows are under way while these are evaluated. `rows.next()` says of one row after the other
    /// whether it is inside.
    template <class Rows>
    __device__ INLAY_INLINE void make_rows(const Channels& channels, int begin, int end, const char* from, char* into,
                                           Rows rows) const {
        // Rows are 8 apart but for one bit, and so are the places of a chunk in them.
        static_assert(at_once == 2 && rows_at_once % 8 == 4);
        constexpr int apart = rows_at_once * Tile::row_bytes, other_half = 4 << 4;
        int left = end - begin - thread / 8, at = offset(begin + thread / 8);
        const auto load = [&] {
            Chunks c;
            INLAY_UNROLL
            for (int i = 0; i < at_once; ++i) {
                const int chunk = i == 0 ? at : (at + apart) ^ other_half;
                const char* const stored = from + (left > i * rows_at_once ? chunk : 0);
                INLAY_UNROLL
                for (int l = 0; l < Tile::raw_leaves; ++l)
                    c.words[i][l] = *reinterpret_cast<const uint4*>(stored + l * Tile::leaf_bytes);
                c.inside[i] = rows.next();
            }
            at += at_once * apart;
            return c;
        };
        int to = at;
        const auto make = [&](const Chunks& c, int i) {
            const uint4 made = channels.evaluate(c.words[i]);
            return c.inside[i] ? made : uint4{};
        };
        Chunks next = load();
#pragma unroll 1
        while (left > 0) {
            const Chunks c = next;
            const bool both = left > rows_at_once;
            left -= at_once * rows_at_once;
            next = load();
            // Together, also where the second one is none: either alone is one long chain.
            const uint4 made[] = {make(c, 0), make(c, 1)};
            *reinterpret_cast<uint4*>(into + to) = made[0];
            if (both) *reinterpret_cast<uint4*>(into + ((to + apart) ^ other_half)) = made[1];
            to += at_once * apart;
        }
    }
    /// Rows of a box.
    struct BoxRows {
        bool inside;

        __device__ INLAY_INLINE bool next() { return inside; }
    };
    /// Rows of a halo tile, pixel by pixel along its lines.
    struct HaloRows {
        const HopperRows& g;
        int y, x, line_end;     ///< the pixel; behind the last one of its line
        bool inside;

        __device__ HaloRows(const HopperRows& rows, const HaloOrigin& o, int first, bool some)
            : g(rows), inside(some) {
            const int y0 = (o.y - g.before) >> g.shift, x0 = (o.x - g.before) >> g.shift;
            const int line = g.by_pitch.divide(first);
            y = y0 + line, x = x0 + first - line * g.pitch;
            line_end = x0 + g.pitch;
        }
        __device__ INLAY_INLINE bool next() {
            const bool is = inside && static_cast<unsigned>(y) < static_cast<unsigned>(g.in_height) &&
                            static_cast<unsigned>(x) < static_cast<unsigned>(g.in_width);
            const int lines = g.by_pitch.divide(rows_at_once);
            y += lines, x += rows_at_once - lines * g.pitch;
            if (x >= line_end) x -= g.pitch, ++y;
            return is;
        }
    };
};

}  // namespace inlay::inline INLAY_ABI::cuda
