// SPDX-License-Identifier: Apache-2.0
/// The decision of a reduction on a target: its kernel, the split of its work, their cost, and why the others do not
/// run it. The launch switches over it, `explain` prints it.
#pragma once

#include <inlay/core/order.hpp>
#include <inlay/core/text.hpp>
#include <inlay/plan/cost.hpp>
#include <inlay/plan/reduce/problem.hpp>

namespace inlay::inline INLAY_ABI {

enum class ReduceEngine {
    host,           ///< of the CPU
    short_rows,     ///< many rows of up to a chunk for each lane of a warp, several rows at once
    rows,           ///< threads that share a row
    columns,        ///< threads that share columns; the last axis stays
};
inline constexpr int reduce_engines = 4;

struct ReduceDecision {
    static constexpr int threads = 256;     ///< of a block
    /// Blocks on a multiprocessor, by the registers that they take. More blocks than run at once would only wait for
    /// each other.
    static constexpr int resident = 4;

    ReduceEngine engine = ReduceEngine::rows;
    int size = 0;           ///< threads of a result, a power of two; of columns: chunks beside each other in a block
    index_t tiles = 0;      ///< blocks but for the split
    int parts = 1;          ///< blocks that share the elements of a result
    index_t each = 0;       ///< chunks, of columns rows, of one of them
    double cost_us = 0;     ///< 0 where nothing is known of the target's rates
    const char* why_not[reduce_engines] = {};   ///< of each engine that does not run it

    constexpr index_t blocks() const { return tiles * parts; }
    constexpr const char* why(ReduceEngine e) const { return why_not[static_cast<int>(e)]; }
};

namespace detail {

/// The split of short rows, or why rows are not reduced like this.
constexpr const char* decide_short_rows(const ReduceProblem& p, const TargetInfo& t, ReduceDecision& d) {
    if (!p.walks_down) return "its input is not walked from row to row";
    if (p.axis < 0) return "its results lie along several axes";
    if (p.elements() != p.length) return "it reduces several axes";
    if (p.length % p.lanes != 0) return "rows are not whole chunks of 16 bytes";
    if (p.length > narrowest_warp * p.lanes) return "rows have more than 32 chunks";
    int size = 1;
    while (size * p.lanes < p.length) size *= 2;
    const index_t of_block = index_t(ReduceDecision::threads / size) * p.at_once;
    if (p.results < of_block * t.units) return "its rows do not fill the device";
    d.size = size;
    d.tiles = (p.results + of_block - 1) / of_block;
    return nullptr;
}
constexpr void decide_rows(const ReduceProblem& p, const TargetInfo& t, ReduceDecision& d) {
    const index_t each = 2 * p.at_once;  // chunks a thread should have at least
    const index_t chunks = p.lines * ((p.length + p.lanes - 1) / p.lanes),
                  full = index_t(t.units) * ReduceDecision::resident * ReduceDecision::threads;
    int size = 1;  // up to a warp, so that each thread has loads to overlap
    while (size < narrowest_warp && size * 4 < chunks) size *= 2;
    while (size < ReduceDecision::threads && size * each < chunks && p.results * size < full) size *= 2;
    d.size = size;
    if (size == ReduceDecision::threads && p.results * size < full)
        d.parts = static_cast<int>(larger<index_t>(1, smaller(full / (p.results * size), chunks / (size * each))));
    d.each = (chunks + d.parts - 1) / d.parts;
    d.tiles = (p.results * size + ReduceDecision::threads - 1) / ReduceDecision::threads;
}
constexpr void decide_columns(const ReduceProblem& p, const TargetInfo& t, ReduceDecision& d) {
    const index_t each = 2 * p.at_once;  // rows a thread should have at least
    const index_t chunks = (p.width + p.lanes - 1) / p.lanes, rows = p.elements();
    int across = 1;
    while (across < narrowest_warp && across < chunks) across *= 2;
    d.size = across;
    d.tiles = p.results / p.width * ((chunks + across - 1) / across);
    const index_t full = index_t(t.units) * ReduceDecision::resident, down = ReduceDecision::threads / across;
    d.parts = static_cast<int>(larger<index_t>(1, smaller(full / d.tiles, rows / (down * each))));
    d.each = (rows + d.parts - 1) / d.parts;
}

}  // namespace detail

/// Of work that there is.
constexpr ReduceDecision decide(const ReduceProblem& p, const TargetInfo& t) {
    ReduceDecision d;
    const auto refuse = [&](ReduceEngine e, const char* why) { d.why_not[static_cast<int>(e)] = why; };
    if (t.name == host_target.name) {
        for (int i = 1; i < reduce_engines; ++i) d.why_not[i] = "the target is a CPU";
        d.engine = ReduceEngine::host;
        return d;
    }
    refuse(ReduceEngine::host, "the target is a GPU");
    d.cost_us = roofline_us(t, 0, 0, p.bytes);
    if (!p.rows) {
        refuse(ReduceEngine::short_rows, "its last axis stays");
        refuse(ReduceEngine::rows, "its last axis stays");
        d.engine = ReduceEngine::columns;
        detail::decide_columns(p, t, d);
        return d;
    }
    refuse(ReduceEngine::columns, "it reduces the last axis");
    if (const char* why = detail::decide_short_rows(p, t, d)) {
        refuse(ReduceEngine::short_rows, why);
        detail::decide_rows(p, t, d);
    } else {
        refuse(ReduceEngine::rows, "rows are short and many");
        d.engine = ReduceEngine::short_rows;
    }
    return d;
}

/// "rows: 1024 blocks of 256 threads, 32 a result, 4 blocks share one".
inline Text text(const ReduceProblem& p, const ReduceDecision& d) {
    if (d.engine == ReduceEngine::host) return "one pass over rows";
    Text t = d.engine == ReduceEngine::short_rows ? "short rows: "
             : d.engine == ReduceEngine::rows     ? "rows: "
                                                  : "columns: ";
    t += decimal_text(d.blocks()) + " blocks of " + decimal_text(d.threads) + " threads, ";
    if (d.engine == ReduceEngine::columns) t += decimal_text(d.size) + " chunks beside each other";
    else t += decimal_text(d.size) + " a result";
    if (d.engine == ReduceEngine::short_rows) t += ", " + decimal_text(p.at_once) + " results at once";
    if (d.parts > 1) t += ", " + decimal_text(d.parts) + " blocks share one";
    return t;
}

}  // namespace inlay::inline INLAY_ABI
