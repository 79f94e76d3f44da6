// SPDX-License-Identifier: Apache-2.0
/// Planned layers whose kernels depend on the width of a head: one plan for each width, of which a model uses one.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/nn/planned.hpp>
#include <inlay/rewrite/planner/layer.hpp>
#include <inlay/rewrite/planner/plan.hpp>
#include <inlay/rewrite/planner/rules/gated.hpp>
#include <inlay/rewrite/planner/rules/query_key_value.hpp>
#include <inlay/rewrite/planner/rules/score.hpp>

#include <string>
#include <type_traits>
#include <variant>

namespace inlay::inline INLAY_ABI::nn {

/// Rules of layers with attention: one product for Q, K and V, and the scale of scores of 16 bits in Q's columns, whose
/// engines gain by powers of two. Q of fp32 would be rounded once more for nothing.
template <Storage T, int D, class... Option>
using attention_rules =
    std::conditional_t<sizeof(T) == 2,
                       join_types<planner::rules::joined_products, planner::rules::score_rules<D, Option...>>,
                       planner::rules::joined_products>;

/// `Plan<D>`: the plan for heads of D.
template <Storage T, template <int> class Plan, int... D>
class HeadPlans {
public:
    HeadPlans() = default;
    /// Throws when no plan is of the width.
    template <class L>
    HeadPlans(const L& load, index_t width, const planner::Lengths& lengths) {
        with_head_dim<D...>(width, [&]<int W>() { plan_.template emplace<Planned<Plan<W>, T>>(load, lengths); });
    }

    /// Tensors that a phase before the step leaves.
    using Kept = std::variant<typename Planned<Plan<D>, T>::Kept...>;

    template <planner::Phase P, class Target, class... In>
    Kept build_phase(const Build<T, Target>& b, const In&... inputs) const {
        return std::visit([&](const auto& plan) { return Kept(plan.template build_phase<P>(b, inputs...)); }, plan_);
    }
    template <class Target, class... In>
    auto build(const Build<T, Target>& b, const In&... inputs) const {
        return std::visit([&](const auto& plan) { return plan.build(b, inputs...); }, plan_);
    }
    /// Behind an earlier phase. `kept` is that of this layer.
    template <class Target, class... In>
    auto build_behind(const Build<T, Target>& b, const Kept& kept, const In&... inputs) const {
        return std::visit(
            [&]<class P>(const P& plan) { return plan.build_behind(b, std::get<typename P::Kept>(kept), inputs...); },
            plan_);
    }

private:
    std::variant<Planned<Plan<D>, T>...> plan_;
};

}  // namespace inlay::inline INLAY_ABI::nn
