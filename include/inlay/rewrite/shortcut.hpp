// SPDX-License-Identifier: Apache-2.0
/// The shortcut convolution of a ResNet block as extra K of its second convolution: one launch and one pass over the
/// shortcut's result less. Exact; no weight is rounded again.
///
/// Proof: conv(h, w)[m, n] = Σ_j P[m, j] w[n, j] over the patches P of h, zero outside the image, and the shortcut is
/// Σ_i x[m, i] v[n, i]. Their sum is one product of the concatenations [P, x] and [w, v]; the two biases are one
/// vector.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/im2col.hpp>
#include <inlay/rewrite/frame_of.hpp>
#include <inlay/rewrite/rebuild.hpp>

namespace inlay::inline INLAY_ABI::rules {

namespace detail {

template <class K, class Short>
struct joined_shortcut {
    static_assert(sizeof(K) == 0, "inlay: the rule takes a Conv2D of stride 1 that keeps the image's size, with the "
                                  "epilogue Add<Add<Out, bias>, residual>, and a Linear with Add<Out, bias>");
};
template <int N, class In, int Bias, int Residual, class S, class Schedule, class From, int ShortBias, class Result,
          class ShortSchedule>
struct joined_shortcut<Conv2D<Filter<N>, In, Add<Add<Out, Buf<Bias>>, Buf<Residual>>, S, Schedule>,
                       Linear<From, Add<Out, Buf<ShortBias>>, Result, ShortSchedule>> {
    static_assert(N % 2 == 1, "inlay: a window that keeps the image's size has an odd number of rows");
    using own = Slots<In>;
    static constexpr int bias = own::tensors + Slots<From>::tensors;
    using type = Linear<Concat<-1, Im2col<In, N, N, 1, N / 2>, shift_slots<From, own::tensors, own::scalars>>,
                        Add<Out, Buf<bias>>, S, Schedule>;
};

}  // namespace detail

/// Conv with the residual that Short wrote, and Short itself, as one product. Slots: those of Conv's input, those of
/// Short's, the sum of the two biases. Weight: `joined_rows` of both, [O, R·S·C + Ci]. The result is [B, H, W, O].
template <class Conv, class Short>
using shortcut_in_k = typename detail::joined_shortcut<frame_of<Conv>, frame_of<Short>>::type;

/// w [O, …] and v [O, Ci], both dense, row by row into to [O, …·Ci].
template <class W, class V, class To>
void joined_rows(const W& w, const V& v, const To& to) {
    using T = typename To::value_type;
    const index_t rows = to.extents[0], columns = to.extents[1];
    auto row = w.extents;
    row[0] = 1;
    const index_t left = count(row);
    for (index_t o = 0; o < rows; ++o)
        for (index_t i = 0; i < columns; ++i)
            to({{o, i}}) = i < left ? to_storage<T>(from_storage<double>(w(unravel(o * left + i, w.extents))))
                                    : to_storage<T>(from_storage<double>(v({{o, i - left}})));
}

}  // namespace inlay::inline INLAY_ABI::rules
