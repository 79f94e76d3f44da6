// SPDX-License-Identifier: Apache-2.0
/// Launches of products on sm_90a.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/plan/gemm/decide.hpp>
#include <inlay/tile/cuda/runtime/tensor_map.hpp>
#include <inlay/tile/cuda/wgmma/gemm/kernel.hpp>
#include <inlay/tile/gpu/gemm/materialise.hpp>
#include <inlay/tile/gpu/gemm/weights.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

#include <bit>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The arguments of a product for its kernels on sm_90a.
template <class T, class In, class Epilogue, class Sink, class Place, unsigned Copied>
struct WgmmaProblem {
    static constexpr bool evaluates = !std::is_same_v<In, CopiedInput>;
    static constexpr int source_operands = std::popcount(Copied);
    WgmmaArgs<T, In, Epilogue, Sink, Place, Copied> args;
    MappedTensor weights;
    WgmmaOperand operand;
    WgmmaGrid work;
    bool w_constant = false;        ///< packed: no kernel writes the weights

    WgmmaProblem(const MatmulShape& s, const MappedTensor& w, const WgmmaOperand& o, const WgmmaGrid& of,
                  const In& in, const Epilogue& epilogue, const Sink& sink, const Place& place)
        : args{{}, {}, in, epilogue, sink, place}, weights(w), operand(o), work(of) {
        args.batch = static_cast<int>(s.batch);
        args.m = static_cast<int>(s.m);
        args.n = static_cast<int>(s.n);
        args.k = static_cast<int>(s.k);
        args.segments = static_cast<int>(s.segments);
        args.blocks = static_cast<int>((s.k + 63) / 64);
        args.k_blocks = args.segments * args.blocks;
        for (int i = 0; i < args.leaves; ++i) args.leaf[i] = o.leaf[i];
        const bool joined = !evaluates && o.tensors > 1;
        args.first_blocks = joined ? static_cast<int>(o.tensor[0].extents[0] / 64) : args.blocks;
    }
};
/// Calls f with a product that the engine takes, by the facts of its operands.
template <class W, class In, class Rows, class Epilogue, class Sink, class Place, class F>
void with_wgmma_problem(const GemmFacts& facts, const W&, const In& in, const Rows&, const Epilogue& epilogue,
                        const Sink& sink, const Place& place, const F& f) {
    using T = std::remove_const_t<typename W::value_type>;
    static_assert(can_wgmma<T, In, Rows, Epilogue>);
    const auto call = [&]<unsigned Copied>(const auto& part) {
        WgmmaProblem<T, std::remove_cvref_t<decltype(part)>, Epilogue, Sink, Place, Copied> p(
            facts.problem.shape, facts.weights, facts.operand, facts.problem.wgmma, part, epilogue, sink, place);
        p.w_constant = is_packed<W>;
        f(p);
    };
    if constexpr (can_wgmma_copy<T, In, Rows>) {
        call.template operator()<0u>(CopiedInput{});
    } else {
        const auto part = wgmma_slice(in);
        using Part = std::remove_cvref_t<decltype(part)>;
        constexpr inlay::detail::CopiedChoices choices = inlay::detail::copied_choices_of<T, Part, Rows>;
        if constexpr (choices.two != 0)
            if (facts.operand.streamed == choices.two) return call.template operator()<choices.two>(part);
        if constexpr (choices.one != 0) call.template operator()<choices.one>(part);
    }
}
/// The same of any product; false where the engine does not take it.
template <class W, class In, class Rows, class Epilogue, class Sink, class Place, class F>
bool with_wgmma_problem(const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                        const Sink& sink, const Place& place, const F& f) {
    const GemmFacts facts = gemm_facts<void, Epilogue>(s, weights_of(w), in, rows, sink, false);
    if (facts.problem.wgmma.refused) return false;
    with_wgmma_problem(facts, w, in, rows, epilogue, sink, place, f);
    return true;
}

/// Launches a tile whose sum `split_k` blocks share, at most 8. A tile without split-K, or a short sum,
/// takes fewer. `groups`: warpgroups that multiply; one of two where the tile may be halved, which then has half its
/// rows.
template <class Tile, class Problem>
void launch_wgmma(Launcher& l, Problem& p, int split_k, int groups = Tile::groups) {
    using Args = decltype(p.args);
    using Layout = WgmmaLayout<Tile, Args>;
    auto& a = p.args;
    WgmmaRows& g = a.rows;
    static_cast<MappedRows&>(g) = p.operand.rows;
    if (!Layout::SplitK::fits) split_k = 1;
    split_k = smaller(split_k, a.k_blocks / Tile::slice_unit);
    const bool drops = Tile::drops_warpgroup && groups < Tile::groups;
    const int rows = drops ? Tile::m / 2 : Tile::m;
    const auto up = [](index_t x, index_t y) { return static_cast<int>((x + y - 1) / y); };
    if constexpr (Tile::halo) {
        constexpr HaloOutputs outputs{Tile::m};
        g.stacked = outputs.stacks(g);
        const bool atom = g.stacked || g.shift > 0;     // the halo of one atom
        g.pitch = (atom ? 8 : Tile::wide) + Tile::border;
        const int lines = (atom ? 8 : Tile::high) + Tile::border, images = g.stacked ? Tile::m / 64 : 1;
        g.by_pitch = ShortDivisor(g.pitch);
        g.image_rows = g.pitch * lines;
        g.across = static_cast<int>(outputs.across(g));
        g.down = static_cast<int>(outputs.down(g));
        a.halo_bytes = g.image_rows * images * Tile::row_bytes;
        for (int i = 0; i < p.operand.tensors; ++i)
            a.a_map[i] = box_map(p.operand.tensor[i], {64, g.pitch, lines, images});
    } else {
        a.halo_bytes = rows * Tile::row_bytes * larger(1, Tile::source_operands);
        for (int i = 0; i < p.operand.tensors; ++i)
            a.a_map[i] = g.pixels ? pixel_map(p.operand.tensor[i], p.operand.window, rows)
                                  : box_map(p.operand.tensor[i], {64, rows, 1, 1});
    }
    a.slices = split_k;
    a.w_constant = p.w_constant;
    a.rows_of_tile = rows;
    a.m_tiles = static_cast<int>(wgmma_m_tiles({rows, Tile::n, Tile::ping_pong, Tile::taps, ""}, p.work));
    a.n_tiles = up(a.n, Tile::n);
    a.tiles = a.batch * a.m_tiles * a.n_tiles;
    using Columns = WgmmaColumns<Tile, Args>;
    a.in_order = a.n % Columns::group == 0;
    MappedTensor w = p.weights;
    if (a.in_order) {
        const index_t row = index_t(a.segments) * a.k, runs = index_t(a.batch) * a.n / Columns::group;
        const auto map = [&](const int (&box)[5], const index_t (&strides)[5]) {
            for (int i = 1; i < 5; ++i) w.extents[i] = box[i], w.strides[i] = strides[i] * row;
            w.extents[0] = row;
            w.extents[4] = runs - (Columns::as_half_argument ? box[4] : 0);
            a.w_map = box_map(w, {box[0], box[1], box[2], box[3], box[4]});
        };
        if constexpr (Columns::as_half_argument) {
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
    a.by_band = ShortDivisor(WgmmaTileScheduler<Tile, Args>::tall * a.n_tiles);
    a.by_last = ShortDivisor(larger(1, a.m_tiles % WgmmaTileScheduler<Tile, Args>::tall));
    a.by_slices = ShortDivisor(split_k);
    a.by_segments = ShortDivisor(a.segments);
    a.by_blocks = ShortDivisor(a.blocks);
    g.by_across = ShortDivisor(g.across);
    g.by_down = ShortDivisor(g.down);
    g.by_width = ShortDivisor(g.width);
    g.by_height = ShortDivisor(g.height);
    g.by_cols = ShortDivisor(g.cols);
    // Tiles whose sum is whole are computed one after the other by as many blocks as run at once.
    const int clusters = split_k > 1 ? a.tiles : smaller(a.tiles, l.device().multiprocessors);
    l.launch<WgmmaGemmBody<Tile, Args>>({.blocks = index_t(clusters) * split_k,
                                         .threads = Tile::threads - (drops ? 128 : 0),
                                         .shared = static_cast<std::size_t>(Layout::bytes),
                                         .cluster = split_k,
                                         .overlaps = true},
                                        a);
    if constexpr (publishes_rows<typename Args::Sink>)
        if (publishes_in_tiles(a)) l.note_rows_published();
}

namespace detail {

/// A schedule of a table as a tile. Those of one warpgroup are halves of another's.
template <class T, const auto& Table, int I, int SourceOperands>
using WgmmaTableTile = WgmmaTile<T, Table[I].m * 2 / Table[I].groups, Table[I].n, 2, Table[I].ping_pong,
                                   Table[I].halo, SourceOperands>;

template <class T, const auto& Table, class Problem, int... I>
void launch_wgmma_chosen(Launcher& l, Problem& p, const WgmmaChoice& c, std::integer_sequence<int, I...>) {
    const auto launch = [&]<int K>() {
        using Args = decltype(p.args);
        if constexpr (wgmma_supports(Table[K], inlay::detail::splits_columns<typename Args::Sink::sink>,
                                   gated<typename Args::Epilogue::expression>, Problem::evaluates)) {
            using Tile = WgmmaTableTile<T, Table, K, Problem::source_operands>;
            if (c.index == K) launch_wgmma<Tile>(l, p, c.parts, Table[K].groups);
        }
    };
    (launch.template operator()<I>(), ...);
}

}  // namespace detail

/// Launches a product as decided for this engine.
template <class W, class In, class Rows, class Epilogue, class Sink, class Place>
void wgmma_gemm(Launcher& l, const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
                const Sink& sink, const Place& place, const GemmFacts& facts, const GemmDecision& decision) {
    using T = std::remove_const_t<typename W::value_type>;
    const auto launch = [&](auto& p) {
        const auto launch_of = [&]<const auto& Table>() {
            detail::launch_wgmma_chosen<T, Table>(l, p, decision.wgmma.choice,
                                                  std::make_integer_sequence<int, array_length(Table)>{});
        };
        if constexpr (inlay::detail::halo_taps<Rows> == 3) launch_of.template operator()<wgmma_windows>();
        else if constexpr (inlay::detail::halo_taps<Rows> == 2) launch_of.template operator()<wgmma_phases>();
        else launch_of.template operator()<wgmma_boxes>();
    };
    if constexpr (can_evaluate_first<T, In, Rows>) {
        if (decision.before == GemmBefore::evaluates_input) {
            with_wgmma_problem(s, w, evaluate_before<T>(l, in), rows, epilogue, sink, place, launch);
            return;
        }
    }
    with_wgmma_problem(facts, w, in, rows, epilogue, sink, place, launch);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
