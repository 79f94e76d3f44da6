// SPDX-License-Identifier: Apache-2.0
/// The kernels of a cover, each a few lines of text: its frame, its tensors, its phase and its price.
#pragma once

#include <inlay/report/planner/labels.hpp>
#include <inlay/rewrite/planner/emit.hpp>

#include <cstdio>
#include <utility>
#include <vector>

namespace inlay::inline INLAY_ABI::planner {

/// A plan of the same layer by its second best cover.
template <class Plan>
struct runner_up_of : Plan {
    static constexpr detail::KernelList list =
        detail::kernels_of(Plan::facts, Plan::cuts, Plan::candidates, Plan::covers.runner_up);
    static constexpr const Kernel* kernels = list.kernel;
    static constexpr int launches = list.count;
    static constexpr std::string_view name_of(int k) { return Plan::name_of(kernels[k]); }
};

namespace detail {

/// "4.32" of 4320 nanoseconds.
inline std::string us_text(std::int64_t ns) {
    char s[32];
    std::snprintf(s, sizeof s, "%.2f", static_cast<double>(ns) / 1000);
    return s;
}
inline std::string number_text(double x) {
    char s[32];
    std::snprintf(s, sizeof s, "%.5g", x);
    return s;
}
inline const char* phase_text(int phase) {
    constexpr const char* text[] = {"at load", "once a schedule", "once a prompt", "each step"};
    return text[phase];
}

/// A line of a cover: a kernel, or an arrangement, which is none and costs those that read it.
struct Listed {
    int candidate = 0, phase = 0;
    bool launched = true;
    std::int64_t ns = 0;
    std::string title, tensors;     ///< name and frame; tensors read and written
};

template <class Plan>
struct Lister {
    /// A value by where it comes from: an input, a weight, a kernel's result, or another value rearranged.
    static std::string source(int v) {
        const KernelList& list = Plan::list;
        if (const int k = list.stored_by[v]; k >= 0) {
            const Kernel& kernel = list.kernel[k];
            std::string out(Plan::name_of(k));
            for (int i = 0; i < kernel.outputs; ++i)
                if (kernel.outputs > 1 && kernel.output[i] == v) out += " (" + std::to_string(i + 1) + ")";
            return out;
        }
        const int node = list.arranged_by[v] >= 0 ? list.arranged_by[v] : Plan::facts.first[v];
        const NodeFacts& n = Plan::facts.node[node];
        std::string out = label<Plan>(node);
        for (int i = 0; i < n.operands; ++i) out += (i == 0 ? " of " : ", ") + source(n.operand[i]);
        return out;
    }
    static std::string tensor(int v) { return source(v) + " " + extents_text(Plan::facts.value[v]); }
    static std::string tensors(const Kernel& k) {
        std::string out = "reads ";
        for (int i = 0; i < k.slots; ++i) out += (i == 0 ? "" : ", ") + tensor(k.slot[i]);
        for (int i = 0; i < k.weights; ++i) out += ", " + tensor(k.weight[i]);
        out += "; writes ";
        for (int i = 0; i < k.outputs; ++i) out += (i == 0 ? "" : ", ") + extents_text(Plan::facts.value[k.output[i]]);
        return out;
    }
    /// ", Param<0> = 0.22811".
    template <int K, int... I>
    static std::string numbers(std::integer_sequence<int, I...>) {
        std::string out;
        ((out += ", Param<" + std::to_string(I) + "> = " + number_text(kernel_number<Plan, K, I>())), ...);
        return out;
    }
    template <int... K>
    static std::vector<std::string> titles(std::integer_sequence<int, K...>) {
        return {(std::string(Plan::name_of(K)) + ": " + std::string(inlay::name<kernel_type<Plan, K>>()) +
                 numbers<K>(std::make_integer_sequence<int, kernel_numbers<Plan, K>>{}))...};
    }
};

/// The lines of a plan's cover. `priced`: the plan whose candidates and prices the cover is of.
template <class Plan, class Priced>
std::vector<Listed> listing(const Cover& cover) {
    const std::vector<std::string> titles = Lister<Plan>::titles(std::make_integer_sequence<int, Plan::launches>{});
    std::vector<Listed> lines;
    std::size_t launched = 0;
    for (int i = 0; i < cover.kernels; ++i) {
        const Kernel k = expand(Priced::facts, Priced::cuts, Priced::candidates, cover.kernel[i]);
        Listed line{cover.kernel[i], k.phase, !arranges(Priced::facts, k), Priced::prices.ns[cover.kernel[i]], "", ""};
        if (line.launched) {
            line.title = titles[launched++];
            line.tensors = Lister<Plan>::tensors(k);
        } else {
            line.title = "no kernel: " + Lister<Plan>::tensor(k.output[0]);
        }
        lines.push_back(line);
    }
    return lines;
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
