// SPDX-License-Identifier: Apache-2.0
/// The form of an attention: its mathematics as types, which a frame hands to a target and a plan takes apart.
#pragma once

#include <inlay/expr/keys.hpp>

namespace inlay::inline INLAY_ABI {

/// A number of each row, stored to output Slot, [B, heads, Sq]. An option of Attention.
template <int Slot, class E>
struct RowStore {
    static_assert(Slot >= 0, "inlay: an output of RowStore is numbered from 0");
    static constexpr int row_slot = Slot;
    using number = E;
};
/// In place of a RowStore where there is none.
struct NoRowStore {
    using number = void;
};

/// D: elements of a row of Q and K, DV: of V and of the result. Condition: where it is not 0, the key is visible.
/// Score: an expression over Out, the product of query and key, which may hide keys by `where(condition, x, hidden)`.
/// Output: an expression of the row with V in it. Number: a RowStore, or NoRowStore.
template <int D, int DV, class Condition, class Score, class Output, class Number = NoRowStore>
struct AttentionForm {
    static constexpr int d = D, dv = DV;
    using condition = Condition;
    using score = Score;
    using output = Output;
    using number = Number;
};

}  // namespace inlay::inline INLAY_ABI
