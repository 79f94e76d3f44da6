// SPDX-License-Identifier: Apache-2.0
/// Attentions of a plan whose width of heads is an axis of the layer, so that one plan is of all widths.
#pragma once

#include <inlay/rewrite/planner/emit.hpp>

#include <utility>

namespace inlay::inline INLAY_ABI::nn::detail {

template <class Core>
struct open_width_of {
    static constexpr bool exists = false;
    static constexpr planner::Dim dim{};
};
template <planner::Dim D, class... Option>
struct open_width_of<planner::core::Attention<D, Option...>> {
    static constexpr bool exists = true;
    static constexpr planner::Dim dim = D;
};
template <class Plan, int K>
constexpr auto core_width() {
    constexpr int core = Plan::kernels[K].core;
    if constexpr (core < 0) return open_width_of<void>{};
    else return open_width_of<planner::detail::symbol_at<Plan, core>>{};
}

/// True if kernel K of a plan, or any kernel, is an attention whose width is an axis.
template <class Plan, int K>
constexpr bool has_open_width() {
    return decltype(core_width<Plan, K>())::exists;
}
template <class Plan>
constexpr bool has_open_width() {
    return []<int... K>(std::integer_sequence<int, K...>) {
        return (has_open_width<Plan, K>() || ...);
    }(std::make_integer_sequence<int, Plan::launches>{});
}
/// That axis.
template <class Plan>
constexpr planner::Dim open_width() {
    return []<int... K>(std::integer_sequence<int, K...>) {
        planner::Dim dim{};
        ((has_open_width<Plan, K>() ? void(dim = decltype(core_width<Plan, K>())::dim) : void()), ...);
        return dim;
    }(std::make_integer_sequence<int, Plan::launches>{});
}

}  // namespace inlay::inline INLAY_ABI::nn::detail
