// SPDX-License-Identifier: Apache-2.0
/// The decision of a matrix product on a target: its engine and schedule, a kernel before it, their cost, and why the
/// other engines do not run it. The launch switches over it, `explain` prints it; nothing else chooses.
#pragma once

#include <inlay/plan/cost.hpp>
#include <inlay/plan/gemm/amd_schedules.hpp>
#include <inlay/plan/gemm/problem.hpp>
#include <inlay/plan/gemm/winograd.hpp>

namespace inlay::inline INLAY_ABI {

enum class GemmEngine {
    host,           ///< of the CPU
    tiled,          ///< a tile of the user's, on the portable engine
    gemv,           ///< streams the weights past a few rows
    gather,         ///< portable tiles whose k-blocks hold many short segments
    mma,            ///< portable tiles by `mma.sync`
    fallback,       ///< the one portable tile that is compiled beside sm_90a's engine
    wgmma,          ///< of sm_90a
    mfma,           ///< portable tiles by `v_mfma`: gfx90a, gfx942
    wmma,           ///< portable tiles by `v_wmma`, of fp32 by FMAs: gfx1100
    winograd,       ///< of the CPU, for 3x3 filters and phases of 2x2 in fp32
};
inline constexpr int gemm_engines = 10;

/// Work of a kernel before the product, in workspace.
enum class GemmBefore { none, converts_weights, evaluates_input };

struct GemmDecision {
    GemmEngine engine = GemmEngine::mma;
    GemmBefore before = GemmBefore::none;
    Choice choice{};            ///< the schedule, but on sm_90a's engine
    ChosenWgmma wgmma{};        ///< and there
    double cost_us = 0;         ///< of all kernels; 0 where nothing is known of the target's rates
    const char* why_not[gemm_engines] = {};     ///< of each engine that does not run it
    bool convolves = false;     ///< its rows are pixels under a window

    constexpr int index() const { return engine == GemmEngine::wgmma ? wgmma.choice.index : choice.index; }
    constexpr int split_k() const { return engine == GemmEngine::wgmma ? wgmma.choice.parts : choice.split_k; }
    constexpr const char* why(GemmEngine e) const { return why_not[static_cast<int>(e)]; }
};

/// The product that sm_90a's engine is left with.
constexpr WgmmaGrid wgmma_product(const GemmProblem& p, GemmBefore before) {
    return before == GemmBefore::evaluates_input ? evaluated_before(p.wgmma) : p.wgmma;
}

namespace detail {

/// The cost of the kernel that evaluates an input into workspace: a launch, and bytes that are read and written; timed
/// on an H200.
constexpr double evaluation_us(const WgmmaGrid& w) {
    return 2 + static_cast<double>((w.tensors + 1) * 2 * w.batch * w.m * w.k) / 4.1e6;
}
/// Evaluates an input by a kernel of its own before its product, where both take less: tiles beside each other would
/// evaluate the same rows anew. Never under 3×3 filters, where nine k-blocks share the evaluated halo tile.
constexpr void decide_wgmma(const GemmProblem& p, int units, GemmDecision& d) {
    d.engine = GemmEngine::wgmma;
    d.wgmma = choose_wgmma(p.wgmma, units);
    d.cost_us = wgmma_microseconds(d.wgmma);
    if (!p.wgmma.evaluates || p.wgmma.windows) return;
    const ChosenWgmma after = choose_wgmma(evaluated_before(p.wgmma), units);
    const double us = wgmma_microseconds(after) + evaluation_us(p.wgmma);
    if (d.cost_us > us) d.before = GemmBefore::evaluates_input, d.wgmma = after, d.cost_us = us;
}
/// The choice by a table of portable schedules.
template <std::size_t N>
constexpr void decide_mma(const Schedule (&table)[N], GemmEngine engine, const GemmProblem& p, int units, int k_unit,
                          GemmDecision& d) {
    d.engine = engine;
    d.choice = choose_matrix(table, units, p.shape.batch, p.shape.m, p.shape.n, k_unit * p.sum());
    d.cost_us = d.choice.us;
}
/// The choice by a table of AMD's schedules.
template <std::size_t N>
constexpr void decide_amd(const Schedule (&table)[N], GemmEngine engine, const GemmProblem& p, const TargetInfo& t,
                          GemmDecision& d) {
    const bool fp32 = p.dtype == DType::f32;
    d.engine = engine;
    d.choice = choose_amd(table, t, fp32, p.shape.batch, p.shape.m, p.shape.n, (fp32 ? 2 : 1) * p.sum());
    d.cost_us = launch_us(t) + d.choice.us;
}
constexpr void decide_mfma(const GemmProblem& p, const TargetInfo& t, GemmDecision& d) {
    if (p.evaluated) decide_amd(mfma_evaluated, GemmEngine::mfma, p, t, d);
    else if (p.dtype == DType::f32) decide_amd(mfma_matrix_fp32, GemmEngine::mfma, p, t, d);
    else decide_amd(mfma_matrix, GemmEngine::mfma, p, t, d);
}
constexpr void decide_wmma(const GemmProblem& p, const TargetInfo& t, GemmDecision& d) {
    if (p.evaluated) decide_amd(wmma_evaluated, GemmEngine::wmma, p, t, d);
    else if (p.dtype == DType::f32) decide_amd(wmma_matrix_fp32, GemmEngine::wmma, p, t, d);
    else decide_amd(wmma_matrix, GemmEngine::wmma, p, t, d);
}
/// Schedule of short segments.
constexpr const Schedule& gather_schedule(MatrixUnit unit, bool fp32) {
    if (unit == MatrixUnit::mfma) return fp32 ? mfma_gather_fp32 : mfma_gather;
    if (unit == MatrixUnit::wmma) return fp32 ? wmma_gather_fp32 : wmma_gather;
    return fp32 ? mma_gather_fp32 : mma_gather;
}
/// Reasons why the engines for a few rows, and for short segments, do not take a product; null where they do.
constexpr const char* gemv_refused(const GemmProblem& p, const TargetInfo& t) {
    if (t.amd()) return "it streams weights into mma.sync";
    if (p.shape.m > gemv_rows) return "it has more than 8 rows";
    if (p.shape.segments > 1) return "its sum has several segments";
    if (p.gated) return "a column has two sums";
    return p.streams ? nullptr : "rows or weights are not whole chunks of 16 bytes";
}
constexpr const char* gather_refused(const GemmProblem& p, const TargetInfo& t) {
    if (p.shape.segments <= 1) return "its sum is one segment";
    const bool fp32 = p.dtype == DType::f32;
    const Schedule& s = gather_schedule(t.matrix, fp32);
    return 4 * p.shape.k <= s.k / (fp32 ? 2 : 1) ? nullptr : "a step does not hold four of its segments";
}

}  // namespace detail

/// On a CPU Winograd's filtering where it takes the product, else plain tiles. On a GPU a tile of the user's; else the
/// first that takes the product: sm_90a's engine, weights streamed past a few rows, gathered segments, portable tiles.
constexpr GemmDecision decide(const GemmProblem& p, const TargetInfo& t) {
    GemmDecision d;
    const auto refuse = [&](GemmEngine e, const char* why) { d.why_not[static_cast<int>(e)] = why; };
    const bool fp32 = p.dtype == DType::f32;
    const auto at_best = [&] {
        d.cost_us = roofline_us(t, p.flops(), fp32 ? t.matrix_tflops_fp32 : t.matrix_tflops, p.bytes());
    };
    if (t.name == host_target.name) {
        for (int i = 1; i < gemm_engines; ++i) d.why_not[i] = "the target is a CPU";
        const DType weights = p.converts ? DType::f16 : p.dtype;    // converted: of any 16-bit type
        const char* const refused = winograd_refused(p.window, p.shape, weights);
        refuse(GemmEngine::winograd, refused);
        d.convolves = p.window.rows > 0;
        if (!refused) refuse(GemmEngine::host, "it is filtered with fewer products");
        d.engine = refused ? GemmEngine::host : GemmEngine::winograd;
        d.choice.schedule = refused ? host_matrix : host_winograd;
        return d;
    }
    refuse(GemmEngine::host, "the target is a GPU");
    refuse(GemmEngine::winograd, "the target is a GPU");
    if (p.tiled) {
        for (int i = 1; i < gemm_engines; ++i)
            if (!d.why_not[i]) d.why_not[i] = "its schedule is the user's";
        refuse(GemmEngine::tiled, nullptr);
        d.engine = GemmEngine::tiled;
        at_best();
    } else {
        const char* const taken = "an engine that comes first takes it";
        refuse(GemmEngine::tiled, "its schedule is not the user's");
        refuse(GemmEngine::wgmma, t.sm90a ? p.wgmma.refused : "the target has no code for sm_90a");
        refuse(GemmEngine::gemv, detail::gemv_refused(p, t));
        refuse(GemmEngine::gather, detail::gather_refused(p, t));
        const bool beside = t.sm90a && p.wgmma_types;
        if (t.matrix != MatrixUnit::mfma) refuse(GemmEngine::mfma, "the target has no v_mfma");
        if (t.matrix != MatrixUnit::wmma) refuse(GemmEngine::wmma, "the target has no v_wmma");
        refuse(GemmEngine::mma, t.amd() ? "the target has no mma.sync"
                                : beside ? "it is not compiled beside sm_90a's engine" : nullptr);
        refuse(GemmEngine::fallback, beside ? nullptr : "kernels of sm_90a's engine are not compiled for it");
        if (!d.why(GemmEngine::wgmma)) {
            detail::decide_wgmma(p, t.units, d);
        } else if (!d.why(GemmEngine::gemv)) {
            d.engine = GemmEngine::gemv;
            d.choice.schedule = gemv_schedule;
            at_best();
        } else if (!d.why(GemmEngine::gather)) {
            d.engine = GemmEngine::gather;
            d.choice.schedule = detail::gather_schedule(t.matrix, fp32);
            at_best();
        } else if (t.matrix == MatrixUnit::mfma) {
            detail::decide_mfma(p, t, d);
        } else if (t.matrix == MatrixUnit::wmma) {
            detail::decide_wmma(p, t, d);
        } else if (beside) {
            detail::decide_mma(mma_fallback, GemmEngine::fallback, p, t.units, 1, d);
        } else if (fp32) {
            detail::decide_mma(mma_matrix_fp32, GemmEngine::mma, p, t.units, 2, d);
        } else if (p.evaluated) {
            detail::decide_mma(mma_evaluated, GemmEngine::mma, p, t.units, 1, d);
        } else {
            detail::decide_mma(mma_matrix, GemmEngine::mma, p, t.units, 1, d);
        }
        for (int i = 0; i < gemm_engines; ++i)
            if (i != static_cast<int>(d.engine) && !d.why_not[i]) d.why_not[i] = taken;
    }
    if (p.converts) {
        d.before = GemmBefore::converts_weights;
        d.cost_us += roofline_us(t, 0, 0, 8.0 * static_cast<double>(p.shape.batch * p.shape.n) *
                                              static_cast<double>(p.sum()));
    }
    return d;
}

inline Text text(const GemmDecision& d) {
    Text t;
    if (d.before == GemmBefore::converts_weights) t += "two kernels: its weights are converted in workspace, then ";
    if (d.before == GemmBefore::evaluates_input) t += "two kernels: its input is evaluated into workspace, then ";
    const Schedule& s = d.choice.schedule;
    if (d.engine == GemmEngine::wgmma) return t + text(d.wgmma);
    if (d.engine == GemmEngine::winograd) return t + "Winograd's 2x2 outputs a tile, " + text(d.choice);
    if (d.engine == GemmEngine::host && d.convolves)
        return t + text(d.choice) + "; not Winograd's, as " + d.why(GemmEngine::winograd);
    if (d.engine == GemmEngine::gemv) return t + "rows of weights streamed once (" + s.found + ")";
    return t + text(d.choice, d.engine == GemmEngine::gather ? ", many segments a step" : "");
}

}  // namespace inlay::inline INLAY_ABI
