// SPDX-License-Identifier: Apache-2.0
/// Launches of products on sm_90a.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/plan/gemm/wgmma.hpp>
#include <inlay/tile/cuda/runtime/image.hpp>
#include <inlay/tile/cuda/wgmma/gemm/kernel.hpp>
#include <inlay/tile/gpu/gemm/materialise.hpp>
#include <inlay/tile/cuda/runtime/launcher.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>
#include <inlay/tile/gpu/gemm/weights.hpp>

#include <bit>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A product as its kernels on sm_90a take it.
template <class T, class In, class Epilogue, class Sink, class Place, unsigned Copied>
struct HopperProblem {
    static constexpr bool evaluates = !std::is_same_v<In, CopiedInput>;
    static constexpr int raw_leaves = std::popcount(Copied);
    HopperArgs<T, In, Epilogue, Sink, Place, Copied> args;
    MappedTensor weights;
    HopperOperand operand;
    HopperWork work;
    bool w_constant = false;        ///< packed: no kernel writes the weights

    HopperProblem(const MatmulShape& s, const MappedTensor& w, const HopperOperand& o, const HopperWork& of,
                  const In& in, const Epilogue& epilogue, const Sink& sink, const Place& place)
        : args{{}, {}, in, epilogue, sink, place}, weights(w), operand(o), work(of) {
        args.batch = static_cast<int>(s.batch);
        args.m = static_cast<int>(s.m);
        args.n = static_cast<int>(s.n);
        args.k = static_cast<int>(s.k);
        args.segments = static_cast<int>(s.segments);
        args.blocks = static_cast<int>((s.k + 63) / 64);
        args.steps = args.segments * args.blocks;
        for (int i = 0; i < args.leaves; ++i) args.leaf[i] = o.leaf[i];
        const bool joined = !evaluates && o.tensors > 1;
        args.first_blocks = joined ? static_cast<int>(o.tensor[0].extents[0] / 64) : args.blocks;
    }
};
/// Calls f with the problem of a product if the kernels take it, and says whether they do.
template <class W, class In, class Rows, class Epilogue, class Sink, class Place, class F>
bool with_hopper_problem(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                         const Sink& sink, const Place& place, const F& f) {
    using T = std::remove_const_t<typename W::value_type>;
    static_assert(can_hopper<T, In, Rows, Epilogue>);
    const HopperOperand operand = hopper_operand<T>(s, in, rows);
    const MappedTensor weights = mapped_weights(s, weights_of(w));
    const HopperWork work = hopper_work<Rows, Epilogue, Sink>(s, operand, weights, !can_hopper_copy<T, In, Rows>);
    if (work.refused) return false;
    const auto call = [&]<unsigned Copied>(const auto& part) {
        HopperProblem<T, std::remove_cvref_t<decltype(part)>, Epilogue, Sink, Place, Copied> p(
            s, weights, operand, work, part, epilogue, sink, place);
        p.w_constant = is_packed<W>;
        f(p);
        return true;
    };
    if constexpr (can_hopper_copy<T, In, Rows>) {
        return call.template operator()<0u>(CopiedInput{});
    } else {
        const auto part = hopper_part(in);
        using Part = std::remove_cvref_t<decltype(part)>;
        constexpr inlay::detail::CopiedChoices choices = inlay::detail::copied_choices_of<T, Part, Rows>;
        if constexpr (choices.two != 0)
            if (operand.streamed == choices.two) return call.template operator()<choices.two>(part);
        if constexpr (choices.one != 0) return call.template operator()<choices.one>(part);
        return false;
    }
}

/// Launches a tile whose sum `parts` blocks share, at most 8. A tile that is not made for parts, or a short sum, takes
/// fewer. `groups`: warpgroups that multiply; one of two where the tile may be halved, which then has half its rows.
template <class Tile, class Problem>
void launch_hopper(Launcher& l, Problem& p, int parts, int groups = Tile::groups) {
    using Args = decltype(p.args);
    using Layout = HopperLayout<Tile, Args>;
    auto& a = p.args;
    HopperRows& g = a.rows;
    static_cast<MappedRows&>(g) = p.operand.rows;
    if (!Layout::Exchange::fits) parts = 1;
    parts = smaller(parts, a.steps / Tile::part_unit);
    const bool half = Tile::halves && groups < Tile::groups;
    const int rows = half ? Tile::m / 2 : Tile::m;
    const auto up = [](index_t x, index_t y) { return static_cast<int>((x + y - 1) / y); };
    if constexpr (Tile::halo) {
        constexpr int taps = Tile::taps;
        constexpr HaloOutputs outputs{Tile::m};
        g.stacked = outputs.stacks(g);
        const bool atom = g.stacked || g.shift > 0;     // the halo is that of one
        g.pitch = (atom ? 8 : Tile::wide) + taps - 1;
        const int lines = (atom ? 8 : Tile::high) + taps - 1, images = g.stacked ? Tile::m / 64 : 1;
        g.by_pitch = ShortDivisor(g.pitch);
        g.image_rows = g.pitch * lines;
        g.across = static_cast<int>(outputs.across(g));
        g.down = static_cast<int>(outputs.down(g));
        a.halo_bytes = g.image_rows * images * Tile::row_bytes;
        for (int i = 0; i < p.operand.tensors; ++i)
            a.a_map[i] = box_map(p.operand.tensor[i], {64, g.pitch, lines, images});
    } else {
        a.halo_bytes = rows * Tile::row_bytes * larger(1, Tile::raw_leaves);
        for (int i = 0; i < p.operand.tensors; ++i)
            a.a_map[i] = g.pixels ? pixel_map(p.operand.tensor[i], p.operand.window, rows)
                                  : box_map(p.operand.tensor[i], {64, rows, 1, 1});
    }
    a.parts = parts;
    a.w_constant = p.w_constant;
    a.rows_of_tile = rows;
    a.m_tiles = static_cast<int>(hopper_m_tiles({rows, Tile::n, Tile::alternate, Tile::halo, ""}, p.work));
    a.n_tiles = up(a.n, Tile::n);
    a.tiles = a.batch * a.m_tiles * a.n_tiles;
    using Columns = HopperColumns<Tile, Args>;
    a.in_order = a.n % Columns::group == 0;
    MappedTensor w = p.weights;
    if (a.in_order) {
        const index_t row = index_t(a.segments) * a.k, runs = index_t(a.batch) * a.n / Columns::group;
        const auto map = [&](const int (&box)[5], const index_t (&strides)[5]) {
            for (int i = 1; i < 5; ++i) w.extents[i] = box[i], w.strides[i] = strides[i] * row;
            w.extents[0] = row;
            w.extents[4] = runs - (Columns::in_halves ? box[4] : 0);
            a.w_map = box_map(w, {box[0], box[1], box[2], box[3], box[4]});
        };
        if constexpr (Columns::in_halves) {
            require(a.n % Tile::n == 0, "rows of weights are ", a.n, ", tiles of two sums a column take multiples of ",
                    Tile::n);
            map({64, 4, 2, 4, Tile::n / 32}, {0, 4, Tile::n / 2, 1, 16});
        } else {
            map({64, 2, 4, Columns::each / 2, Tile::n / Columns::group}, {0, 1, Columns::each, 2, Columns::group});
        }
    } else {
        a.w_map = box_map(w, {64, 1, Tile::n, 1, 1});
    }
    a.by_item = ShortDivisor(a.m_tiles * a.n_tiles);
    a.by_band = ShortDivisor(HopperTasks<Tile, Args>::tall * a.n_tiles);
    a.by_last = ShortDivisor(larger(1, a.m_tiles % HopperTasks<Tile, Args>::tall));
    a.by_parts = ShortDivisor(parts);
    a.by_segments = ShortDivisor(a.segments);
    a.by_blocks = ShortDivisor(a.blocks);
    g.by_across = ShortDivisor(g.across);
    g.by_down = ShortDivisor(g.down);
    g.by_width = ShortDivisor(g.width);
    g.by_height = ShortDivisor(g.height);
    g.by_cols = ShortDivisor(g.cols);
    // Tiles whose sum is whole are computed one after the other by as many blocks as run at once.
    const int clusters = parts > 1 ? a.tiles : smaller(a.tiles, l.device().multiprocessors);
    l.launch({.blocks = index_t(clusters) * parts,
              .threads = Tile::threads - (half ? 128 : 0),
              .shared = static_cast<std::size_t>(Layout::bytes),
              .cluster = parts,
              .overlaps = true},
             hopper_kernel<Tile, Args>, a);
}

namespace detail {

/// A schedule of a table as a tile. Those of one warpgroup are halves of another's.
template <class T, const auto& Table, int I, int RawLeaves>
using HopperTableTile = HopperTile<T, Table[I].m * 2 / Table[I].groups, Table[I].n, 2, Table[I].alternate,
                                   Table[I].halo, RawLeaves>;

template <class T, const auto& Table, class Problem, int... I>
void launch_hopper_chosen(Launcher& l, Problem& p, std::integer_sequence<int, I...>) {
    const HopperChoice c = choose_hopper(p.work, l.device().multiprocessors).choice;
    const auto launch = [&]<int K>() {
        using Args = decltype(p.args);
        if constexpr (hopper_suits(Table[K], inlay::detail::cuts_rows<typename Args::Sink::sink>,
                                   gated<typename Args::Epilogue::expression>, Problem::evaluates)) {
            using Tile = HopperTableTile<T, Table, K, Problem::raw_leaves>;
            if (c.index == K) launch_hopper<Tile>(l, p, c.parts, Table[K].groups);
        }
    };
    (launch.template operator()<I>(), ...);
}

}  // namespace detail

/// Launches the product if sm_90a's engine takes it.
template <class W, class In, class Rows, class Epilogue, class Sink, class Place>
bool hopper_matmul(Launcher& l, const MatmulShape& s, const W& w, const In& in, const Rows& rows,
                   const Epilogue& epilogue, const Sink& sink, const Place& place) {
    using T = std::remove_const_t<typename W::value_type>;
    if (!has_hopper(l.device())) return false;
    if constexpr (can_hopper_pass<T, In, Rows>) {
        const HopperWork work = hopper_work<Rows, Epilogue, Sink>(s, hopper_operand<T>(s, in, rows),
                                                                  mapped_weights(s, weights_of(w)), true);
        if (hopper_passes(work, l.device().multiprocessors))
            return hopper_matmul(l, s, w, evaluate_before<T>(l, in), rows, epilogue, sink, place);
    }
    return with_hopper_problem(s, w, in, rows, epilogue, sink, place, [&](auto& p) {
        if constexpr (inlay::detail::has_halo<Rows>)
            detail::launch_hopper_chosen<T, hopper_windows>(
                l, p, std::make_integer_sequence<int, array_length(hopper_windows)>{});
        else
            detail::launch_hopper_chosen<T, hopper_boxes>(
                l, p, std::make_integer_sequence<int, array_length(hopper_boxes)>{});
    });
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
