// SPDX-License-Identifier: Apache-2.0
/// Upsampled convolutions of a plan: their output is bound with a batch of one before it, and the extents of their
/// input are scalars.
#pragma once

#include <inlay/exec/tensor.hpp>
#include <inlay/rewrite/planner/emit.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

#include <tuple>

namespace inlay::inline INLAY_ABI::nn::detail {

template <class Plan, int K>
constexpr bool is_by_phases() {
    constexpr int core = Plan::kernels[K].core;
    if constexpr (core < 0) return false;
    else return std::is_same_v<planner::detail::symbol_at<Plan, core>, planner::core::UpsampledConv>;
}

/// The output [B, H, W, O] of kernel K as it is bound.
template <class Plan, int K, class Output>
auto as_bound_by_phases(const Output& y) {
    if constexpr (is_by_phases<Plan, K>()) {
        const auto& e = y.extents;
        return Tensor<typename Output::value_type, 5>(y.data, {{1, e[0], e[1], e[2], e[3]}});
    } else {
        return y;
    }
}
/// Scalars of kernel K: rows, columns, and four times the channels of what it reads.
template <class Plan, int K, class ExtentsOf>
auto scalars_of(const ExtentsOf& extents) {
    if constexpr (is_by_phases<Plan, K>()) {
        const auto& e = extents.of[Plan::facts.node[Plan::kernels[K].core].operand[0]].extents;
        return std::make_tuple(e[1], e[2], 4 * e[3]);
    } else {
        return std::make_tuple();
    }
}

}  // namespace inlay::inline INLAY_ABI::nn::detail
