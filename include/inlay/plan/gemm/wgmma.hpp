// SPDX-License-Identifier: Apache-2.0
/// Products that the engine of sm_90a takes, and their schedules on it; `plan/gemm/decide.hpp` chooses by it.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/with_row_stats.hpp>
#include <inlay/expr/sink/with_stats.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/plan/access/column_run.hpp>
#include <inlay/plan/access/evaluated.hpp>
#include <inlay/plan/gemm/wgmma_schedules.hpp>
#include <inlay/plan/gemm/wgmma_table_h200.hpp>

#include <cstdio>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Operations that are functions of their own on the device. Kernels that hand registers from one warpgroup to another
/// must not call any: ptxas 13.0 crashes.
template <class N>
inline constexpr bool is_function = false;
template <class E>
inline constexpr bool is_function<Sin<E>> = true;
template <class E>
inline constexpr bool is_function<Cos<E>> = true;
template <class Nodes>
inline constexpr bool has_function = false;
template <class... N>
inline constexpr bool has_function<types<N...>> = (is_function<N> || ...);
template <class B>
inline constexpr bool has_device_calls = has_function<nodes_of<typename B::expression>>;

/// True if a sink may end a run of columns inside a tensor.
template <class S>
inline constexpr bool splits_columns = true;
template <int I>
inline constexpr bool splits_columns<Store<I>> = false;
template <class S, index_t... P>
inline constexpr bool splits_columns<node::Permuted<S, P...>> = splits_columns<S>;
template <class S, int J>
inline constexpr bool splits_columns<WithStats<S, J>> = splits_columns<S>;
template <class S, int J>
inline constexpr bool splits_columns<WithRowStats<S, J>> = splits_columns<S>;

}  // namespace detail

/// Columns that a sink which splits columns takes at once: no piece of it may end in them. Tiles of multiples of 40 have
/// heads of 40, 80 and 160, others those of 32, 64, 96 and 128.
inline constexpr int wgmma_head = 40;
constexpr int wgmma_group(int n) { return n % wgmma_head == 0 ? wgmma_head : 32; }
/// True if tiles of n rows of weights give a lane columns of one sum alone in a gated product (`WgmmaColumns`). They
/// are whole tiles then.
constexpr bool affine_silu_columns(int n) { return n % 64 == 0; }
/// True if a schedule has kernels for a sink that splits columns, a gated epilogue, an input that is evaluated.
constexpr bool wgmma_supports(const WgmmaSchedule& s, bool cuts, bool pairs, bool evaluates) {
    const bool cut = s.n % wgmma_head == 0 || (!pairs && s.halo == 0 && s.n % wgmma_group(s.n) == 0);
    return (!cuts || cut) && (pairs ? s.n % 32 == 0 : !s.pairs) && (!evaluates || s.groups == 2);
}

/// True if the types of a product allow the copy engine to read its input, as it is or to be evaluated. Upsampled
/// pixels are read under 3×3 windows, more than once.
template <class T, class In, class Rows>
inline constexpr bool can_wgmma_copy = [] {
    using Under = detail::below_upsample<typename In::expression>;
    return (std::is_same_v<T, fp16> || std::is_same_v<T, bf16>) &&
           (TensorRowMap<Rows> || WindowRowMap<Rows>) && (Under::shift == 0 || detail::halo_taps<Rows> == 3) &&
           detail::parts_are<T, In, typename Under::type>;
}();
template <class T, class In, class Rows>
inline constexpr bool can_wgmma_evaluate = [] {
    using Under = detail::below_upsample<typename In::expression>;
    using E = typename Under::type;
    if constexpr (!(std::is_same_v<T, fp16> || std::is_same_v<T, bf16>) ||
                  !(TensorRowMap<Rows> || WindowRowMap<Rows>) || can_wgmma_copy<T, In, Rows> ||
                  (Under::shift > 0 && detail::halo_taps<Rows> != 3))
        return false;
    else if constexpr (access_class_of<E> != AccessClass::plain && access_class_of<E> != AccessClass::affine && access_class_of<E> != AccessClass::pointwise)
        return false;
    else return detail::can_evaluate_list<T, In, Rows, typename flatten<E>::values>;
}();
/// True if it may be materialised by a kernel before.
template <class T, class In, class Rows>
inline constexpr bool can_evaluate_first = can_wgmma_evaluate<T, In, Rows> && !detail::has_halo<Rows>;
template <class T, class In, class Rows, class Epilogue>
inline constexpr bool can_wgmma = (can_wgmma_copy<T, In, Rows> || can_wgmma_evaluate<T, In, Rows>) &&
                                   !detail::has_device_calls<In> && !detail::has_device_calls<Epilogue>;

/// The expression that kernels evaluate of an input that is not copied as it is.
template <class In>
auto wgmma_slice(const In& in) {
    return bind<typename detail::below_upsample<typename In::expression>::type>(in.env);
}
/// The input of a product whose types allow it.
template <class T, class In, class Rows>
WgmmaOperand wgmma_operand(const MatmulShape& s, const In& in, const Rows& rows) {
    using Under = detail::below_upsample<typename In::expression>;
    if constexpr (can_wgmma_copy<T, In, Rows>)
        return detail::copied_operand<T>(s, in, rows, Under::shift,
                                         typename detail::mapped_parts<typename Under::type>::type{});
    else return detail::evaluated_operand<T>(s, wgmma_slice(in), rows, Under::shift);
}

/// Weights [batch, N, segments, K] as the copy engine maps them.
template <class T>
MappedTensor mapped_weights(const MatmulShape& s, const T* w) {
    return {w, dtype_of<T>, {s.k, s.segments, s.n, s.batch, 1}, {1, s.k, s.segments * s.k, s.n * s.segments * s.k, 0}};
}

/// The facts of a product that its schedule depends on.
struct WgmmaGrid {
    int windows = 0;                ///< taps of a line that halo tiles serve; 0: they serve none
    index_t batch = 1, m = 0, n = 0;
    index_t steps = 0;              ///< k-blocks of 64 elements
    MappedRows rows;
    const char* refused = nullptr;  ///< the reason for which the engine refuses it
    bool cuts = false;              ///< the sink may end a run of columns inside a tensor: `splits_columns`
    bool pairs = false;             ///< the product is gated
    bool evaluates = false;         ///< the input is evaluated
    index_t taps = 1, k = 0;        ///< of the filter; elements of the sum under one
    int tensors = 1;                ///< of an input that is evaluated: those that differ from row to row
    index_t run = 0;                ///< of a sink that splits columns: `column_run`

    constexpr WgmmaReading reading() const { return {evaluates, rows.shift > 0, tensors}; }
    /// The key of the product in tables of measured schedules.
    constexpr WgmmaShape shape() const {
        WgmmaShape s{windows ? evaluates ? WgmmaInput::evaluated_halo : WgmmaInput::halo
                              : evaluates ? WgmmaInput::evaluated : WgmmaInput::copied,
                      pairs, batch, 1, 1, m, taps, n, k};
        if (windows) s.images = rows.images, s.height = rows.height, s.width = rows.width;
        return s;
    }
};

/// True if a schedule has kernels that take a product. Of those for a sink that may split columns: any where it stores
/// whole rows, else by the groups that its pieces consist of, of 40 columns where there is none of others.
constexpr bool wgmma_supports(const WgmmaSchedule& s, const WgmmaGrid& w) {
    const bool others = w.windows == 0 && !w.pairs && w.run > 0 && w.run % wgmma_head != 0 && w.run % 32 == 0,
               whole = w.run == (w.pairs ? w.n / 2 : w.n);
    return wgmma_supports(s, w.cuts, w.pairs, w.evaluates) &&
           (!w.cuts || whole || (s.n % wgmma_head != 0) == others) &&
           !(w.pairs && affine_silu_columns(s.n) && w.n % s.n != 0);
}

/// The reason for which the types of a product refuse the engine; null if they allow it.
template <class T, class In, class Rows, class Epilogue>
constexpr const char* wgmma_types_refused() {
    if constexpr (can_wgmma<T, In, Rows, Epilogue>) return nullptr;
    else if constexpr (sizeof(T) != 2) return "its weights are fp32";
    else if constexpr (detail::has_device_calls<In> || detail::has_device_calls<Epilogue>)
        return "sin and cos are functions on the device";
    else return "its input is neither tensors as they lie nor a function of one or two and of vectors";
}

/// Adds the facts of extents and addresses. `w`: the weights.
template <class Rows, class Epilogue, class Sink>
WgmmaGrid wgmma_grid(const MatmulShape& s, WgmmaOperand o, const MappedTensor& w, const Sink& sink, bool evaluates) {
    constexpr index_t limit = index_t(1) << 30;
    o.refuse(!w.can_map(), "rows of the weights do not start at multiples of 16 bytes");
    const index_t of_one = limit / larger<index_t>(s.batch, 1);
    o.refuse(s.batch >= limit || s.m >= of_one || s.n >= of_one || s.segments * s.k >= limit,
             "an extent is 2^30 or more");
    o.refuse(s.k == 0, "there is nothing to add up");
    constexpr bool cuts = detail::splits_columns<typename Sink::sink>, pairs = gated<typename Epilogue::expression>;
    index_t run = 0;
    if constexpr (cuts) run = column_run(sink, pairs ? s.n / 2 : s.n);
    return {detail::halo_taps<Rows>, s.batch, s.m, s.n, s.segments * ((s.k + 63) / 64), o.rows, o.refused,
            cuts, pairs, evaluates, s.segments, s.k, larger(1, std::popcount(o.streamed)), run};
}

namespace detail {

/// Number of tiles of `of` in n.
constexpr index_t tiles_in(index_t n, index_t of) { return (n + of - 1) / of; }

}  // namespace detail

/// The outputs of a halo tile of m rows: atoms of 8×8 pixels, two side by side, further ones below them; or, where
/// images are as small, each in an image of its own. Of an input that is upsampled by 2, atoms are every second pixel
/// of every second line of 16×16, so that under each tap they read 8×8 of the copied pixels: four atoms have all, two
/// have every second line.
struct HaloOutputs {
    int m;
    static constexpr int wide = 16;
    constexpr int high() const { return m / wide; }
    constexpr bool stacks(const MappedRows& g) const {
        return m == 128 && g.shift == 0 && g.width <= 8 && g.height <= 8;
    }
    /// Tiles across an image, and down.
    constexpr index_t across(const MappedRows& g) const { return detail::tiles_in(g.width, wide); }
    constexpr index_t down(const MappedRows& g) const {
        return g.shift == 0 ? detail::tiles_in(g.height, high())
                            : detail::tiles_in(g.height, wide) * (wide / high());
    }
};

/// Tiles of rows that a schedule makes of a product.
constexpr index_t wgmma_m_tiles(const WgmmaSchedule& s, const WgmmaGrid& w) {
    const MappedRows& g = w.rows;
    const HaloOutputs halo{s.m};
    if (!s.halo) return detail::tiles_in(w.m, s.m);
    if (halo.stacks(g)) return detail::tiles_in(g.images, s.m / 64);
    return g.images * halo.across(g) * halo.down(g);
}

/// The schedule of a product that is not refused; `measured`: a table's, with its microseconds, else the rule's choice.
struct ChosenWgmma {
    WgmmaSchedule schedule;
    WgmmaChoice choice;
    index_t tiles;
    bool measured = false;
    double us = 0, rule_us = 0;
};
/// Microseconds of a schedule: measured, or expected by the rule.
constexpr double wgmma_microseconds(const ChosenWgmma& c) {
    return c.measured ? c.us : c.choice.clocks / (1e3 * detail::WgmmaClocks::ghz);
}
/// Chooses by `measured` if it has the product with a schedule of `table` that supports it, else by the rule.
template <std::size_t N>
constexpr ChosenWgmma choose_wgmma(const WgmmaSchedule (&table)[N], const WgmmaTable& measured, const WgmmaGrid& w,
                                     int units) {
    index_t m_tiles[N] = {};
    for (std::size_t i = 0; i < N; ++i)
        if (wgmma_supports(table[i], w)) m_tiles[i] = wgmma_m_tiles(table[i], w);
    const auto tiles = [&](std::size_t i) { return w.batch * m_tiles[i] * ((w.n + table[i].n - 1) / table[i].n); };
    if (const std::size_t row = measured.find(w.shape(), units); row < measured.size) {
        const WgmmaTuned& t = measured.rows[row];
        for (std::size_t i = 0; i < N; ++i) {
            const WgmmaSchedule& s = table[i];
            if (s.m != t.m || s.n != t.n || s.ping_pong != t.ping_pong || m_tiles[i] == 0 ||
                !wgmma_can_share(s, tiles(i), w.steps, t.parts, units))
                continue;
            const double clocks = wgmma_cost(s, tiles(i), w.steps, t.parts, units, w.reading()).clocks();
            return {s, {static_cast<int>(i), t.parts, clocks}, tiles(i), true, t.us, t.rule_us};
        }
    }
    const WgmmaChoice c = choose_wgmma(table, units, w.batch, m_tiles, w.n, w.steps, w.reading());
    return {table[c.index], c, tiles(static_cast<std::size_t>(c.index))};
}
constexpr ChosenWgmma choose_wgmma(const WgmmaTable& measured, const WgmmaGrid& w, int units) {
    return w.windows == 3   ? choose_wgmma(wgmma_windows, measured, w, units)
           : w.windows == 2 ? choose_wgmma(wgmma_phases, measured, w, units)
                            : choose_wgmma(wgmma_boxes, measured, w, units);
}
constexpr ChosenWgmma choose_wgmma(const WgmmaGrid& w, int units) {
    return choose_wgmma(wgmma_table_h200, w, units);
}
/// The same product of an input that has been evaluated.
constexpr WgmmaGrid evaluated_before(WgmmaGrid w) {
    w.evaluates = false;
    w.tensors = 1;
    return w;
}
/// The choice by the rule alone.
constexpr ChosenWgmma choose_wgmma_by_rule(const WgmmaGrid& w, int units) {
    return choose_wgmma(WgmmaTable{}, w, units);
}

inline Text text(const ChosenWgmma& c) {
    const WgmmaSchedule& s = c.schedule;
    Text t = decimal_text(s.m) + "x" + decimal_text(s.n) + "x64";
    if (s.halo) t += " from halo tiles";
    if (s.ping_pong) t += ", warpgroups alternate";
    if (s.groups == 1) t += ", one warpgroup";
    t += ", " + decimal_text(c.tiles) + (c.tiles == 1 ? " tile" : " tiles");
    if (c.choice.parts > 1) t += ", each the sum of " + decimal_text(c.choice.parts) + " blocks of a cluster";
    if (!c.measured) return t + " (by rule; " + s.found + ")";
    char took[48];
    std::snprintf(took, sizeof took, ": %.1f us, by rule %.1f)", c.us, c.rule_us);
    return t + " (measured on an " + wgmma_table_h200.device + took;
}

}  // namespace inlay::inline INLAY_ABI
