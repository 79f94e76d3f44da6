// SPDX-License-Identifier: Apache-2.0
/// The problem of a planned kernel's core as the decisions of `plan/` take it, from extents alone: tensors count as
/// contiguous and aligned.
#pragma once

#include <inlay/plan/attention/decide.hpp>
#include <inlay/plan/gemm/decide.hpp>
#include <inlay/plan/norm/decide.hpp>
#include <inlay/rewrite/planner/kernel.hpp>

#include <numeric>

namespace inlay::inline INLAY_ABI::planner {

/// Facts of a kernel around its core.
struct Surroundings {
    bool evaluates = false;         ///< the prologue computes
    bool upsamples = false;         ///< the prologue reads pixels upsampled by 2
    bool rearranges = false;        ///< the result leaves through views on write
    bool scatters = false;          ///< and a row of it in pieces, as heads
    index_t run = 0;                ///< of rearranged results: that the rows of all are multiples of
    bool splits_rows = false;       ///< elements of a row of the prologue lie in several rows of what it reads
    bool plain = true;              ///< nothing is computed before or after, and nothing rearranged
    bool pieces = false;            ///< the prologue reads a view of several pieces
    bool widens = false;            ///< the prologue reads a tensor in fp32, so that its values are multiplied as fp32
    bool repeats = false;           ///< rows of the core's first operand follow themselves
    unsigned computed = 0;          ///< a bit for each of Q, K and V of attention that the prologue computes
    int tensors = 0;                ///< of the prologue that differ from row to row
    index_t before = 0, after = 0;  ///< special functions in all, each element once
    index_t operand_bytes = 0;      ///< of tensors that the epilogue reads beside the core's
    index_t view_bytes = 0;         ///< of operands that are read through views
    index_t slot_bytes = 0, output_bytes = 0;

    constexpr bool same_core(const Surroundings& o) const {
        return evaluates == o.evaluates && upsamples == o.upsamples && rearranges == o.rearranges &&
               run == o.run && splits_rows == o.splits_rows && view_bytes == o.view_bytes && tensors == o.tensors &&
               plain == o.plain && pieces == o.pieces && widens == o.widens && repeats == o.repeats &&
               computed == o.computed;
    }
};

/// True if a value is computed inside a kernel: not read from memory, nor a view of what is.
constexpr bool computes(const Facts& facts, const Kernel& k, int value) {
    const int node = k.node_of(value);
    if (node < 0) return false;
    const NodeFacts& n = facts.node[node];
    if (n.symbol.role != Role::view) return true;
    for (int i = 0; i < n.operands; ++i)
        if (computes(facts, k, n.operand[i])) return true;
    return false;
}

/// True if a kernel makes a value of a tensor [B, ...] by a view [2·B, ...], whose rows follow themselves.
constexpr bool reads_twice(const Facts& facts, const Kernel& k, int value) {
    const int node = k.node_of(value);
    if (node < 0) return false;
    const NodeFacts& n = facts.node[node];
    if (n.symbol.role == Role::view) {
        const ValueFacts &from = facts.value[n.operand[0]], &to = facts.value[n.value];
        if (from.rank == to.rank && from.last() == to.last() && to.extents[0] == 2 * from.extents[0]) return true;
    }
    for (int i = 0; i < n.operands; ++i)
        if (reads_twice(facts, k, n.operand[i])) return true;
    return false;
}

constexpr Surroundings surroundings(const Facts& facts, const Kernel& k) {
    Surroundings s;
    const index_t operand = k.core < 0 ? 0 : facts.value[facts.node[k.core].operand[0]].count();
    for (int i = 0; i < k.inner; ++i) {
        const NodeFacts& n = facts.node[k.inside[i].node];
        const ValueFacts& v = facts.value[n.value];
        const bool before = (k.inside[i].places & prologue) != 0;
        if (n.symbol.role == Role::core) continue;
        if (n.symbol.role != Role::constant) s.plain = false;
        if (n.symbol.role == Role::pointwise) {
            if (before) s.evaluates = true, s.before += n.symbol.specials * v.count();
            if ((k.inside[i].places & ~prologue) != 0) s.after += n.symbol.specials * v.count();
        } else if (n.symbol.role == Role::view && before) {
            const ValueFacts& from = facts.value[n.operand[0]];
            if (v.rank == 4 && from.rank == 4 && v.extents[1] == 2 * from.extents[1] &&
                v.extents[2] == 2 * from.extents[2])
                s.upsamples = true;
            if (n.operands > 1) s.pieces = true;
            if (n.operands == 1 && n.symbol.parts == 0 && v.last() != from.last()) s.splits_rows = true;
        } else if (n.symbol.sink && (k.inside[i].places & sink) != 0) {
            s.rearranges = true;
            if (n.symbol.parts == 0 && v.last() != facts.value[n.operand[0]].last()) s.scatters = true;
        }
    }
    s.repeats = k.core >= 0 && reads_twice(facts, k, facts.node[k.core].operand[0]);
    index_t read = 0;
    for (int i = 0; i < k.slots; ++i) {
        const ValueFacts& v = facts.value[k.slot[i]];
        // Of the tensor whose statistics are merged only the extents are read.
        const bool merged = k.core >= 0 && facts.node[k.core].symbol.core == Core::merge;
        if (merged && k.slot[i] == facts.node[k.core].operand[1]) continue;
        const index_t bytes = v.count() * v.bytes;
        s.slot_bytes += bytes;
        if (k.core >= 0 && (k.slot_places[i] & ~prologue) != 0) s.operand_bytes += bytes;
        if (k.core >= 0 && (k.slot_places[i] & prologue) != 0 && v.bytes == 4) s.widens = true;
        if ((k.slot_places[i] & prologue) != 0 && 8 * v.count() > operand) read += v.count();
    }
    if (k.core >= 0 && facts.node[k.core].symbol.core == Core::attention)
        for (int i = 0; i < 3; ++i)
            if (const int v = facts.node[k.core].operand[i]; computes(facts, k, v) || reads_twice(facts, k, v))
                s.computed |= 1u << i;
    // Halves of one tensor are read as two; the pieces of a concatenation are one.
    s.tensors = operand == 0 ? 0 : static_cast<int>((read + operand / 2) / operand);
    if (k.core >= 0)
        for (int i = 0; i < facts.node[k.core].operands; ++i) {
            const ValueFacts& v = facts.value[facts.node[k.core].operand[i]];
            if (!facts.node[k.core].takes_weight(i) && k.slot_of(facts.node[k.core].operand[i]) < 0)
                s.view_bytes += v.count() * v.bytes;
        }
    for (int i = 0; i < (k.records ? 1 : k.outputs); ++i) {
        const ValueFacts& v = facts.value[k.output[i]];
        s.output_bytes += v.count() * v.bytes;
        if (s.rearranges) s.run = std::gcd(s.run, v.last());
    }
    return s;
}

/// Of a Linear or Conv2D.
constexpr GemmProblem gemm_problem(const Facts& facts, const Kernel& k, const Surroundings& s) {
    const NodeFacts& n = facts.node[k.core];
    const ValueFacts &in = facts.value[n.operand[0]], &out = facts.value[n.value], &weight = facts.value[k.weight[0]];
    GemmProblem p;
    MatmulShape& m = p.shape;
    const bool conv = n.symbol.core == Core::conv;
    const bool phased = conv && n.symbol.phases > 1;
    m.batch = phased ? n.symbol.phases : conv ? larger(1, n.symbol.groups) : 1;
    if (!conv && weight.rank == 3) m.batch = weight.extents[0];
    m.n = conv && !phased ? out.last() / m.batch : out.last();
    m.k = phased ? in.last() : conv ? in.last() / m.batch : weight.last();
    m.m = m.n == 0 ? 0 : out.count() / (out.last() * (conv && !phased ? 1 : m.batch));
    m.segments = conv ? n.symbol.rows * n.symbol.cols : 1;
    p.dtype = weight.bytes == 4 || s.widens ? DType::f32 : DType::f16;
    p.evaluated = s.evaluates;
    p.gated = k.gated;
    p.wgmma_types = weight.bytes == 2 && !s.widens;
    if (conv) {
        const ValueFacts& pixels = phased ? in : out;
        p.window = {n.symbol.rows,      n.symbol.cols,     n.symbol.stride, 1, larger(1, n.symbol.groups),
                    pixels.extents[1], pixels.extents[2]};
    }
    WgmmaGrid& w = p.wgmma;
    w.windows = phased ? 2 : conv && n.symbol.rows == 3 && n.symbol.cols == 3 && n.symbol.stride == 1 ? 3 : 0;
    w.batch = m.batch, w.m = m.m, w.n = m.n, w.k = m.k;
    w.steps = m.segments * ((m.k + 63) / 64);
    w.taps = m.segments;
    w.cuts = s.rearranges;
    w.run = s.run;
    w.pairs = k.gated;
    w.evaluates = s.evaluates;
    w.tensors = larger(1, s.tensors);
    if (conv) {
        w.rows.pixels = true;
        w.rows.images = static_cast<int>(out.extents[0]);
        w.rows.height = static_cast<int>((phased ? in : out).extents[1]);
        w.rows.width = static_cast<int>((phased ? in : out).extents[2]);
        w.rows.shift = s.upsamples;
    }
    const int most_tensors = w.windows ? 1 : 2;
    if (weight.bytes != 2) w.refused = "its weights are fp32";
    else if (s.widens) w.refused = "its input is fp32";
    else if (m.m <= gemv_rows) w.refused = "so few rows fill no tile";
    else if (m.k % 8 != 0) w.refused = "rows of the weights do not start at multiples of 16 bytes";
    else if (s.splits_rows) w.refused = "rows of its input are not in one piece";
    else if (s.repeats) w.refused = "rows of its input follow themselves";
    else if (s.evaluates && m.batch > 1 && !phased) w.refused = "a batch is not evaluated";
    else if (s.evaluates && conv && !w.windows) w.refused = "what is outside an image is known only under 3x3 windows";
    else if (s.evaluates && s.tensors > most_tensors) w.refused = "too many of its tensors differ from row to row";
    return p;
}

constexpr AttentionProblem attention_problem(const Facts& facts, const Kernel& k, const Surroundings& s) {
    const NodeFacts& n = facts.node[k.core];
    const ValueFacts &q = facts.value[n.operand[0]], &key = facts.value[n.operand[1]], &v = facts.value[n.operand[2]];
    AttentionProblem p;
    p.work.shape = {q.extents[0], q.extents[1], q.extents[1] / larger<index_t>(1, key.extents[1]), q.extents[2],
                    key.extents[2]};
    p.work.d = static_cast<int>(q.last());
    p.work.dv = static_cast<int>(v.last());
    p.work.element_bytes = q.bytes;
    p.work.binary = n.symbol.binary;
    const WgmmaAttentionSchedules table = wgmma_attention_schedules(p.work.d, p.work.dv);
    p.wgmma_types = q.bytes == 2 && table.size > 0;
    p.refused = !p.wgmma_types           ? "the length of its heads has no schedule"
                : table.values_in_keys() ? "V is not known to be the first columns of K"
                                         : nullptr;
    if (p.wgmma_types) {
        p.before = {(s.computed & 1) != 0, (s.computed & 2) != 0, (s.computed & 4) != 0, n.operand[1] == n.operand[2]};
        p.before.pieces = s.pieces;
        const ValueFacts* const operands[] = {&q, &key, &v};
        for (int i = 0; i < 3; ++i)
            if ((s.computed >> i & 1) != 0 && !(i == 2 && p.before.v_is_k))
                p.before_bytes += 2.0 * static_cast<double>(operands[i]->count()) * q.bytes;
    }
    return p;
}

/// Of a GroupNorm, a LayerNorm or a Softmax.
constexpr NormProblem norm_problem(const Facts& facts, const Kernel& k, const Surroundings& s) {
    const NodeFacts& n = facts.node[k.core];
    const ValueFacts& v = facts.value[n.value];
    NormProblem p;
    const index_t rows = v.last() == 0 ? 0 : v.count() / v.last();
    p.channels = v.last();
    p.groups = n.symbol.groups;
    p.items = p.groups > 0 ? v.extents[0] : rows;
    p.pixels = p.groups > 0 ? rows / larger<index_t>(1, p.items) : 1;
    p.evaluated = s.evaluates;
    p.element = p.groups > 0 && s.evaluates ? 4 : v.bytes;
    p.rows.lanes = 16 / v.bytes;
    p.rows.streamed = s.evaluates ? 4 : v.bytes;
    p.rows.scales = k.weights > 0;
    p.rows.operands = k.weights * v.last() * v.bytes;
    if (!s.plain) p.rows.not_stored = "rows are not read and stored as they are, in one type";
    return p;
}

}  // namespace inlay::inline INLAY_ABI::planner
