// SPDX-License-Identifier: Apache-2.0
/// A LayerNorm of recorded rows folded into the product that reads it, without a kernel for its statistics.
#pragma once

#include <inlay/rewrite/planner/load/folded.hpp>
#include <inlay/rewrite/planner/load/joined.hpp>
#include <inlay/rewrite/planner/load/part.hpp>
#include <inlay/rewrite/planner/records.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

namespace detail {

/// Var<0>: x; Var<1> and Var<2>: γ and β; Var<3>: w; Var<4>: records of x.
template <double Eps>
struct recorded_norm {
    using mean = Term<Expression<PublishedMean<Buf<0>>>, Var<4>>;
    using rstd = Term<Expression<PublishedRstd<Buf<0>, Eps>>, Var<4>>;
    using folded = Term<load::ScaledColumns, Var<3>, Var<1>>;
    using sums = Term<load::RowSums, folded>;
    using shift = Term<load::Shift, Var<3>, Var<2>>;
    using product = linear<Term<core::LayerNorm<Eps>, Term<Recorded, Var<0>, Var<4>>, Var<1>, Var<2>>, Var<3>>;

    template <class Product, class Sums, class ShiftOf>
    using value = sum<times<rstd, difference<Product, times<mean, Sums>>>, ShiftOf>;
};

}  // namespace detail

/// linear(layer_norm(x, γ, β), w) = rstd · (linear(x, v) − mean · Σ_k v_k) + shift, with v = γ·w, shift = Σ_k β_k w_k:
/// `FoldLayerNorm`, with mean and rstd of the records of x, which the kernel that stored x has published.
///
/// Proof: that of `FoldLayerNorm`. A record has the mean and the squared deviations of all columns of a row of x as it
/// is stored, whatever the parts (`expr/row_record.hpp`). The weight rounds once more.
///
/// Condition: w, γ and β are known at load. A part of a joined product is left to the rule for the whole of it.
template <double Eps>
struct FoldRecordedLayerNorm {
    using norm = detail::recorded_norm<Eps>;
    using from = typename norm::product;
    using to = typename norm::template value<linear<Var<0>, typename norm::folded>, typename norm::sums,
                                             typename norm::shift>;
    static constexpr const char* name = "LayerNorm of recorded rows in the next product";
    static constexpr bool rounds = true;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return !is_twice(graph, match.root) && are_weights<1, 2, 3>(graph, match) && data<3>(graph, match).rank == 2 &&
               !has_kind<AnyPart>(graph, match.root);
    }
};

/// Half I of linear(layer_norm(x, γ, β), w) + b, for gated epilogues: the same of half I of the product, of the sums
/// and of shift + b.
///
/// Proof: a part takes columns n; in the rule above column n of each side has w[n], Σ_k v[n, k] and Σ_k β_k w[n, k]
/// alone, and rstd and mean are numbers of a row. Addition of b is associative, and kept in fp32. The weight rounds
/// once more.
///
/// Condition: w, γ, β and b are known at load, and b has an element for each of an even number of columns.
template <double Eps, int I>
struct HalfOfRecordedLayerNorm {
    using norm = detail::recorded_norm<Eps>;
    template <class V>
    using half = Term<load::VectorPart<I, 2>, V>;
    using from = part<I, 2, sum<typename norm::product, Var<5>>>;
    using to = typename norm::template value<part<I, 2, linear<Var<0>, typename norm::folded>>,
                                             half<typename norm::sums>,
                                             half<Term<load::SumOfVectors, typename norm::shift, Var<5>>>>;
    static constexpr const char* name = "half of a product of recorded rows";
    static constexpr bool rounds = true;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const ClassData &w = data<3>(graph, match), &b = data<5>(graph, match);
        return !is_twice(graph, match.root) && are_weights<1, 2, 3, 5>(graph, match) && w.rank == 2 && b.rank == 1 &&
               b.extents[0] == w.extents[0] && w.extents[0] % 2 == 0;
    }
};

/// Rules of a layer whose LayerNorms read recorded rows. Those that join products come before them in a plan's list.
template <double Eps = 1e-5>
using recorded_rules =
    types<HalfOfRecordedLayerNorm<Eps, 0>, HalfOfRecordedLayerNorm<Eps, 1>, FoldRecordedLayerNorm<Eps>>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
