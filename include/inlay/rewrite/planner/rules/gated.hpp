// SPDX-License-Identifier: Apache-2.0
/// Halves of a product with a bias, as a gated product reads them.
#pragma once

#include <inlay/rewrite/planner/load/joined.hpp>
#include <inlay/rewrite/planner/load/part.hpp>
#include <inlay/rewrite/planner/rules/pattern.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

/// Half I of (x·w + b) = half I of x·w + half I of b.
///
/// Proof: a part takes columns n of both operands of the sum, and column n of a bias is b[n]. Exact; no weight is
/// rounded again.
///
/// Condition: b has an element for each column, and is known at load. One number for all has no half.
template <int I>
struct HalfOfBiased {
    using from = part<I, 2, sum<linear<Var<0>, Var<1>>, Var<2>>>;
    using to = sum<part<I, 2, linear<Var<0>, Var<1>>>, Term<load::VectorPart<I, 2>, Var<2>>>;
    static constexpr const char* name = "half of a biased product";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const ClassData &w = data<1>(graph, match), &b = data<2>(graph, match);
        return are_weights<1, 2>(graph, match) && b.rank == 1 && b.extents[0] == w.extents[0] && w.extents[0] % 2 == 0;
    }
};

/// Half I of two vectors of one length, one behind the other, is vector I. Without this, biases that were joined would
/// be halved and joined again for ever.
template <int I>
struct HalfOfJoined {
    using from = Term<load::VectorPart<I, 2>, Term<load::JoinVectors<2>, Var<0>, Var<1>>>;
    using to = Var<I>;
    static constexpr const char* name = "half of joined vectors";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        return data<0>(graph, match).extents[0] == data<1>(graph, match).extents[0];
    }
};

using gated_rules = types<HalfOfBiased<0>, HalfOfBiased<1>, HalfOfJoined<0>, HalfOfJoined<1>>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
