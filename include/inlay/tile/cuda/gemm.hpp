// SPDX-License-Identifier: Apache-2.0
/// C[b, m, n] = Σ_s Σ_k A[b, m, s, k] · W[b, n, s·K + k] with the portable matrix engine, through epilogue and sink.
///
/// A is an expression at `rows`, W lies row by row, C leaves at `place`. 2 · batch · m · n · segments · k FLOPs; moves
/// A once for each column of tiles and W once for each row of tiles, mostly from the second-level cache, and C once.
/// Accumulates in fp32. Every sum has one order, so runs are bitwise equal; it depends on the extents and the device.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/plan/access/product_type.hpp>
#include <inlay/plan/gemm/decide.hpp>
#include <inlay/tile/gpu/gemm/gather.hpp>
#include <inlay/tile/cuda/mma/gemm/gemv.hpp>
#include <inlay/tile/gpu/gemm/kernel.hpp>
#include <inlay/tile/cuda/runtime/target.hpp>
#include <inlay/tile/cuda/wgmma/gemm/launch.hpp>
#include <inlay/tile/gpu/gemm/converted.hpp>
#include <inlay/tile/gpu/gemm/weights.hpp>
#include <inlay/tile/gpu/runtime/launcher.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// The leaves of an input that are staged in shared memory: those that differ from row to row. The others, vectors of
/// channels mostly, stay in the first-level cache.
template <class T, class B, class List>
struct Streams;
template <class T, class B, class... V, class Keys>
struct Streams<T, B, inlay::detail::Flat<types<V...>, Keys>> {
    using Cursors = inlay::Cursors<inlay::detail::Flat<types<V...>, Keys>, B, float>;
    static unsigned mask(const B& in, index_t elements) {
        unsigned m = 0;
        int first = 0;
        (add<V>(in, elements, m, first), ...);
        return m;
    }

private:
    template <class W>
    static void add(const B& in, index_t elements, unsigned& m, int& first) {
        using Node = typename W::node;
        constexpr int leaves =
            leaves_of<decltype(inlay::detail::cursor_type<float, 0>(W{}, static_cast<const B*>(nullptr)))>;
        if constexpr (inlay::detail::is_buf<Node>) {
            const auto& t = in.env.template tensor<Node::slot>();
            using U = std::remove_const_t<typename std::remove_cvref_t<decltype(t)>::value_type>;
            if (std::is_same_v<T, U> && count(t.extents) * 16 >= elements) m |= 1u << first;
        } else if constexpr (Node::kind == NodeKind::view) {
            [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
                ((m |= Streams<T, B, flatten<K, join_types<typename W::path, types<path_step<Node, I>>>>>::mask(in,
                                                                                                                elements)
                       << first),
                 ...);
            }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
        }
        first += leaves;
    }
};

/// A schedule of the table as a tile.
template <class T, const auto& Table, int I>
using TableTile = Tile<Atom<T>, Table[I].m, Table[I].n, Table[I].k * 2 / static_cast<int>(sizeof(T)), Table[I].warps,
                       Table[I].slices, Table[I].blocks, Table[I].stages>;

/// Warps of a user's tile: at least 4 where the tile has work for them, and as many as hold its sums in registers.
template <class T>
constexpr int warps_for(int m, int n, int k) {
    const int most = sizeof(T) == 4 ? 64 : 128, chunks = k * static_cast<int>(sizeof(T)) / 16;
    int best = 0;
    for (int warps = 1; warps <= 16; warps *= 2) {
        if (warp_grid(m, n, warps).m == 0 || m * n > most * 32 * warps || 32 * warps < 8 * chunks) continue;
        if (best == 0 || warps <= 4) best = warps;
    }
    return best;
}

template <class Tile, Images In = Images::all, class Args>
void launch_tiles(Launcher& l, Args& a, int parts, int stages) {
    using Table = RunTable<Tile, Args>;
    const auto up = [](index_t x, index_t y) { return (x + y - 1) / y; };
    a.m_tiles = static_cast<int>(up(a.m, Tile::m));
    a.n_tiles = static_cast<int>(up(a.n, Tile::n));
    const index_t steps = up(a.total, Tile::k);
    a.slice_length = static_cast<int>(up(steps, parts)) * Tile::k;
    a.slices = a.slice_length > 0 ? static_cast<int>(up(a.total, a.slice_length)) : 1;
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
    const auto bytes = static_cast<std::size_t>(larger(shared(), EpilogueTile<Tile, Args>::bytes));
    l.launch<GemmBody<Tile, Args, In>>(
        {.blocks = tiles * a.slices, .threads = Tile::threads, .shared = bytes, .overlaps = true}, a);
}

/// The tile of short segments.
template <class T, const Schedule& S = sizeof(T) == 4 ? mma_gather_fp32 : mma_gather>
using GatherTileOf = Tile<Atom<T>, S.m, S.n, S.k * 2 / static_cast<int>(sizeof(T)), S.warps, S.slices, S.blocks, S.stages>;

template <class T, const auto& Table, Images In, class Args, int... I>
void launch_chosen(Launcher& l, Args& a, const Choice& choice, std::integer_sequence<int, I...>) {
    ((choice.index == I ? launch_tiles<TableTile<T, Table, I>, In>(l, a, choice.split_k, choice.schedule.stages)
                        : void()),
     ...);
}
template <class T, const auto& Table, Images In, class Args>
void launch_chosen(Launcher& l, Args& a, const Choice& choice) {
    launch_chosen<T, Table, In>(l, a, choice, std::make_integer_sequence<int, array_length(Table)>{});
}
/// A schedule of the portable engine's tables.
template <class T, Images In, class Args>
void launch_portable(Launcher& l, Args& a, const Choice& choice) {
    if constexpr (std::is_same_v<T, float>) launch_chosen<T, mma_matrix_fp32, In>(l, a, choice);
    else if constexpr (is_copied_of<T, typename Args::In>) launch_chosen<T, mma_matrix, In>(l, a, choice);
    else launch_chosen<T, mma_evaluated, In>(l, a, choice);
}

}  // namespace detail

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

/// A tile of the user's.
template <class T, class Schedule, class Args>
void launch_tiled(Launcher& l, Args& a) {
    constexpr int warps = warps_for<T>(Schedule::m, Schedule::n, Schedule::k);
    static_assert(warps > 0, "inlay: no warps can share the tile of this schedule: its M is a multiple of 16, its N of "
                             "8, and its sums fit the registers of 16 warps");
    static_assert(Schedule::stages >= 2,
                  "inlay: a schedule on CUDA has at least 2 stages: one is filled while one is read");
    if constexpr (warps > 0)
        launch_tiles<Tile<Atom<T>, Schedule::m, Schedule::n, Schedule::k, warps, 1, 1, Schedule::stages>, Images::all>(
            l, a, Schedule::split_k, Schedule::stages);
}

/// A product in the type of its weights, as decided; what a decision cannot be for its types is not compiled.
/// `converts`: they were converted to it.
template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
void matmul_in_type(Launcher& l, const MatmulShape& s, const W& w, const In& in, const Rows& rows,
                    const Epilogue& epilogue, const Sink& sink, const Place& place, bool converts) {
    using T = std::remove_const_t<typename W::value_type>;
    if constexpr (requires { Schedule::m; }) {
        auto a = matmul_args(s, w, in, rows, epilogue, sink, place);
        launch_tiled<T, Schedule>(l, a);
    } else {
        constexpr bool wgmma = can_wgmma<T, In, Rows, Epilogue>;
        const TargetInfo target = target_of(l.device());
        const GemmFacts facts =
            gemm_facts<Schedule, Epilogue, Sink>(s, weights_of(w), in, rows, converts, target.sm90a);
        const GemmDecision decision = decide(facts.problem, target);
        if constexpr (wgmma)
            if (decision.engine == GemmEngine::wgmma)
                return wgmma_gemm(l, s, w, in, rows, epilogue, sink, place, facts, decision);
        auto a = matmul_args(s, w, in, rows, epilogue, sink, place);
        switch (decision.engine) {
            case GemmEngine::gemv:
                if constexpr (!gated<typename Epilogue::expression> && can_stream_weights<Rows>) gemv(l, a);
                break;
            case GemmEngine::gather:
                if constexpr (Rows::segments > 1) gather<GatherTileOf<T>>(l, a);
                break;
            case GemmEngine::fallback:
                if constexpr (wgmma) launch_chosen<T, mma_fallback, Images::with_sm90a>(l, a, decision.choice);
                break;
            default:
                launch_portable<T, wgmma ? Images::without_sm90a : Images::all>(l, a, decision.choice);
        }
    }
}

}  // namespace detail

/// Weights are a dense Tensor or Packed of fp16, bf16 or float; extents fit 30 bits. `rows`, `place`:
/// `frame/base.hpp`.
template <class Schedule, class W, class In, class Rows, class Epilogue, class Sink, class Place>
void matmul(Launcher& l, const MatmulShape& s, const W& w, const In& in, const Rows& rows, const Epilogue& epilogue,
            const Sink& sink, const Place& place) {
    using Stored = std::remove_const_t<typename W::value_type>;
    using T = product_type<Stored, In>;
    static_assert(std::is_same_v<Stored, fp16> || std::is_same_v<Stored, bf16> || std::is_same_v<Stored, float>,
                  "inlay: the weights of a matrix product on CUDA are fp16, bf16 or float");
    if (s.batch <= 0 || s.m <= 0 || s.n <= 0) return;
    const auto multiply = [&](const auto& weights) {
        detail::matmul_in_type<Schedule>(l, s, weights, multiplied_input<T>(in), rows, epilogue, sink, place,
                                         !std::is_same_v<T, Stored>);
    };
    if constexpr (std::is_same_v<T, Stored>) {
        multiply(w);
    } else {
        const Tensor<const T, 1> weights = converted<T>(l, w);
        const Launcher::Hold hold(l, sizeof(T) * static_cast<std::size_t>(weights.size()));
        multiply(weights);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
