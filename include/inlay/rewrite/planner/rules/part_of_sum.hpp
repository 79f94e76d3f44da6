// SPDX-License-Identifier: Apache-2.0
/// Parts of the columns of a product with a bias, for a gated epilogue, which reads two sums of one column.
#pragma once

#include <inlay/rewrite/planner/rules/pattern.hpp>

namespace inlay::inline INLAY_ABI::planner::rules {

/// part(a + b) = part(a) + part(b).
///
/// Proof: a part is the columns from i·n on, and a sum is taken column by column. Exact.
///
/// Condition: both have as many columns; b of one column is broadcast, and has no parts.
struct PartOfSum {
    using from = Term<AnySymbol<0, AnyPart>, sum<Var<0>, Var<1>>>;
    using to = sum<Term<AnySymbol<0, AnyPart>, Var<0>>, Term<AnySymbol<0, AnyPart>, Var<1>>>;
    static constexpr const char* name = "part of a sum";
    static constexpr bool rounds = false;
    template <class G, class M>
    static constexpr bool holds(const G& graph, const M& match) {
        const ClassData &a = data<0>(graph, match), &b = data<1>(graph, match);
        return a.rank > 0 && b.rank > 0 && a.back(0) == b.back(0);
    }
};

using part_of_sum = types<PartOfSum>;

}  // namespace inlay::inline INLAY_ABI::planner::rules
