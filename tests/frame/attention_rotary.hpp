// SPDX-License-Identifier: Apache-2.0
/// Attention whose Q and K are turned by rotary embeddings, which are expressions of it.
#pragma once

#include "array.hpp"

#include <inlay/expr/view/concat.hpp>
#include <inlay/frame/attention.hpp>

#include <cmath>
#include <cstddef>
#include <utility>

namespace inlay_test {

/// Heads of D columns, x₁ and x₂, turned by angles whose cosines and sines are [keys, D], each angle twice:
/// cos · x + sin · (−x₂, x₁).
template <class X, int D>
using Turned =
    inlay::Add<inlay::Mul<X, inlay::Buf<3>>,
               inlay::Mul<inlay::Concat<-1, inlay::Neg<inlay::Slice<X, -1, D / 2, D / 2>>,
                                        inlay::Slice<X, -1, 0, D / 2>>,
                          inlay::Buf<4>>>;
template <int D>
struct rotary : inlay::Attention<D, Turned<inlay::Buf<0>, D>, Turned<inlay::Buf<1>, D>, inlay::Buf<2>,
                                 inlay::mask::Causal, inlay::score::Softcap<inlay::Const<20>>> {};

/// Cosines and sines of positions, [n, D] each.
template <class T, int D>
auto rotary_angles(index_t n) {
    auto cosines = unwritten<T>(n, D), sines = unwritten<T>(n, D);
    for (index_t i = 0; i < n; ++i)
        for (index_t c = 0; c < D; ++c) {
            const double rate = std::pow(10000.0, -static_cast<double>(c % (D / 2)) / (D / 2));
            const double angle = static_cast<double>(i) * rate;
            const auto at = static_cast<std::size_t>(i * D + c);
            cosines.v[at] = inlay::to_storage<T>(std::cos(angle));
            sines.v[at] = inlay::to_storage<T>(std::sin(angle));
        }
    return std::pair(cosines, sines);
}

}  // namespace inlay_test
