// SPDX-License-Identifier: Apache-2.0
/// Pointwise operations of three operands.
#pragma once

#include <inlay/core/vec.hpp>
#include <inlay/expr/node.hpp>

INLAY_STRICT_DEVICE_BEGIN

namespace inlay::inline INLAY_ABI {

/// A where C is not 0, else B.
template <class C, class A, class B>
struct Where : pointwise<C, A, B> {
    template <class T>
    INLAY_FN static T apply(const T& c, const T& a, const T& b) {
        return math::select(c, a, b);
    }
};

/// a + t·(b − a).
template <class A, class B, class W>
struct Lerp : pointwise<A, B, W> {
    template <class T>
    INLAY_FN static T apply(const T& a, const T& b, const T& t) {
        return a + t * (b - a);
    }
};

/// min(max(x, lo), hi); NaN passes.
template <class E, class Lo, class Hi>
struct Clamp : pointwise<E, Lo, Hi> {
    template <class T>
    INLAY_FN static T apply(const T& x, const T& lo, const T& hi) {
        return (math::min)((math::max)(x, lo), hi);
    }
};

template <Expr C, Expr A, Expr B>
INLAY_FN constexpr Where<C, A, B> where(C, A, B) {
    return {};
}
template <Expr A, Expr B, Expr W>
INLAY_FN constexpr Lerp<A, B, W> lerp(A, B, W) {
    return {};
}
template <Expr E, Expr Lo, Expr Hi>
INLAY_FN constexpr Clamp<E, Lo, Hi> clamp(E, Lo, Hi) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI

INLAY_STRICT_DEVICE_END
