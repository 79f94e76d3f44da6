// SPDX-License-Identifier: Apache-2.0
/// A LayerNorm folded into the product that reads it.
#pragma once

#include <inlay/expr/unary.hpp>
#include <inlay/rewrite/planner/load/folded.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>
#include <inlay/rewrite/planner/rules/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

/// linear(layer_norm(x, γ, β), w) = rstd · (linear(x, v) − mean · Σ_k v_k) + shift, with v = γ·w, shift = Σ_k β_k w_k,
/// mean and rstd of the rows of x. The product reads the raw rows: the normalised tensor is neither written nor read.
///
/// Proof: Σ_k ((x_k − μ)·r·γ_k + β_k)·w_k = r·(Σ_k x_k·(γ_k w_k) − μ·Σ_k γ_k w_k) + Σ_k β_k w_k for each row of x and
/// w. Rounding γ_k w_k to v_k leaves r·Σ_k (x_k − μ)·v_k exactly if the middle sum is of the v_k too: `RowSums` reads
/// the weight as it is stored. Were it of the γ_k w_k, an error μ·r·Σ_k (v_k − γ_k w_k) would remain, which grows with
/// the mean. r² = 1 / (mean of (x − μ)² + ε): deviations are taken before they are squared, which is stable for large
/// means. The weight rounds once more; mean, rstd, sums and shift are fp32.
///
/// Condition: w, γ and β are known at load. A part of a joined product is left to the rule for the whole of it.
template <double Eps>
struct FoldLayerNorm {
    using x = Var<0>;
    using mean = Term<core::RowMean, x>;
    using deviation = difference<x, mean>;
    using variance = Term<core::RowMean, times<deviation, deviation>>;
    using rstd = Term<Expression<Rsqrt<Buf<0>>>, sum<variance, number<Eps>>>;
    using folded = Term<load::ScaledColumns, Var<3>, Var<1>>;

    using from = linear<Term<core::LayerNorm<Eps>, x, Var<1>, Var<2>>, Var<3>>;
    using to = sum<times<rstd, difference<linear<x, folded>, times<mean, Term<load::RowSums, folded>>>>,
                   Term<load::Shift, Var<3>, Var<2>>>;
    static constexpr const char* name = "LayerNorm in the next product";
    static constexpr bool rounds = true;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1, 2, 3>(graph, match) && data<3>(graph, match).rank == 2 &&
               !has_kind<AnyPart>(graph, match.root);
    }
};

}  // namespace inlay::inline INLAY_ABI::planner::rules
