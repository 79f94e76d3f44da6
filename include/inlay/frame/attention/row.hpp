// SPDX-License-Identifier: Apache-2.0
/// Rows of attention: reductions over the keys of a query, as expressions of `expr/keys.hpp`.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/keys.hpp>
#include <inlay/expr/unary.hpp>

namespace inlay::inline INLAY_ABI::row {

/// e^(s − max s), of each key.
using Weight = Exp<Sub<Score, KeyMax<Score>>>;

/// Σ w·V / Σ w.
struct Softmax {
    using output = Div<KeySum<Mul<Weight, Values>>, KeySum<Weight>>;
};
/// The same with powers of 2, as `score::Base2` has it.
struct Softmax2 {
    using Power = Exp2<Sub<Score, KeyMax<Score>>>;
    using output = Div<KeySum<Mul<Power, Values>>, KeySum<Power>>;
};
/// Softmax with one key more of score 0, whose V is 0.
struct SoftmaxPlusOne {
    using output = Div<KeySum<Mul<Weight, Values>>, Add<KeySum<Weight>, Exp<Neg<KeyMax<Score>>>>>;
};
/// Softmax with one key more of score S, whose V is 0. S is an expression of the row, such as `Buf<3>` [heads, 1, 1].
template <class S>
struct Sink {
    using top = Max<KeyMax<inlay::Score>, S>;
    using weight = Exp<Sub<inlay::Score, top>>;
    using output = Div<KeySum<Mul<weight, Values>>, Add<KeySum<weight>, Exp<Sub<S, top>>>>;
};
/// Σ σ(s)·V: each key for itself.
struct Sigmoid {
    using output = KeySum<Mul<inlay::Sigmoid<Score>, Values>>;
};
/// Σ s·V.
struct Linear {
    using output = KeySum<Mul<Score, Values>>;
};
/// An expression of the caller's, with V in it.
template <class E>
struct Of {
    using output = E;
};

/// log Σ e^s, a number of the row for `RowStore`; −infinity of a row without a visible key.
using LogSumExp = Add<KeyMax<Score>, Log<KeySum<Weight>>>;

}  // namespace inlay::inline INLAY_ABI::row
