// SPDX-License-Identifier: Apache-2.0
/// Leaves of a layer written as an expression: its inputs, its weights, and the results of frames. They are leaves of
/// the library's expressions, so every operation and view stands over them unchanged.
#pragma once

#include <inlay/expr/node.hpp>
#include <inlay/rewrite/planner/dim.hpp>
#include <inlay/rewrite/planner/name.hpp>
#include <inlay/rewrite/planner/phase.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_inputs = 64;

/// Tensor I of a layer's inputs, of extents D..., known from phase P on.
template <int I, Phase P, Dim... D>
struct Input : leaf {
    static_assert(0 <= I && I < most_inputs, "inlay: the inputs of a layer are input<0, ...> to input<63, ...>");
    static constexpr int slot = I;
};

/// The layout of a weight: as its file has it; packed for a product, [N, K]; a filter [O, I, R, S] of the file, packed
/// as [O, R, S, I].
enum class Layout : unsigned char { plain, matrix, filter };

/// The weight `Text`, or `Text.weight` or `Text.bias`, of the model's file, of extents D... there.
template <class Text, Field F, Layout L, Dim... D>
struct Weight : leaf {
    static_assert(((detail::parts_of(D).factor > 0) && ...),
                  "inlay: an extent of a layer's weight is less than 1 element");
};

/// The value of a frame's core, in fp32, over operands: expressions first, then weights. `Core` is a symbol of
/// `symbols.hpp`.
template <class Core, class... Operand>
struct Result : leaf {
    static_assert((Expr<Operand> && ...), "inlay: the operands of a layer's frame are expressions");
    using core = Core;
    using operands = types<Operand...>;
};

/// E, kept in memory whatever the price.
template <class E>
struct Materialized : leaf {};
/// E, never in memory whatever the price.
template <class E>
struct Fused : leaf {};

/// Several results of a layer.
template <class... E>
struct Outputs {};

}  // namespace inlay::inline INLAY_ABI::planner
