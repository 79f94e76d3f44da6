// SPDX-License-Identifier: Apache-2.0
/// The mainloop: a consumer warpgroup multiplies stages that have arrived, both operands from shared memory, into
/// accumulators in registers. A stage is released when products of the next one have been issued.
#pragma once

#include <inlay/tile/cuda/wgmma/gemm/producer.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class Tile, class Args, class Shared>
struct WgmmaMainloop {
    using T = typename Tile::value_type;
    static constexpr int atoms = Tile::atoms;

    float c[atoms][Tile::n / 2];    ///< rows 16·warp + lane / 4 and 8 further of each atom: `isa/wgmma.hpp`

    const Args& a;
    const Shared& shared;
    const int lane;
    const int group;
    const int first_atom;           ///< of the tile, that is the warpgroup's
    PipelineState<Shared::stages> at;
    PipelineState<Tile::halo ? Tile::halos : 1> halo;

    __device__ WgmmaMainloop(const Args& args, const Shared& s, int g)
        : a(args),
          shared(s),
          lane(lane_index()),
          group(g),
          first_atom(Tile::ping_pong ? 0 : g * atoms) {}

    /// The k-blocks of a work tile, before which the warpgroup had so many of its own. `last` is called while the
    /// products of the last k-block run, and `ahead` behind it or, for halo tiles, in the last line of taps.
    template <class Last, class Ahead>
    __device__ INLAY_INLINE void run(const WgmmaWorkTile& t, int tasks_before, const Last& last, const Ahead& ahead) {
        Read read;
        if constexpr (Tile::halo) read = run_lines(t, tasks_before, ahead);
        else read = run_steps(t, tasks_before);
        if constexpr (Tile::ping_pong) {
            if (lane == 0) barrier_arrive(shared.turn(group + 1 == Tile::groups ? 0 : group + 1));
        }
        last();
        if constexpr (!Tile::halo) ahead();
        products_wait<0>();
        INLAY_UNROLL
        for (int i = 0; i < atoms; ++i) products_keep(c[i]);
        if (lane == 0) barrier_arrive(shared.empty(read.stage));
        if constexpr (Tile::halo)
            if (lane == 0) barrier_arrive(shared.halo_empty(read.halo));
    }
    /// Passes over the k-blocks of a work tile that another warpgroup multiplies.
    __device__ INLAY_INLINE void skip(const WgmmaWorkTile& t) {
        at.skip(t.end - t.begin);
        if constexpr (Tile::halo) halo.skip((t.end - 1) / a.segments - t.begin / a.segments + 1);
    }

private:
    /// Releases the stage that a k-block has read.
    struct Read {
        int stage = 0, halo = 0;
    };
    __device__ INLAY_INLINE void wait_for_turn(int tasks_before) const {
        // The parity of a stage's barrier does not distinguish phases further ahead: the k-blocks before must have
        // arrived.
        // The first warpgroup's first phase is one before all.
        if constexpr (Tile::ping_pong)
            barrier_wait(shared.turn(group), static_cast<std::uint32_t>(tasks_before + (group == 0 ? 1 : 0)) & 1u);
    }
    __device__ INLAY_INLINE static std::uint64_t with_low(std::uint64_t descriptor, std::uint32_t low) {
        return (descriptor & 0xffffffff00000000u) | low;
    }
    /// The operands of a k-block: low halves of descriptors.
    struct HaloOperands {
        static constexpr int row_16 = Tile::row_bytes / 16;
        const std::uint64_t w0;
        std::uint64_t a0[atoms];
        std::uint32_t tap[atoms][Tile::taps];   ///< those of the first line, in the first halo tile
        std::uint32_t lines[Tile::taps] = {};   ///< distance of a line from the first one
        std::uint32_t line, w;                  ///< the same of this one, in this halo tile; the stage
        int down;                               ///< number of the line

        __device__ INLAY_INLINE HaloOperands(const WgmmaMainloop& p, const WgmmaWorkTile& t)
            // The ring's address is broadcast anew, else values hoisted before all tiles spill.
            : w0(matrix_descriptor(Shared{warp_uniform(p.shared.ring)}.w(0))),
              down(t.begin / Tile::taps % Tile::taps) {
            const WgmmaRows& g = p.a.rows;
            // Two atoms lie side by side, further ones below them: those of the second warpgroup, whose number is
            // recomputed, else it would spill.
            const int group = warp_uniform(thread_index() / 128 - Tile::before),
                      below = atoms == 2 && !Tile::ping_pong ? group : 0;
            // A phase begins with the second line or column of the halo, or with the first.
            const int phase = Tile::taps == 2 ? (t.batch / 2) * g.pitch + t.batch % 2 : 0;
            // With upsampling: the distance of the first output's pixel from the first one that is copied.
            int y0 = 0, x0 = 0;
            if (g.shift > 0) {
                const HaloOrigin o = HaloOrigin::of<Tile>(g, t.m_tile);
                y0 = ((o.y - g.before) & 1) + below, x0 = (o.x - g.before) & 1;
            }
            INLAY_UNROLL
            for (int i = 0; i < atoms; ++i) {
                const int beside = atoms == 2 ? i : p.first_atom, x = g.shift > 0 ? x0 + beside : 0;
                const int row = phase + (g.stacked     ? (p.first_atom + i) * g.image_rows
                                         : g.shift > 0 ? (y0 >> g.shift) * g.pitch
                                                       : below * 8 * g.pitch + beside * 8);
                a0[i] = matrix_descriptor(p.shared.halo(0), g.pitch * Tile::row_bytes);
                INLAY_UNROLL
                for (int right = 0; right < Tile::taps; ++right)
                    tap[i][right] = static_cast<std::uint32_t>(a0[i]) +
                                    static_cast<std::uint32_t>((row + ((x + right) >> g.shift)) * row_16);
            }
            // Broadcast to make them warp-uniform; the compiler recomputes them for each line otherwise.
            INLAY_UNROLL
            for (int i = 1; i < Tile::taps; ++i)
                lines[i] = warp_uniform(
                    static_cast<std::uint32_t>((((y0 + i) >> g.shift) - (y0 >> g.shift)) * g.pitch * row_16));
            w = static_cast<std::uint32_t>(w0) + static_cast<std::uint32_t>(p.at.stage * (Tile::stage_bytes / 16));
            find_line(p.halo.stage);
        }
        /// From this stage.
        __device__ INLAY_INLINE void next_stage(int stage) {
            w = stage + 1 == Shared::stages ? static_cast<std::uint32_t>(w0) : w + Tile::stage_bytes / 16;
        }
        /// `halo`: the address of the line.
        __device__ INLAY_INLINE void next_line(int halo) {
            if (++down == Tile::taps) down = 0;
            find_line(halo);
        }
        /// Issues product k of four under a tap of the line.
        __device__ INLAY_INLINE void multiply(float (&c)[atoms][Tile::n / 2], int right, int k, bool add) const {
            INLAY_UNROLL
            for (int i = 0; i < atoms; ++i)
                product<Tile::n, T>::run(c[i], with_low(a0[i], line + tap[i][right] + 2 * k), with_low(w0, w + 2 * k),
                                         add);
            products_commit();
        }

    private:
        __device__ INLAY_INLINE void find_line(int halo) {
            line = (down == 0 ? 0 : down == 1 ? lines[1] : lines[Tile::taps - 1]) +
                   static_cast<std::uint32_t>(halo * (Tile::halo_bytes / 16));
        }
    };

    /// The mainloop over halo tiles. The matrix unit accepts one product of a warpgroup while it computes another one,
    /// no more: so the other work of a k-block stands between its products, a few instructions between any two. A line
    /// of taps is as many k-blocks in the code, since a tap's offset is found before.
    template <class Ahead>
    __device__ INLAY_INLINE Read run_lines(const WgmmaWorkTile& t, int tasks_before, const Ahead& ahead) {
        HaloOperands from(*this, t);
        Read read;
        wait_for_turn(tasks_before);
        barrier_wait(shared.halo_full(halo.stage), halo.parity);
        barrier_wait(shared.full(at.stage), at.parity);
        bool add = false;       // a line has come before
        const auto line = [&]<bool Last>() {
            INLAY_UNROLL
            for (int right = 0; right < Tile::taps; ++right) {
                const bool begins = right == 0, ends = right + 1 == Tile::taps, adds = !begins || add;
                const HaloOperands now = from;
                const auto multiply = [&](int k) { now.multiply(c, right, k, adds || k > 0); };
                products_begin();
                multiply(0);
                products_wait<1>();
                if (adds && lane == 0) barrier_arrive(shared.empty(read.stage));
                if (begins && from.down == 0 && adds && lane == 0) barrier_arrive(shared.halo_empty(read.halo));
                if constexpr (Last)
                    if (begins) ahead();
                products_begin();
                multiply(1);
                read.stage = at.stage;
                from.next_stage(at.stage);
                at.next();
                if (ends) {
                    if (from.down + 1 == Tile::taps) read.halo = halo.stage, halo.next();
                    from.next_line(halo.stage);
                }
                multiply(2);
                if (!ends || !Last) {
                    if (ends && from.down == 0) barrier_wait(shared.halo_full(halo.stage), halo.parity);
                    barrier_wait(shared.full(at.stage), at.parity);
                }
                products_begin();
                multiply(3);
            }
            add = true;
        };
        // The last one in code of its own, so that its prefetches are not part of the loop.
        for (int left = t.end - t.begin - Tile::taps; left > 0; left -= Tile::taps) line.template operator()<false>();
        line.template operator()<true>();
        // A slice may end in the midst of one.
        if (from.down > 0) read.halo = halo.stage, halo.next();
        return read;
    }
    /// The mainloop over stages of both operands. The products of a k-block run while those of the next one are issued.
    __device__ INLAY_INLINE Read run_steps(const WgmmaWorkTile& t, int tasks_before) {
        const std::uint64_t w0 = matrix_descriptor(shared.w(0));
        std::uint64_t a0[atoms];
        INLAY_UNROLL
        for (int i = 0; i < atoms; ++i)
            a0[i] = matrix_descriptor(shared.a(0) + (first_atom + i) * 64 * Tile::row_bytes);
        INLAY_UNROLL
        for (int i = 0; i < atoms; ++i) products_forget(c[i]);
        int before = 0;                             // the stage of the k-block that is under way
        bool add = false;
        wait_for_turn(tasks_before);
        for (int k_block = t.begin; k_block < t.end; ++k_block) {
            barrier_wait(shared.full(at.stage), at.parity);
            const std::uint64_t w = w0 + static_cast<std::uint32_t>(at.stage * (Tile::stage_bytes / 16));
            std::uint32_t from[atoms];      // each atom its own, else the ping-pong loop is longer
            INLAY_UNROLL
            for (int i = 0; i < atoms; ++i) from[i] = static_cast<std::uint32_t>(at.stage * (Tile::stage_bytes / 16));
            const bool adds = add;
            products_begin();
            INLAY_UNROLL
            for (int k = 0; k < 4; ++k)
                INLAY_UNROLL
            for (int i = 0; i < atoms; ++i)
                product<Tile::n, T>::run(c[i], a0[i] + from[i] + 2 * k, w + 2 * k, adds || k > 0);
            products_commit();
            if (adds) {
                products_wait<1>();
                if (lane == 0) barrier_arrive(shared.empty(before));
            }
            add = true;
            before = at.stage;
            at.next();
        }
        return {before};
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
