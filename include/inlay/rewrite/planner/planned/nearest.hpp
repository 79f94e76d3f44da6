// SPDX-License-Identifier: Apache-2.0
/// The choice among plans of one layer that were made for several shapes: the one whose shape is nearest to the extents
/// at hand. Every plan computes the layer with any extents, so a choice costs time at worst.
#pragma once

#include <inlay/rewrite/planner/plan.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// The product, over axes, of the ratio of both lengths, 1 or more each: a tensor of twice the size is 2 away. An axis
/// of no known length (0) in either says nothing.
constexpr double distance(const Lengths& a, const Lengths& b) {
    double d = 1;
    for (int i = 0; i < a.axes && i < b.axes; ++i) {
        if (a.length[i] < 1 || b.length[i] < 1) continue;
        const double ratio = static_cast<double>(a.length[i]) / static_cast<double>(b.length[i]);
        d *= ratio < 1 ? 1 / ratio : ratio;
    }
    return d;
}
/// The number of the nearest plan, the first of several.
template <class... Plan>
constexpr int nearest(const Lengths& lengths) {
    const double away[] = {distance(Plan::shape::lengths, lengths)...};
    int best = 0;
    for (int i = 1; i < static_cast<int>(sizeof...(Plan)); ++i)
        if (away[i] < away[best]) best = i;
    return best;
}

namespace detail {

/// True if both plans name values and nodes by the same numbers.
constexpr bool same_values(const Facts& a, const Facts& b) {
    if (a.nodes != b.nodes || a.values != b.values) return false;
    for (int n = 0; n < a.nodes; ++n) {
        if (a.node[n].source != b.node[n].source || a.node[n].value != b.node[n].value) return false;
        for (int i = 0; i < most_operands; ++i)
            if (a.node[n].operand[i] != b.node[n].operand[i]) return false;
    }
    return true;
}
constexpr bool same_kernel(const Kernel& a, const Kernel& b) {
    if (a.core != b.core || a.gated != b.gated || a.records != b.records || a.phase != b.phase ||
        a.outputs != b.outputs || a.slots != b.slots || a.weights != b.weights || a.inner != b.inner)
        return false;
    for (int i = 0; i < a.outputs; ++i)
        if (a.output[i] != b.output[i]) return false;
    for (int i = 0; i < a.slots; ++i)
        if (a.slot[i] != b.slot[i]) return false;
    for (int i = 0; i < a.inner; ++i)
        if (a.inside[i].node != b.inside[i].node || a.inside[i].places != b.inside[i].places) return false;
    return true;
}
template <class A, class B>
constexpr bool find_same_kernels() {
    if constexpr (!std::is_same_v<typename A::symbols, typename B::symbols> || A::launches != B::launches) return false;
    else {
        if (!same_values(A::facts, B::facts)) return false;
        for (int n = 0; n < A::facts.nodes; ++n)
            if (A::symbol_of(n) != B::symbol_of(n)) return false;
        for (int k = 0; k < A::launches; ++k)
            if (!same_kernel(A::kernels[k], B::kernels[k])) return false;
        return true;
    }
}

}  // namespace detail

/// True if two plans of a layer run the same kernels on the same values: one may stand for both. False as well where
/// their e-graphs number the values differently.
template <class A, class B>
inline constexpr bool same_kernels = detail::find_same_kernels<A, B>();
template <class A>
inline constexpr bool same_kernels<A, A> = true;

}  // namespace inlay::inline INLAY_ABI::planner
