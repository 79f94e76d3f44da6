// SPDX-License-Identifier: Apache-2.0
/// A GroupNorm from statistics of channels that the kernel before published: pointwise, so that it takes one pass, or
/// stands in the prologue of the next kernel.
#pragma once

#include <inlay/rewrite/planner/records.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

namespace detail {

template <int Groups, double Eps, class X, class Records, class Gamma, class Beta>
using normalised = sum<times<difference<X, Term<core::GroupMean<Groups>, Records, X>>,
                             Term<core::GroupScale<Groups, Eps>, Records, X, Gamma>>,
                       Beta>;

}  // namespace detail

/// Values that a kernel of the layer computes.
struct AnyComputed {
    template <class S>
    static constexpr bool is = planner::detail::facts_of<S>::value.role == Role::pointwise ||
                               planner::detail::facts_of<S>::value.role == Role::core;
};

/// group_norm(x, γ, β) = (x − mean) · γ / √(variance + ε) + β, mean and variance of each channel's group merged from
/// the statistics of the channels of x, which the kernel that stores x publishes.
///
/// Proof: the definition of a GroupNorm, and that of `expr/view/group_moments.hpp` for the merge: channels of a group
/// have as many numbers each. The mean is one number in fp32, as in a GroupNorm on a GPU.
///
/// Condition: a kernel of the layer stores x, which is computed in the step, and not a half of a batch after itself.
template <int Groups, double Eps>
struct PublishGroupNorm {
    using from = Term<core::GroupNorm<Groups, Eps>, Var<0>, Var<1>, Var<2>>;
    using to = detail::normalised<Groups, Eps, Var<0>, Term<ChannelRecords, Var<0>>, Var<1>, Var<2>>;
    static constexpr const char* name = "GroupNorm of published statistics";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return has_kind<AnyComputed>(graph, match.var[0]) && !is_twice(graph, match.var[0]) &&
               !are_weights<0>(graph, match);
    }
};

/// The same of `recorded(x, r)`, whose statistics r are of the layer before.
///
/// Proof: that of `PublishGroupNorm`; r are the statistics of the channels of x.
///
/// Condition: r has two numbers for each channel of each item of x: records of rows have others.
template <int Groups, double Eps>
struct RecordedGroupNorm {
    using from = Term<core::GroupNorm<Groups, Eps>, Term<Recorded, Var<0>, Var<3>>, Var<1>, Var<2>>;
    using to = detail::normalised<Groups, Eps, Var<0>, Var<3>, Var<1>, Var<2>>;
    static constexpr const char* name = "GroupNorm of recorded channels";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const ClassData &x = data<0>(graph, match), &r = data<3>(graph, match);
        return r.rank == 3 && r.extents[0] == x.extents[0] && r.extents[1] == x.back(0) && r.extents[2] == 2;
    }
};

/// The rules of a GroupNorm.
template <int Groups, double Eps = 1e-5>
using recorded_group_rules = types<PublishGroupNorm<Groups, Eps>, RecordedGroupNorm<Groups, Eps>>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
