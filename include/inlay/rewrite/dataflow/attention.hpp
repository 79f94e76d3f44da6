// SPDX-License-Identifier: Apache-2.0
/// Dataflows of attention without its softmax: O += score(Q·K)·V in a loop over blocks of keys, and O stored.
#pragma once

#include <inlay/expr/leaf.hpp>
#include <inlay/rewrite/dataflow/language.hpp>

namespace inlay::inline INLAY_ABI::dataflow {

/// Tiles of an attention: Q [rows, depth] is loaded once, K [depth, keys] and V [keys, depth] in each iteration.
template <int Rows = 128, int Keys = 128, int Depth = 64, int ElementBytes = 2, int Iterations = 8>
struct AttentionTiles {
    using q = egraph::Term<Lds, egraph::Term<GlobalTile<'Q', Rows, Depth, ElementBytes, 1>>>;
    using k = egraph::Term<Lds, egraph::Term<GlobalTile<'K', Depth, Keys, ElementBytes, Iterations>>>;
    using v = egraph::Term<Lds, egraph::Term<GlobalTile<'V', Keys, Depth, ElementBytes, Iterations>>>;
};

namespace detail {

template <class Score, class T>
struct scored {
    using type = egraph::Term<Elementwise<Score>, T>;
};
template <class T>
struct scored<Out, T> {
    using type = T;
};
template <class T>
using stored = egraph::Term<Stg, egraph::Term<Sts, T>>;

}  // namespace detail

/// Both operands of Q·K in shared memory, and the score of each product, an expression over Out. Out: there is none.
template <class Tiles, class Score>
using naive_attention = detail::stored<egraph::Term<
    Wgmma, typename detail::scored<Score, egraph::Term<Wgmma, typename Tiles::q, typename Tiles::k>>::type,
    typename Tiles::v>>;

/// Q in registers and scored there, before the loop.
template <class Tiles, class Score>
using rearranged_attention = detail::stored<egraph::Term<
    Wgmma,
    egraph::Term<Wgmma, typename detail::scored<Score, egraph::Term<Ldr, typename Tiles::q>>::type, typename Tiles::k>,
    typename Tiles::v>>;

}  // namespace inlay::inline INLAY_ABI::dataflow
