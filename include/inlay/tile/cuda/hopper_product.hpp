// SPDX-License-Identifier: Apache-2.0
/// What a warpgroup multiplies: stages that have arrived, both operands from shared memory, into accumulators in
/// registers. The products of one step run while the next ones are issued; a stage is given back one step later.
#pragma once

#include <inlay/tile/cuda/hopper_load.hpp>

namespace inlay::inline INLAY_ABI::cuda {

template <class Tile, class Args, class Shared>
struct HopperProduct {
    using T = typename Tile::value_type;
    static constexpr int atoms = Tile::atoms;

    float c[atoms][Tile::n / 2];    ///< rows 16·warp + lane / 4 and 8 further of each atom: `ptx/wgmma.hpp`

    const Args& a;
    const Shared& shared;
    const int lane;
    const int group;
    const int first_atom;           ///< of the tile, that is the warpgroup's
    RingPlace<Shared::stages> at;
    RingPlace<Tile::halo ? Tile::halos : 1> halo;

    __device__ HopperProduct(const Args& args, const Shared& s, int g)
        : a(args),
          shared(s),
          lane(static_cast<int>(threadIdx.x) % 32),
          group(g),
          first_atom(Tile::alternate ? 0 : g * atoms) {}

    /// The steps of a task, before which the warpgroup had so many of its own. `last` is called while the products of
    /// the last step run.
    template <class Last>
    __device__ INLAY_INLINE void run(const HopperTask& t, int tasks_before, const Last& last) {
        const HopperRows& g = a.rows;
        const std::uint64_t w0 = matrix_descriptor(shared.w(0));
        std::uint64_t a0[atoms];
        // Of upsampled pixels: how far an atom's are from the first one that is copied. Taps are so many further.
        [[maybe_unused]] int y0[atoms] = {}, x0[atoms] = {};
        [[maybe_unused]] HaloOrigin o{};
        if constexpr (Tile::halo)
            if (g.shift > 0) o = HaloOrigin::of<Tile>(g, t.m_tile);
        INLAY_UNROLL
        for (int i = 0; i < atoms; ++i) {
            if constexpr (Tile::halo) {
                // Two atoms lie side by side, further ones below them.
                const int line = atoms == 2 && !Tile::alternate ? group : 0, beside = atoms == 2 ? i : first_atom;
                const int row = g.stacked     ? first_atom * g.image_rows + i * g.image_rows
                                : g.shift > 0 ? 0
                                              : line * 8 * g.pitch + beside * 8;
                a0[i] = matrix_descriptor(shared.halo(0) + row * Tile::row_bytes, g.pitch * Tile::row_bytes);
                if (g.shift > 0) y0[i] = ((o.y - g.before) & 1) + line, x0[i] = ((o.x - g.before) & 1) + beside;
            } else {
                a0[i] = matrix_descriptor(shared.a(0) + (first_atom + i) * 64 * Tile::row_bytes);
            }
        }
        int tap = Tile::halo ? t.begin % a.segments : 0, right = tap % Tile::taps, down = tap / Tile::taps;
        // Beside halo tiles this makes the loop longer.
        if constexpr (!Tile::halo) {
            INLAY_UNROLL
            for (int i = 0; i < atoms; ++i) products_forget(c[i]);
        }
        int before = 0, halo_before = 0;            // the stages of the step that is under way
        bool add = false, leaves_halo = false;
        // The parity of a stage's barrier says nothing of phases further ahead: the steps before must have arrived.
        // The first warpgroup's first phase is one before all.
        if constexpr (Tile::alternate)
            barrier_wait(shared.turn(group), static_cast<std::uint32_t>(tasks_before + (group == 0 ? 1 : 0)) & 1u);
        for (int step = t.begin; step < t.end; ++step) {
            if constexpr (Tile::halo)
                if (tap == 0 || !add) barrier_wait(shared.halo_full(halo.stage), halo.parity);
            barrier_wait(shared.full(at.stage), at.parity);
            const auto w = w0 + static_cast<std::uint32_t>(at.stage * (Tile::stage_bytes >> 4));
            std::uint32_t from[atoms];
            INLAY_UNROLL
            for (int i = 0; i < atoms; ++i) {
                int of_16 = at.stage * (Tile::stage_bytes >> 4);
                if constexpr (Tile::halo) {
                    const int row = ((y0[i] + down) >> g.shift) * g.pitch + ((x0[i] + right) >> g.shift);
                    of_16 = halo.stage * (Tile::halo_bytes >> 4) + row * (Tile::row_bytes >> 4);
                }
                from[i] = static_cast<std::uint32_t>(of_16);
            }
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
                give_back(before, leaves_halo, halo_before);
            }
            add = true;
            before = at.stage;
            at.next();
            if constexpr (Tile::halo) {
                halo_before = halo.stage;
                ++tap;
                leaves_halo = tap == a.segments || step + 1 == t.end;
                if (++right == Tile::taps) right = 0, ++down;
                if (leaves_halo) halo.next();
                if (tap == a.segments) tap = right = down = 0;
            }
        }
        if constexpr (Tile::alternate) {
            if (lane == 0) barrier_arrive(shared.turn(group + 1 == Tile::groups ? 0 : group + 1));
        }
        last();
        products_wait<0>();
        INLAY_UNROLL
        for (int i = 0; i < atoms; ++i) products_keep(c[i]);
        if (add) give_back(before, leaves_halo, halo_before);
    }
    /// Steps of a task that another warpgroup multiplies.
    __device__ INLAY_INLINE void skip(const HopperTask& t) {
        at.skip(t.end - t.begin);
        if constexpr (Tile::halo) halo.skip((t.end - 1) / a.segments - t.begin / a.segments + 1);
    }

private:
    __device__ INLAY_INLINE void give_back(int stage, bool with_halo, int halo_stage) const {
        if (lane == 0) barrier_arrive(shared.empty(stage));
        if constexpr (Tile::halo)
            if (with_halo && lane == 0) barrier_arrive(shared.halo_empty(halo_stage));
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
