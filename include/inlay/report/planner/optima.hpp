// SPDX-License-Identifier: Apache-2.0
/// All covers that cost as little as a plan's, by the kernels in which each differs from it.
#pragma once

#include <inlay/report/planner/labels.hpp>
#include <inlay/rewrite/planner/cover/optima.hpp>

#include <string>

namespace inlay::inline INLAY_ABI::planner::detail {

/// "conv2 (conv2d, Add)": a kernel and what it computes. An arrangement costs nothing and is none: its label alone.
template <class Plan>
std::string kernel_text(int candidate) {
    const Kernel k = expand(Plan::facts, Plan::cuts, Plan::candidates, candidate);
    std::string inside;
    for (int i = 0; i < k.inner; ++i) inside += (i == 0 ? "" : ", ") + label<Plan>(k.inside[i].node);
    return arranges(Plan::facts, k) ? inside + " by strides" : std::string(Plan::name_of(k)) + " (" + inside + ")";
}
template <class Plan>
std::string kernels_beside(const Cover& of, const Cover& other) {
    std::string out;
    for (int i = 0; i < of.kernels; ++i)
        if (!other.has(of.kernel[i])) out += (out.empty() ? "" : ", ") + kernel_text<Plan>(of.kernel[i]);
    return out.empty() ? "nothing" : out;
}
/// A line for each cover but the plan's own, found anew while the program runs. None where the plan's is the only one.
template <class Plan>
std::string optima_text() {
    const Optima optima =
        find_optima(Plan::facts, Plan::cuts, Plan::candidates, Plan::prices, Plan::covers.best);
    if (optima.count == 1 && optima.all) return "";
    std::string out = std::string("covers that cost the least: ") + (optima.all ? "" : "at least ") +
                      std::to_string(optima.count) + "\n";
    for (int i = 1; i < optima.count; ++i)
        out += "  or " + kernels_beside<Plan>(optima.cover[i], optima.cover[0]) + " instead of " +
               kernels_beside<Plan>(optima.cover[0], optima.cover[i]) + "\n";
    return out;
}

}  // namespace inlay::inline INLAY_ABI::planner::detail
