// SPDX-License-Identifier: Apache-2.0
/// Launches of portable tiles: kernel parameters, the stages that fit a device, and the tile of a schedule, of a table
/// or the user's, over the atoms of a vendor. `Tables`: a type that names the atom of each schedule of a table,
///
///     struct Tables { template <const auto& Table, int I> using atom = …; };
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/plan/access/product_type.hpp>
#include <inlay/plan/gemm/decide.hpp>
#include <inlay/tile/gpu/gemm/converted.hpp>
#include <inlay/tile/gpu/gemm/gather.hpp>
#include <inlay/tile/gpu/gemm/kernel.hpp>
#include <inlay/tile/gpu/gemm/streams.hpp>
#include <inlay/tile/gpu/gemm/weights.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A product as its kernels take it.
template <class W, class In, class Rows, class Epilogue, class Sink, class Place>
auto matmul_args(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                 const Sink& sink, const Place& place) {
    using T = std::remove_const_t<typename W::value_type>;
    constexpr index_t limit = index_t(1) << 30;
    const index_t total = s.segments * s.k;
    require(s.batch < limit && s.m < limit / larger<index_t>(s.batch, 1) && s.n < limit && total < limit, s.batch,
            " matrix products of ", s.m, "x", s.n, "x", total,
            " are too large: extents, and rows of all, stay below 2^30");
    MatmulArgs<T, In, Rows, Epilogue, Sink, Place> a{in, rows, epilogue, sink, place};
    a.w = weights_of(w);
    a.w_constant = is_packed<W>;
    a.w_batch = s.n * total;
    a.w_row = a.total = static_cast<int>(total);
    a.batch = static_cast<int>(s.batch);
    a.m = static_cast<int>(s.m);
    a.n = static_cast<int>(s.n);
    a.k = static_cast<int>(s.k);
    if constexpr (a.affine) a.view = affine_view(in);
    a.streams = detail::Streams<T, In, flatten<typename In::expression>>::mask(in, s.batch * s.m * s.k);
    return a;
}

namespace detail {

/// A schedule as a tile, alone or of a table.
template <class Atom, const Schedule& S>
using TileOf = Tile<Atom, S.m, S.n, S.k * 2 / static_cast<int>(sizeof(typename Atom::value_type)), S.warps, S.slices,
                    S.blocks, S.stages>;
template <class Atom, const auto& Table, int I>
using TileOfTable = Tile<Atom, Table[I].m, Table[I].n,
                         Table[I].k * 2 / static_cast<int>(sizeof(typename Atom::value_type)), Table[I].warps,
                         Table[I].slices, Table[I].blocks, Table[I].stages>;
template <class Tables, const auto& Table, int I>
using TableTile = TileOfTable<typename Tables::template atom<Table, I>, Table, I>;

/// Warps of a user's tile: at least 4 where the tile has work for them, and as many as hold its sums in registers.
template <class Atom>
constexpr int warps_for(int m, int n, int k) {
    constexpr int size = static_cast<int>(sizeof(typename Atom::value_type)), lanes = Atom::lanes;
    const int most = size == 4 ? 64 : 128, chunks = k * size / 16;
    int best = 0;
    for (int warps = 1; warps <= 16; warps *= 2) {
        if (warp_grid(m, n, warps, Atom::m, Atom::n).m == 0) continue;
        if (m * n > most * lanes * warps || lanes * warps < 8 * chunks || lanes * warps > 1024) continue;
        if (best == 0 || warps <= 4) best = warps;
    }
    return best;
}

/// Divides a product into tiles, and its sums into `parts` slices at most.
template <class Tile, class Args>
void divide_into_tiles(Args& a, int parts) {
    const auto up = [](index_t x, index_t y) { return (x + y - 1) / y; };
    a.m_tiles = static_cast<int>(up(a.m, Tile::m));
    a.n_tiles = static_cast<int>(up(a.n, Tile::n));
    const index_t steps = up(a.total, Tile::k);
    a.slice_length = static_cast<int>(up(steps, parts)) * Tile::k;
    a.slices = a.slice_length > 0 ? static_cast<int>(up(a.total, a.slice_length)) : 1;
}

template <class Tile, Images In = Images::all, class Args>
void launch_tiles(Launcher& l, Args& a, int parts, int stages) {
    using Table = RunTable<Tile, Args>;
    divide_into_tiles<Tile>(a, parts);
    const index_t tiles = static_cast<index_t>(a.batch) * a.m_tiles * a.n_tiles;

    if (Table::copies) a.streams = ~0u;
    // As many stages as the schedule has and the device holds; then fewer staged leaves.
    const auto shared = [&] { return a.stages * a.stage_bytes + Table::bytes(a.slots); };
    for (bool fits = false; !fits;) {
        int leaves = Table::copies ? 1 : 0;
        for (unsigned s = a.streams; !Table::copies && s; s &= s - 1) ++leaves;
        a.stage_bytes = (leaves > 0 ? leaves : 1) * Tile::a_bytes + Tile::b_bytes;
        for (a.stages = smaller(stages, Tile::stages); a.stages >= 2 && !fits; --a.stages) {
            a.slots = Table::copies ? 1 : a.stages;
            fits = shared() <= l.device().shared_bytes - 1024;
            if (fits) break;
        }
        if (fits) break;
        require(!Table::copies && a.streams != 0, "a matrix product of ", Tile::m, "x", Tile::n,
                " tiles takes more shared memory than device ", l.device().index, " has");
        a.streams &= a.streams - 1;
    }
    if (a.slices > 1) {
        const std::size_t all = static_cast<std::size_t>(tiles) * static_cast<std::size_t>(a.slices);
        a.partial = static_cast<float*>(l.workspace(all * sizeof(float) * ReducedSums<Tile>::floats));
        a.semaphores = l.semaphores(all);
    }
    const int bytes = larger(shared(), EpilogueTile<Tile, Args>::bytes);
    require(bytes <= l.device().shared_bytes, "a matrix product of ", Tile::m, "x", Tile::n, " tiles takes ", bytes,
            " bytes of shared memory, more than device ", l.device().index, " has");
    l.launch<GemmBody<Tile, Args, In>>(
        {.blocks = tiles * a.slices,
         .threads = Tile::threads,
         .shared = static_cast<std::size_t>(bytes),
         .overlaps = true},
        a);
    if constexpr (publishes_rows<typename Args::Sink>)
        if (publishes_in_tiles(a)) l.note_rows_published();
}

template <class Tables, const auto& Table, Images In, class Args, int... I>
void launch_chosen(Launcher& l, Args& a, const Choice& choice, std::integer_sequence<int, I...>) {
    ((choice.index == I ? launch_tiles<TableTile<Tables, Table, I>, In>(l, a, choice.split_k, choice.schedule.stages)
                        : void()),
     ...);
}
/// The schedule of a table that was chosen.
template <class Tables, const auto& Table, Images In, class Args>
void launch_chosen(Launcher& l, Args& a, const Choice& choice) {
    launch_chosen<Tables, Table, In>(l, a, choice, std::make_integer_sequence<int, array_length(Table)>{});
}
/// A tile of the user's.
template <class Atom, class Schedule, Images In, class Args>
void launch_tiled(Launcher& l, Args& a) {
    constexpr int warps = warps_for<Atom>(Schedule::m, Schedule::n, Schedule::k);
    static_assert(warps > 0, "inlay: no warps can share the tile of this schedule: its M is a multiple of 16, its N of "
                             "8 (16 on AMD), and its sums fit the registers of 16 warps");
    static_assert(Schedule::stages >= 2,
                  "inlay: a schedule on a GPU has at least 2 stages: one is filled while one is read");
    if constexpr (warps > 0)
        launch_tiles<Tile<Atom, Schedule::m, Schedule::n, Schedule::k, warps, 1, 1, Schedule::stages>, In>(
            l, a, Schedule::split_k, Schedule::stages);
}

/// Calls `multiply(weights, converted)` with weights of the type T of the product: those stored, or their conversion.
template <class T, class W, class F>
void with_weights(Launcher& l, const W& w, F&& multiply) {
    using Stored = std::remove_const_t<typename W::value_type>;
    if constexpr (std::is_same_v<T, Stored>) {
        multiply(w, false);
    } else {
        const Tensor<const T, 1> weights = converted<T>(l, w);
        const Launcher::Hold hold(l, sizeof(T) * static_cast<std::size_t>(weights.size()));
        multiply(weights, true);
    }
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::on_gpu
