// SPDX-License-Identifier: Apache-2.0
/// Scores of attention: an expression over Out, the product of query and key in fp32. `of<D>` is the one for heads of D
/// elements.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/leaf.hpp>
#include <inlay/expr/unary.hpp>

namespace inlay::inline INLAY_ABI::score {

/// 1 / √D, by Newton's method: the C library's root is no constant in every compiler.
constexpr double inverse_root(int d) {
    double x = d;
    for (int i = 0; i < 64; ++i) x = (x + d / x) / 2;
    return 1 / x;
}

/// Q·K / √D, as usual.
struct Scaled {
    static constexpr bool binary = false;
    template <int D>
    using of = Mul<Out, Const<inverse_root(D)>>;
};
/// Q·K, and probabilities are powers of 2, not of e: queries that the kernel before has multiplied by `factor` while it
/// had them in fp32.
struct Base2 {
    static constexpr bool binary = true;
    template <int>
    using of = Out;
    /// log2(e) / √D: 2^(factor · Q·K) = e^(Q·K / √D).
    static double factor(int d) { return 1.4426950408889634 / math::sqrt(static_cast<double>(d)); }
};
/// Cap · tanh(Q·K / √D / Cap), with Cap an expression such as `Const<20>` or `Param<0>`.
template <class Cap>
struct Softcap {
    static constexpr bool binary = false;
    template <int D>
    using of = Mul<Cap, Tanh<Div<Mul<Out, Const<inverse_root(D)>>, Cap>>>;
};
/// An expression of the caller's over Out, `Coord<0>` to `Coord<3>` for batch, head, query and key, QueryPosition,
/// tensor slots that broadcast over [B, heads, Sq, Skv], and scalar slots.
template <class E>
struct Of {
    static constexpr bool binary = false;
    template <int>
    using of = E;
};

}  // namespace inlay::inline INLAY_ABI::score
