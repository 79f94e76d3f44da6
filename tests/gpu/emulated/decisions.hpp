// SPDX-License-Identifier: Apache-2.0
/// Kernels that run beside what `explain` prints of them: a kernel is launched, the machine notes its grids, and they
/// must be those of the engine, the schedule and the kernel before that the report names.
#pragma once

#include <gpu/emulated/launch.hpp>
#include <frame/check.hpp>

#include <inlay/report/explain.hpp>
#include <inlay/tile/cuda/runtime/target.hpp>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <vector>

namespace inlay_test {

using namespace inlay;

struct Ran {
    std::vector<emulator::RanGrid> grids;
    KernelReport report;
    KernelDecision decision;
    std::string explained;
    int units = 0;

    const emulator::RanGrid& last() const { return grids.back(); }
    bool says(const std::string& words) const { return explained.find(words) != std::string::npos; }
    /// True where the last kernel has this body.
    bool runs(const std::string& body) const { return last().kernel.find(body + "<") != std::string::npos; }
    /// True where the last kernel's name has a word, in letters of either case.
    bool is(std::string word) const {
        std::string name = last().kernel.substr(0, last().kernel.find('<'));
        for (char& c : name) c = static_cast<char>(std::tolower(c));
        return name.find(word) != std::string::npos;
    }
};

template <class K, class T, int R, class... A>
Ran run_and_explain(const Extents<R>& out, A&... arrays) {
    Array<T, R> y(out, std::numeric_limits<double>::quiet_NaN());
    auto placed = std::make_tuple(Placed(arrays)...);
    Placed to(y);
    Ran r;
    std::apply(
        [&](auto&... p) {
            const auto kernel = prepare<K>(*to, *p...);
            const TargetInfo target = on_gpu::target_of(executor().device());
            r.units = target.units;
            r.report = describe<K>(kernel);
            r.decision = decide(r.report, target);
            r.explained = explain(r.report, target);
            const emulator::GridRecord record;
            kernel.run(executor());
            wait();
            r.grids = record.grids();
        },
        placed);
    return r;
}

inline unsigned to_unsigned(index_t n) {
    return static_cast<unsigned>(n);
}

/// A matrix product.
template <class K, class T, int R, class... A>
GemmEngine expect_product(const Extents<R>& out, A&... arrays) {
    const Ran r = run_and_explain<K, T>(out, arrays...);
    const GemmProblem& p = r.report.gemm;
    const GemmDecision& d = r.decision.gemm;
    SCOPED_TRACE(r.explained + r.last().kernel);
    const bool before = d.before != GemmBefore::none;
    EXPECT_EQ(r.grids.size(), before ? 2u : 1u);
    EXPECT_EQ(r.says("two kernels: "), before);
    EXPECT_EQ(r.is("wgmma"), d.engine == GemmEngine::wgmma);
    EXPECT_EQ(r.says("wgmma.m64nNk16"), r.is("wgmma"));
    EXPECT_EQ(r.is("gemv"), d.engine == GemmEngine::gemv);
    EXPECT_EQ(r.says("rows of weights streamed once"), r.is("gemv"));
    EXPECT_EQ(r.is("gather"), d.engine == GemmEngine::gather);
    EXPECT_EQ(r.says(", many segments a step"), r.is("gather"));
    const auto up = [](index_t a, index_t b) { return (a + b - 1) / b; };
    const emulator::RanGrid& g = r.last();
    if (d.engine == GemmEngine::wgmma) {
        const index_t tiles = d.wgmma.tiles, at_once = d.split_k() > 1 ? tiles : std::min<index_t>(tiles, r.units);
        EXPECT_EQ(g.cluster, to_unsigned(d.split_k()));
        EXPECT_EQ(g.blocks, to_unsigned(at_once * d.split_k()));
    } else if (d.engine == GemmEngine::mma || d.engine == GemmEngine::fallback) {
        const Schedule& s = d.choice.schedule;
        EXPECT_EQ(g.threads, to_unsigned(32 * s.warps));
        EXPECT_EQ(g.blocks, to_unsigned(p.shape.batch * up(p.shape.m, s.m) * up(p.shape.n, s.n) * d.split_k()));
    }
    return d.engine;
}

/// A GroupNorm.
template <class K, class T, int R, class... A>
NormEngine expect_group_norm(const Extents<R>& out, A&... arrays) {
    const Ran r = run_and_explain<K, T>(out, arrays...);
    const NormDecision& d = r.decision.norm;
    SCOPED_TRACE(r.explained + r.last().kernel);
    EXPECT_EQ(r.grids.size(), 1u);
    const bool clusters = d.engine == NormEngine::clusters;
    EXPECT_EQ(r.is("cluster"), clusters);
    const emulator::RanGrid& g = r.last();
    const int team = clusters ? d.clusters.team : d.teams.team, tasks = clusters ? d.clusters.tasks : d.teams.slots;
    const int threads = clusters ? d.clusters.threads : d.teams.threads;
    EXPECT_EQ(g.blocks, to_unsigned(tasks * team));
    EXPECT_EQ(g.cluster, clusters ? to_unsigned(team) : 1u);
    EXPECT_EQ(g.threads, to_unsigned(threads));
    EXPECT_EQ(r.says("cooperative: "), !clusters && team > 1);
    EXPECT_TRUE(r.says(" " + std::to_string(threads) + " threads"));
    return d.engine;
}

/// Whole rows, of a softmax, LayerNorm or RMSNorm.
template <class K, class T, int R, class... A>
NormEngine expect_rows(const Extents<R>& out, A&... arrays) {
    const Ran r = run_and_explain<K, T>(out, arrays...);
    const NormDecision& d = r.decision.norm;
    SCOPED_TRACE(r.explained + r.last().kernel);
    EXPECT_EQ(r.grids.size(), 1u);
    EXPECT_EQ(r.runs("StoredRowsBody"), d.engine == NormEngine::packed_rows);
    EXPECT_EQ(r.runs("SharedRowsBody"), d.engine == NormEngine::shared_rows);
    EXPECT_EQ(r.runs("StreamedRowsBody"), d.engine == NormEngine::streamed_rows);
    EXPECT_EQ(r.last().blocks, to_unsigned(d.rows.blocks));
    EXPECT_EQ(r.last().threads, to_unsigned(d.rows.threads));
    EXPECT_TRUE(r.says(" blocks of " + std::to_string(d.rows.threads) + " threads"));
    return d.engine;
}

/// A reduction.
template <class K, class T, int R, class... A>
ReduceEngine expect_reduction(const Extents<R>& out, A&... arrays) {
    const Ran r = run_and_explain<K, T>(out, arrays...);
    const ReduceDecision& d = r.decision.reduce;
    SCOPED_TRACE(r.explained + r.last().kernel);
    EXPECT_EQ(r.grids.size(), 1u);
    EXPECT_EQ(r.runs("ReduceShortRowsBody"), d.engine == ReduceEngine::short_rows);
    EXPECT_EQ(r.runs("ReduceRowsBody"), d.engine == ReduceEngine::rows);
    EXPECT_EQ(r.runs("ReduceColumnsBody"), d.engine == ReduceEngine::columns);
    EXPECT_EQ(r.last().blocks, to_unsigned(d.blocks()));
    EXPECT_EQ(r.last().threads, to_unsigned(d.threads));
    EXPECT_EQ(r.says(" blocks share one"), d.parts > 1);
    return d.engine;
}

/// An attention.
template <class K, class T, int R, class... A>
AttentionEngine expect_attention(const Extents<R>& out, A&... arrays) {
    const Ran r = run_and_explain<K, T>(out, arrays...);
    const AttentionWork& w = r.report.attention.work;
    const AttentionDecision& d = r.decision.attention;
    SCOPED_TRACE(r.explained + r.last().kernel);
    EXPECT_EQ(r.grids.size(), 1u + static_cast<unsigned>(d.before.kernels()));
    EXPECT_EQ(r.says("evaluated into workspace"), d.before.any());
    EXPECT_EQ(r.is("wgmma"), d.engine == AttentionEngine::wgmma);
    EXPECT_EQ(r.says("wgmma.m64nNk16"), r.is("wgmma"));
    const emulator::RanGrid& g = r.last();
    if (d.engine == AttentionEngine::wgmma) {
        const WgmmaAttentionSchedule s = wgmma_attention_schedules(w.d, w.dv).at[d.index];
        EXPECT_EQ(g.blocks, to_unsigned(wgmma_attention_blocks(s, d.parts, w.shape)));
        EXPECT_EQ(g.cluster, to_unsigned(s.together()));
    } else {
        const AttentionSchedule s = attention_schedules(w, d).at[d.index];
        EXPECT_EQ(g.blocks, to_unsigned(attention_blocks(s, w.shape) * d.splits));
        EXPECT_EQ(g.threads, to_unsigned(32 * s.warps()));
    }
    return d.engine;
}

}  // namespace inlay_test
