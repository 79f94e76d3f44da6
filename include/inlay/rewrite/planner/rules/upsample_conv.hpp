// SPDX-License-Identifier: Apache-2.0
/// A 3×3 convolution of a nearest-2× upsampled image by the four phases of the output pixel.
#pragma once

#include <inlay/expr/view/upsample.hpp>
#include <inlay/rewrite/planner/load/folded.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

/// conv3×3(upsample2(x), w) = the four 2×2 convolutions of x by sums of w, interleaved: 4/9 of the work.
///
/// Proof, along one axis (the other is alike): u[i] = x[⌊i/2⌋], also outside, where both are 0. For
/// y[i] = Σ_r w[r] u[i+r−1]:
///     y[2i]   = w0 x[i−1] + (w1 + w2) x[i]        as ⌊(2i−1)/2⌋ = i−1, ⌊2i/2⌋ = ⌊(2i+1)/2⌋ = i
///     y[2i+1] = (w0 + w1) x[i] + w2 x[i+1]        as ⌊(2i+2)/2⌋ = i+1
/// The summed weights round once more.
///
/// Condition: the filter is known at load; stride 1, padding 1 and one group are in the pattern, as is the factor 2 of
/// both axes. With a stride of 2 all pixels would be of one phase.
template <index_t... Axes>
struct UpsampleByPhases {
    using from = Term<core::Conv2D<Filter<3>>, Term<Expression<node::Upsample<Buf<0>, 2, Axes...>>, Var<0>>, Var<1>>;
    using to = Term<core::UpsampledConv, Var<0>, Term<load::PhaseWeights, Var<1>>>;
    static constexpr const char* name = "upsampled convolution by phases";
    static constexpr bool rounds = true;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1>(graph, match) && data<0>(graph, match).rank == 4;
    }
};

using upsample_rules = types<UpsampleByPhases<-3, -2>, UpsampleByPhases<1, 2>>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
