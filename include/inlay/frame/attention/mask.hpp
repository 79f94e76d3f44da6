// SPDX-License-Identifier: Apache-2.0
/// Masks of attention: a condition on the coordinates of a score [B, heads, Sq, Skv]. A key is visible to a query where
/// it is not 0.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/leaf.hpp>

namespace inlay::inline INLAY_ABI::mask {

/// Every query attends to every key.
struct Full {
    using condition = Const<1>;
};
/// Query q of Sq attends to keys up to q + Skv − Sq: the last query to all.
struct Causal {
    using condition = LessEqual<Coord<3>, QueryPosition>;
};
/// The last Keys keys up to a query's own, Keys an expression such as `Const<1024>` or `Param<0>`.
template <class Keys>
struct Window {
    using condition = And<LessEqual<Coord<3>, QueryPosition>, Less<Sub<QueryPosition, Coord<3>>, Keys>>;
};
/// Causal, but that every query attends to the first Keys keys too, as in a prefix-LM.
template <class Keys>
struct Prefix {
    using condition = Or<Less<Coord<3>, Keys>, LessEqual<Coord<3>, QueryPosition>>;
};
/// A condition of the caller's.
template <class Condition>
struct If {
    using condition = Condition;
};

}  // namespace inlay::inline INLAY_ABI::mask
