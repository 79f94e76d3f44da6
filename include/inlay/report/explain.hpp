// SPDX-License-Identifier: Apache-2.0
/// `explain`: the work of a kernel on a target, in words that tests pin, so that a silent demotion fails one.
#pragma once

#include <inlay/report/decision.hpp>
#include <inlay/report/describe.hpp>
#include <inlay/report/explain_attention.hpp>
#include <inlay/report/explain_norm.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>

namespace inlay::inline INLAY_ABI {

namespace detail {

inline constexpr std::size_t explain_columns = 140;

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

/// "\n  label     text", broken after commas where it is long.
inline std::string entry(std::string_view label, std::string text) {
    constexpr std::size_t indent = 12;
    std::string s = "\n  " + std::string(label);
    s.append(label.size() + 2 < indent ? indent - label.size() - 2 : 1, ' ');
    while (text.size() + indent > explain_columns) {
        const auto comma = text.rfind(", ", explain_columns - indent - 2);
        if (comma == text.npos) break;
        s += text.substr(0, comma + 1) + "\n" + std::string(indent, ' ');
        text.erase(0, comma + 2);
    }
    return s + text;
}

inline index_t full_width(const Operand& o, const TargetInfo& t) {
    return t.vector_bytes / (t.element_bytes ? t.element_bytes : static_cast<int>(bytes(o.dtype)));
}
/// Elements of the widest access: an aligned one divides its run and every address where one starts.
inline index_t vector_width(const Operand& o, const TargetInfo& t) {
    if (o.step != 1) return 1;
    index_t w = full_width(o, t);
    if (!t.aligned) return o.run >= w ? w : 1;
    return std::gcd(w, std::gcd(o.run, o.alignment));
}
/// The same along another axis than the rows', which a tile may hold.
inline index_t turned_width(const Operand& o, const TargetInfo& t) {
    return o.turned > 0 && o.step > 1 && t.turns ? std::gcd(full_width(o, t), o.turned) : 1;
}

/// `attention`: its copies are whole vectors of views, everything else is evaluated.
inline std::string engine(const Operand& o, const TargetInfo& t, bool matrix, bool attention) {
    if (o.kind == OperandKind::score) return "read by the score";
    if (!o.read) return "only its extents";
    if (o.step == 0) return "one value a row, kept in a register";
    if (t.box > 0 && o.boxed)
        return std::string(t.copy) + ", rows of " + std::to_string(t.box) + " x " + name(o.dtype);
    const bool tile =
        matrix && t.box == 0 && (o.kind == OperandKind::input || o.kind == OperandKind::weight) &&
        (o.paged || (o.access_class != AccessClass::general && !(attention && o.access_class > AccessClass::affine)));
    if (o.held && tile && vector_width(o, t) % 8 == 0)
        return std::string(o.paged ? "vector loads by pages" : "vector loads") + ", 8 x fp8, converted in registers";
    const index_t full = full_width(o, t), turned = tile && !attention ? turned_width(o, t) : 1;
    const index_t w = turned > 1 ? turned : vector_width(o, t);
    // cp.async moves 4, 8 or 16 bytes.
    const bool staged = tile && w > 1 && (attention ? w == full : w * static_cast<index_t>(bytes(o.dtype)) >= 4);
    std::string s = staged ? std::string(t.copy) + (o.paged ? " by pages" : "") : w > 1 ? "vector loads" : "scalar loads";
    s += ", " + std::to_string(w) + " x " + name(o.dtype);
    if (turned > 1) return s + " (across rows)";
    if (w == full) return s;
    if (o.step < 0) return s + " (uneven steps)";
    if (o.step > 1) return s + " (stride " + std::to_string(o.step) + ")";
    if (t.aligned && o.run % full == 0) return s + " (aligned to " + std::to_string(w) + ")";
    return s + " (runs of " + std::to_string(o.run) + ")";
}

inline std::string access_class_text(AccessClass r, std::string_view why) {
    return name(r) + (why.empty() ? std::string() : " (" + std::string(why) + ")");
}

inline std::string operations_text(int operations, int special) {
    return std::to_string(operations) + (operations == 1 ? " operation, " : " operations, ") + std::to_string(special) +
           " special per element";
}
/// The cost of a pointwise prologue, and the place at which it is applied.
inline std::string placement(int operations, int special, std::string_view place) {
    if (operations == 0) return "";
    return (place.empty() ? "; " : "; applied " + std::string(place) + ": ") + operations_text(operations, special);
}

/// Times of the matrix unit and of memory, in seconds; 0 if the rates are not known.
struct Roofline {
    double matrix, memory;
    double seconds() const { return (std::max)(matrix, memory); }
};
inline Roofline roofline(const KernelReport& l, const KernelDecision& d, const TargetInfo& target) {
    const TargetInfo& t = d.engine(target);
    if (t.bandwidth_gbs == 0) return {0, 0};
    const double rate = l.multiplied == DType::f32 ? t.matrix_tflops_fp32 : t.matrix_tflops;
    return {l.matrix() || l.attends() ? l.flops / (rate * 1e12) : 0, l.bytes() / (t.bandwidth_gbs * 1e9)};
}

inline std::string work_text(const KernelReport& l, const KernelDecision& d, const TargetInfo& t) {
    std::string s = scaled(l.flops, "FLOP") + ", " + scaled(l.bytes(), "B");
    const Roofline r = roofline(l, d, t);
    if (r.seconds() == 0) return s;
    char bound[64];
    const bool short_one = r.seconds() < 1e-6;
    std::snprintf(bound, sizeof bound, short_one ? ", at least %.0f ns by %s" : ", at least %.1f us by %s",
                  r.seconds() * (short_one ? 1e9 : 1e6), r.matrix > r.memory ? "the matrix unit" : "memory");
    return s + bound;
}

inline std::string schedule_text(const KernelReport& l, const KernelDecision& d) {
    if (!l.schedule.empty()) return l.schedule + " (the user's)";
    if (l.matrix()) return text(d.gemm);
    if (l.attends()) return text(l.attention, d.attention);
    if (l.norm.items > 0) return text(l.norm, d.norm);
    if (l.reduce.results > 0) return text(l.reduce, d.reduce);
    if (l.elementwise.rows > 0) return text(l.elementwise, d.elementwise);
    return "none: no elements, or a frame that names no member of a target";
}

/// The bound of a product of sm_90a's engine, by the rule that chose its schedule: clocks of the busiest
/// multiprocessor, and of memory for all bytes of the product.
inline std::string bound_text(const KernelReport& l, const KernelDecision& d, const TargetInfo& target) {
    const TargetInfo& t = d.engine(target);
    const double seconds = roofline(l, d, target).memory;
    if (l.attends()) return attention_bound_text(d.attention, t, seconds);
    const WgmmaGrid product = wgmma_product(l.gemm, d.gemm.before);
    const ChosenWgmma& chosen = d.gemm.wgmma;
    const WgmmaCost c = wgmma_cost(chosen.schedule, chosen.tiles, product.steps, chosen.choice.parts, target.units,
                                     product.reading());
    const double memory = seconds * t.clock_ghz * 1e9, all = c.clocks(), step = c.step(),
                 rounds = static_cast<double>(c.rounds), finish = (all - c.begin) / rounds - c.multiply();
    const bool evaluating = c.evaluate > static_cast<double>(c.steps) * step;
    const char* bound = memory > all                        ? "memory"
                        : 2 * rounds * c.multiply() < all   ? "latency"
                        : evaluating                        ? "the warps that evaluate"
                        : step == c.matrix                  ? "the matrix unit"
                        : step == c.shared                  ? "shared memory"
                                                            : "the L2 cache";
    char work[64], s[256];
    if (evaluating) std::snprintf(work, sizeof work, "%.0f to evaluate", c.evaluate);
    else std::snprintf(work, sizeof work, "%lld steps x %.0f", static_cast<long long>(c.steps), step);
    std::snprintf(s, sizeof s,
                  "%s; by rule %.0f clocks = %.0f + %lld x (%s + %.0f), of a step: matrix unit %.0f, "
                  "shared memory %.0f, L2 %.0f, of all: memory %.0f",
                  bound, all, c.begin, static_cast<long long>(c.rounds), work, finish, c.matrix, c.shared, c.cache,
                  memory);
    return s;
}

inline std::string savings_text(const KernelReport& l) {
    std::string s = std::to_string(l.fusions.size()) + (l.fusions.size() == 1 ? " launch" : " launches") + " and " +
                    scaled(l.saved(), "B") + ":";
    for (std::size_t i = 0, n; i < l.fusions.size(); i += n) {
        for (n = 1; i + n < l.fusions.size() && l.fusions[i + n].kind == l.fusions[i].kind;) ++n;
        s += (i ? ", " : " ") + l.fusions[i].kind + (n > 1 ? " x " + std::to_string(n) : "");
    }
    return s;
}

/// A kernel's name in a title. A frame without a name of its own may be longer than a line: then its template's, as its
/// holes follow line by line.
inline std::string title(const std::string& kernel) {
    constexpr std::size_t longest = 96;
    return kernel.size() > longest ? kernel.substr(0, kernel.find('<')) : kernel;
}

/// `multiplied`: the type in which a GPU multiplies, where `matrix` says that the kernel does. A CPU does in fp32, but
/// for bf16 where it has instructions for it.
inline std::string frame_text(std::string frame, DType result, bool matrix, DType multiplied, const TargetInfo& t) {
    frame += std::string(" ") + name(result) + ", " + std::string(t.name);
    if (!matrix) return frame;
    if (t.name == host_target.name && !(multiplied == DType::bf16 && host_multiplies_bf16)) multiplied = DType::f32;
    return frame + ", " + std::string(multiplied == DType::f32 ? t.atom_fp32 : t.atom) + ", multiplies " +
           name(multiplied) + ", accumulates fp32";
}

}  // namespace detail

/// One kernel on one target, several lines. `d`: its decision there.
inline std::string explain(const KernelReport& l, const KernelDecision& d, const TargetInfo& target) {
    using namespace detail;
    TargetInfo t = d.engine(target);
    const bool attention = l.attends(), matrix = l.matrix() || attention, before = d.evaluates_first();
    if (attention && t.box > 0) t.box = attention_box(l.attention.work, d.attention);
    std::string s = (l.layer.empty() ? "" : l.layer + ": ") + title(l.kernel);
    const bool fp8_cache = attention && d.attention.fp8_cache;
    const DType multiplied = fp8_cache ? DType::f16 : l.multiplied;
    s += entry("frame", frame_text(l.frame + " " + l.extents, l.dtype, matrix, multiplied, t));
    for (const std::string& in : l.inputs) s += entry("input", in);
    s += entry("access", access_class_text(l.access_class, l.why) +
                             (fp8_cache && l.operations > 0 ? "; scales multiply scores and results"
                                                            : placement(l.operations, l.special,
                                                                        before   ? "by a kernel before"
                                                                        : matrix ? t.place
                                                                                 : "")));
    const auto engine_of = [&](Operand o) {
        if (before && l.matrix() && o.boxed && o.kind == OperandKind::input) return engine(o, target, false, false);
        if (attention && d.attention.boxes && o.key)
            return std::string(sm90a_products.copy) + ", rows of " + std::to_string(l.attention.work.d) + " x " +
                   name(o.dtype);
        const bool cached = fp8_cache && o.held;
        o.held = o.held && !cached;
        return engine(o, t, matrix, attention) + (cached ? ", converted to fp16 behind shared memory" : "");
    };
    for (const Operand& o : l.operands)
        if (o.kind != OperandKind::output)
            s += entry(o.name, o.extents + " " + name(o.dtype) + ", " + access_class_text(o.access_class, o.why) + ", " +
                                   engine_of(o));
    if (attention)
        for (const auto& [label, text] : mathematics_text(l.mathematics, blocks_text(l, d.attention)))
            s += entry(label, text);
    s += entry("epilogue", l.epilogue) + entry("sink", l.sink) + entry("schedule", schedule_text(l, d));
    if (t.box > 0) s += entry("bound", bound_text(l, d, target));
    else if (l.norm.items > 0 && t.rows_us > 0)
        s += entry("bound", norm_bound_text(l.norm, d.norm, t, roofline(l, d, target).memory));
    else if (t.sm90a && matrix) s += entry("portable", d.why_not_wgmma);
    s += entry("work", work_text(l, d, target));
    if (!l.fusions.empty()) s += entry("saves", savings_text(l));
    return s + "\n";
}
inline std::string explain(const KernelReport& l, const TargetInfo& target) {
    return explain(l, decide(l, target), target);
}

namespace detail {

/// The widest access if every run were long and aligned.
inline constexpr index_t any_run = 256;

template <class... V, class Keys>
void note_types(SlotUse* use, Flat<types<V...>, Keys>);

template <class V>
void note_type(SlotUse* use) {
    using Node = typename V::node;
    if constexpr (is_buf<Node>) {
        note_access_class<typename V::path>(use[Node::slot]);
        use[Node::slot].move(0, 1, any_run, true);
    } else if constexpr (Node::kind == NodeKind::view) {
        [&]<class... K, int... I>(types<K...>, std::integer_sequence<int, I...>) {
            (note_types(use, flatten<K, join_types<typename V::path, types<path_step<Node, I>>>>{}), ...);
        }(typename Node::children{}, std::make_integer_sequence<int, Node::pieces>{});
    }
}
/// Adds the slots of a list and their access classes, from types alone.
template <class... V, class Keys>
void note_types(SlotUse* use, Flat<types<V...>, Keys>) {
    (note_type<V>(use), ...);
}
template <class E>
void note_types(SlotUse* use) {
    note_types(use, flatten<E>{});
    [&]<class... N>(types<N...>) { (note_indices<N>(use), ...); }(nodes_of<E>{});
}

}  // namespace detail

/// A kernel from its types alone, with tensors of T: holes, access classes, engines and operations. Facts of extents
/// are left out, and vectors are as wide as the target has them, which long and aligned runs allow.
template <class K, Storage T = fp16>
std::string explain(const TargetInfo& t) {
    using namespace detail;
    constexpr bool attention = calls<K, attention_member>, matrix = calls<K, matmul_member> || attention;
    constexpr int slots = frame_slots_of<K>::tensors;
    KernelReport l;
    SlotUse use[room_for<slots>];
    std::string s = name<K>() + entry("frame", frame_text(K::kind, dtype_of<T>, matrix, dtype_of<T>, t));
    const bool may_have_sm90a = [] {
        if constexpr (attention) return wgmma_attention_schedules(K::d, K::dv).size > 0;
        else return matrix;
    }();
    if (t.sm90a && may_have_sm90a && sizeof(T) == 2)
        s += ", or " + std::string(sm90a_products.atom) + " where extents and addresses allow";
    [&]<class... In>(types<In...>) {
        ((s += entry("input", name<In>()), note_access_class<In>(l), l.operations += operations_of<In>,
          l.special += special_functions_of<In>, note_types<In>(use)),
         ...);
    }(typename K::prologues{});
    s += entry("access", access_class_text(l.access_class, l.why) + placement(l.operations, l.special, matrix ? t.place : ""));
    bool input[room_for<slots>] = {};
    for (int i = 0; i < slots; ++i) input[i] = use[i].used;
    note_types<typename K::epilogue>(use);
    for (int i = 0; i < slots; ++i) {
        const Operand o = slot_operand(i, dtype_of<T>, input[i], use[i]);
        s += entry(o.name, access_class_text(o.access_class, o.why) + ", " + engine(o, t, matrix, attention));
    }
    if constexpr (attention)
        for (const auto& [label, text] : mathematics_text(attention_mathematics<typename K::form>(), ""))
            s += entry(label, text);
    s += entry("epilogue", name<typename K::epilogue>()) + entry("sink", name<typename K::sink>());
    if constexpr (requires { K::schedule::m; }) s += entry("schedule", name<typename K::schedule>() + " (the user's)");
    return s + "\n";
}

}  // namespace inlay::inline INLAY_ABI
