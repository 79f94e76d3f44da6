// SPDX-License-Identifier: Apache-2.0
/// A row of attention as an expression: reductions over the keys of one query, of its scores and of the rows of V.
///
///     using P = Exp<Sub<Score, KeyMax<Score>>>;
///     using Softmax = Div<KeySum<Mul<P, Values>>, KeySum<P>>;
///
/// Scalar slots, and tensor slots that do not vary along the keys, may stand beside them. A key is hidden where its
/// score is -infinity: it takes no part in any reduction.
#pragma once

#include <inlay/expr/leaf.hpp>

namespace inlay::inline INLAY_ABI {

/// Score of the key, in fp32: the product of query and key after scale, bias and mask.
struct Score : leaf {};
/// Score of the second pair of queries and keys, where there are two over the same V: recurrences are derived of it, and
/// the frame Attention, which has one pair, refuses it.
struct SecondScore : leaf {};
/// Row of V of the key, a vector.
struct Values : leaf {};

/// The score of a hidden key: `where(condition, x, hidden)`.
using HiddenScore = Const<-__builtin_huge_val()>;
inline constexpr HiddenScore hidden{};

namespace detail {

template <class E>
struct key_reduction : expression {
    static constexpr bool over_keys = true;     ///< no function of its operand's value alone
    static_assert(is_operand<E>, "inlay: a reduction over keys is of an expression such as Exp<Score>: no tensor, "
                                 "sink, frame or number, and no leaf of const");
    using children = types<E>;
    static constexpr NodeKind kind = NodeKind::pointwise;
};

}  // namespace detail

/// Σ over the visible keys; 0 without any.
template <class E>
struct KeySum : detail::key_reduction<E> {};
/// Greatest over the visible keys; -infinity without any.
template <class E>
struct KeyMax : detail::key_reduction<E> {};
/// E, made of reductions, computed in a pass over the keys of its own. In the passes after it is a number like any
/// other, which no derivation has to take apart.
template <class E>
struct TwoPass : detail::key_reduction<E> {};

template <Expr E>
INLAY_FN constexpr KeySum<E> key_sum(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr KeyMax<E> key_max(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr TwoPass<E> two_pass(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
