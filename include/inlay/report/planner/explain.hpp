// SPDX-License-Identifier: Apache-2.0
/// `explain` of a plan: its kernels with their prices, their memory, the runner-up and why it lost, covers that cost as
/// little, the rules that were applied, and the limits that were reached.
///
///     std::puts(planner::explain<plan>().c_str());
#pragma once

#include <inlay/report/planner/listing.hpp>
#include <inlay/report/planner/optima.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

inline std::string counted(int n, const std::string& one) {
    return std::to_string(n) + " " + one + (n == 1 ? "" : one.ends_with("ch") ? "es" : "s");
}
inline std::string over_all_runs(std::int64_t ns) {
    return us_text(ns) + " us over " + std::to_string(Runs{}.of[most_phases - 1]) + " steps";
}

inline std::string kernels_text(const std::vector<Listed>& lines) {
    std::string out;
    for (const Listed& l : lines) {
        out += "  " + l.title + "\n";
        if (l.launched) out += "      " + l.tensors + "\n";
        if (l.launched || l.ns > 0) out += "      " + std::string(phase_text(l.phase)) + ", " + us_text(l.ns) + " us\n";
    }
    return out;
}
/// "each step: 5 launches, 76.67 us", a line for each phase that has some.
inline std::string phases_text(const std::vector<Listed>& lines) {
    std::string out;
    for (int phase = 0; phase < most_phases; ++phase) {
        int launches = 0;
        std::int64_t ns = 0;
        for (const Listed& l : lines)
            if (l.phase == phase) launches += l.launched, ns += l.ns;
        if (launches > 0 || ns > 0)
            out += std::string(phase_text(phase)) + ": " + counted(launches, "launch") + ", " + us_text(ns) +
                   " us\n";
    }
    return out;
}
inline std::string difference(const char* heading, const std::vector<Listed>& lines, const Cover& other) {
    std::string out;
    std::int64_t ns = 0;
    for (const Listed& l : lines)
        if (!other.has(l.candidate) && (l.launched || l.ns > 0)) {
            out += "      " + us_text(l.ns) + " us  " + l.title + "\n";
            ns += l.ns;
        }
    return std::string("  ") + heading + ", " + us_text(ns) + " us:\n" + out;
}
template <class Plan>
std::string runner_up_text(const std::vector<Listed>& best) {
    const Covers& covers = Plan::covers;
    if constexpr (!Plan::covers.runner_up.exists) return "runner-up: none, there is no other cover\n";
    else {
        const std::vector<Listed> second = listing<runner_up_of<Plan>, Plan>(covers.runner_up);
        const std::int64_t more = covers.runner_up.total - covers.best.total;
        char percent[32];
        std::snprintf(percent, sizeof percent, "%.1f",
                      100 * static_cast<double>(more) / static_cast<double>(covers.best.total));
        return "runner-up: " + over_all_runs(covers.runner_up.total) + ", " + us_text(more) + " us (" +
               percent + " %) more\n" + difference("it has", second, covers.best) +
               difference("instead of", best, covers.runner_up);
    }
}
inline const char* stop_text(egraph::Stop s) {
    return s == egraph::Stop::fixpoint     ? "saturated"
           : s == egraph::Stop::iterations ? "ended at the limit of iterations"
           : s == egraph::Stop::nodes      ? "ended at the limit of nodes"
           : s == egraph::Stop::matches    ? "ended at the limit of matches"
                                           : "ended at a conflict";
}
template <class... R, int N>
std::string rules_text(types<R...>, const egraph::Saturation<N>& s) {
    if constexpr (sizeof...(R) == 0) return "rules: none\n";
    else {
        const char* const names[] = {R::name...};
        std::string out = "rules: " + std::string(stop_text(s.stop)) + " after " + counted(s.iterations, "iteration");
        // Rules for several numbers of operands share a name.
        for (std::size_t i = 0; i < sizeof...(R); ++i) {
            int times = 0;
            bool first = true;
            for (std::size_t j = 0; j < sizeof...(R); ++j)
                if (std::string_view(names[j]) == names[i]) {
                    times += s.applied[j];
                    first = first && j >= i;
                }
            if (first && times > 0) out += "\n  " + std::string(names[i]) + ": " + counted(times, "time");
        }
        return out + "\n";
    }
}
/// Tensors between the kernels of a step.
inline std::string memory_text(const Memory& m) {
    return "memory of a step: " + std::to_string(m.bytes) + " bytes for " + counted(m.tensors, "tensor") + ", " +
           (m.bytes == m.live ? "the least there is\n" : std::to_string(m.live) + " of them used at once at most\n");
}
template <class Plan>
std::string limits_text() {
    const Covers& c = Plan::covers;
    std::string out = counted(Plan::candidates.count, "candidate") + ", " + counted(c.steps, "step") + " of the search";
    out += c.exact ? ": no cover costs less\n"
                   : ", which ended at its limit: no cover costs less than " + over_all_runs(c.lower) + "\n";
    if (Plan::facts.limited) out += "limited: values or nodes of the layer were left out\n";
    if (Plan::candidates.limited) out += "limited: candidates were left out\n";
    return out;
}

}  // namespace detail

/// Several lines of text. Prices are of one run of a kernel; totals weigh phases by their runs: 50 steps, and one
/// prompt and schedule.
template <class Plan>
std::string explain() {
    std::string out = std::string(inlay::name<typename Plan::layer>()) + " for";
    const Lengths& lengths = Plan::shape::lengths;
    for (int i = 0; i < lengths.axes; ++i) out += (i == 0 ? " " : ", ") + std::to_string(lengths.length[i]);
    out += " on " + std::string(Plan::target::info.name) + ", " + std::to_string(Plan::target::bytes) +
           " bytes an element\n";
    const std::vector<detail::Listed> best = detail::listing<Plan, Plan>(Plan::covers.best);
    return out + detail::kernels_text(best) + detail::phases_text(best) +
           "total: " + detail::over_all_runs(Plan::covers.best.total) + "\n" + detail::memory_text(Plan::memory) +
           detail::runner_up_text<Plan>(best) + detail::optima_text<Plan>() + detail::rules_text(typename Plan::rules{}, Plan::graph.saturation) +
           detail::limits_text<Plan>();
}

}  // namespace inlay::inline INLAY_ABI::planner
