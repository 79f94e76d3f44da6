// SPDX-License-Identifier: Apache-2.0
/// `explain` of a choice among plans of a layer that were made for several shapes.
#pragma once

#include <inlay/rewrite/planner/planned/nearest.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI::planner {

/// A line for the plan that is taken for these lengths of the layer's axes, and one for each other with its distance,
/// and whether it would run the same kernels.
template <class... Plan>
std::string explain_choice(const Lengths& lengths) {
    const int best = nearest<Plan...>(lengths);
    const Lengths shapes[] = {Plan::shape::lengths...};
    std::vector<std::vector<bool>> same;
    const auto row = [&]<class A>(std::type_identity<A>) { same.push_back({same_kernels<A, Plan>...}); };
    (row(std::type_identity<Plan>{}), ...);
    const auto line = [&](int i) {
        std::string out = "plan " + std::to_string(i + 1) + " of " + std::to_string(sizeof...(Plan)) + ", made for";
        for (int a = 0; a < shapes[i].axes; ++a)
            out += (a == 0 ? " " : ", ") + std::to_string(shapes[i].length[a]);
        char away[32];
        std::snprintf(away, sizeof away, "%.4g", distance(shapes[i], lengths));
        return out + ": lengths " + away + " times off";
    };
    std::string out = "taken: " + line(best) + "\n";
    for (int i = 0; i < static_cast<int>(sizeof...(Plan)); ++i)
        if (i != best)
            out += "  not " + line(i) +
                   (same[static_cast<std::size_t>(i)][static_cast<std::size_t>(best)] ? ", of the same kernels\n" : "\n");
    return out;
}

}  // namespace inlay::inline INLAY_ABI::planner
