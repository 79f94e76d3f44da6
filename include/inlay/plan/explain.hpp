// SPDX-License-Identifier: Apache-2.0
/// `explain`: what a kernel does on a target, in words that tests pin, so that a silent demotion fails one.
#pragma once

#include <inlay/expr/slots.hpp>
#include <inlay/plan/describe.hpp>
#include <inlay/plan/schedules.hpp>

#include <algorithm>
#include <cstdio>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// 3 significant digits: "15.1 GFLOP", "786 kB".
inline std::string scaled(double x, const char* unit) {
    const char* prefix[] = {" ", " k", " M", " G", " T"};
    int i = 0;
    while (x >= 999.5 && i < 4) x /= 1000, ++i;
    char s[32];
    std::snprintf(s, sizeof s, x >= 99.95 ? "%.0f" : x >= 9.995 ? "%.1f" : "%.2f", x);
    std::string number = s;
    if (number.find('.') != number.npos) {
        while (number.back() == '0') number.pop_back();
        if (number.back() == '.') number.pop_back();
    }
    return number + prefix[i] + unit;
}

/// The widest access, in elements, that divides every run of an operand.
inline index_t vector_width(const Operand& o, const TargetInfo& t) {
    index_t w = t.vector_bytes / static_cast<index_t>(bytes(o.dtype));
    while (w > 1 && o.run % w != 0) w /= 2;
    return w;
}

inline std::string engine(const Operand& o, const TargetInfo& t, bool matrix) {
    if (o.run == 0) return "one value a row, kept in a register";
    const index_t w = vector_width(o, t);
    const index_t width = w * static_cast<index_t>(bytes(o.dtype));
    std::string s;
    if (o.rung == Rung::general || w == 1) s = w == 1 ? "scalar loads" : "vector loads";
    else if (matrix && o.input && width >= 4) s = std::string(t.copy);  // cp.async moves 4, 8 or 16 bytes
    else s = "vector loads";
    return s + ", " + std::to_string(w) + " x " + name(o.dtype);
}

inline std::string bound_by(const Launch& l, const TargetInfo& t) {
    if (t.bandwidth_gbs == 0) return "";
    const double memory = l.bytes() / (t.bandwidth_gbs * 1e3);
    const double matrix = l.matrix() || l.frame == "attention" ? l.flops / (matrix_rate(t, l.dtype) * 1e6) : 0;
    char s[96];
    std::snprintf(s, sizeof s, ", at least %.1f us by %s", std::max(memory, matrix),
                  matrix > memory ? "the matrix unit" : "memory");
    return s;
}

inline std::string schedule_text(const Launch& l, const TargetInfo& t) {
    if (!l.schedule.empty()) return l.schedule + " (the user's)";
    if (l.matrix()) return text(choose_matrix(t, l.batch, l.m, l.n, l.k));
    if (l.frame == "attention") return text(Choice{t.name == host_target.name ? host_attention : sm80_attention, 1});
    return "one pass over rows";
}

/// Where a pointwise prologue is applied.
inline std::string placement(const Launch& l, const TargetInfo& t) {
    if (l.operations == 0) return "";
    const std::string cost = std::to_string(l.operations) + (l.operations == 1 ? " operation, " : " operations, ") +
                             std::to_string(l.special) + " special per element";
    if (!l.matrix()) return "; " + cost;
    return (t.name == host_target.name ? "; applied as rows are staged: " : "; applied between ldmatrix and mma: ") + cost;
}

}  // namespace detail

/// One kernel on one target, several lines.
inline std::string explain(const Launch& l, const TargetInfo& t) {
    const bool matrix = l.matrix() || l.frame == "attention";
    std::string s = l.layer.empty() ? l.kernel : l.layer + ": " + l.kernel;
    s += "\n  frame     " + l.frame + " " + l.extents + " " + name(l.dtype) + ", " + std::string(t.name);
    if (matrix) s += ", " + std::string(l.dtype == DType::f32 ? t.atom_fp32 : t.atom) + ", accumulates fp32";
    for (const std::string& in : l.inputs) s += "\n  input     " + in;
    s += std::string("\n  rung      ") + name(l.rung) + detail::placement(l, t);
    for (const Operand& o : l.operands)
        if (o.expression)
            s += "\n  " + o.name + std::string(o.name.size() < 9 ? 10 - o.name.size() : 1, ' ') + o.extents + " " +
                 name(o.dtype) + ", " + name(o.rung) + ", " + detail::engine(o, t, matrix);
    s += "\n  epilogue  " + l.epilogue + "\n  sink      " + l.sink;
    s += "\n  schedule  " + detail::schedule_text(l, t);
    s += "\n  work      " + detail::scaled(l.flops, "FLOP") + ", " + detail::scaled(l.bytes(), "B") + detail::bound_by(l, t);
    if (!l.fusions.empty()) {
        s += "\n  saves     " + std::to_string(l.fusions.size()) + (l.fusions.size() == 1 ? " launch" : " launches") + " and " +
             detail::scaled(l.saved(), "B") + ":";
        for (const Fusion& f : l.fusions) s += " " + f.kind;
    }
    return s + "\n";
}

/// A kernel from its types alone: holes, rungs, operations; what needs extents is left out.
template <class K>
std::string explain(const TargetInfo& t) {
    std::string s = name<K>() + "\n  frame     " + K::kind + ", " + std::string(t.name);
    [&]<class... In>(types<In...>) {
        ((s += "\n  input     " + name<In>() + "\n  rung      " + name(rung_of<In>) + "; " +
               std::to_string(operations_of<In>) + " operations, " + std::to_string(special_functions_of<In>) +
               " special per element"),
         ...);
    }(typename K::prologues{});
    return s + "\n  epilogue  " + name<typename K::epilogue>() + "\n  sink      " + name<typename K::sink>() + "\n";
}

}  // namespace inlay::inline INLAY_ABI
