// SPDX-License-Identifier: Apache-2.0
/// A convolution with a bias, on every tile of a list.
#pragma once

#include "tune.hpp"

namespace inlay_bench::tune {

/// The images of a row of the table of shapes: rows of the result over pixels of one.
inline index_t images_of(const Shape& s) { return s.m * s.key[4] * s.key[4] / (s.key[0] * s.key[1]); }

template <class Win>
struct window : Conv2D<Win, Buf<0>, Add<Out, Buf<1>>> {};
template <class Win>
struct evaluated_window : Conv2D<Win, Silu<Add<Mul<Buf<0>, Buf<1>>, Buf<2>>>, Add<Out, Buf<3>>> {};

/// `images` images h×w of c channels, to `out` of them.
template <class Win, class T, class Schedules>
bool windows(Bench& b, Schedules schedules, index_t images, index_t h, index_t w, index_t c, index_t out, Log* log) {
    const index_t oh = Win::extent(h, Win::rows), ow = Win::extent(w, Win::cols), taps = Win::rows,
                  m = images * oh * ow;
    // Vectors of channels, in fp32, lie behind the bias.
    const Operands o = operands(b, dtype_of<T>, m > images * h * w ? m * c : images * h * w * c,
                                out * taps * taps * c, (out + 7) / 8 * 8 + 4 * c, m * out);
    const std::size_t scale = o.x + o.w + static_cast<std::size_t>((out + 7) / 8 * 8) * sizeof(T),
                      shift = scale + static_cast<std::size_t>(c) * sizeof(float);
    for (int i = 0; i < o.copies; ++i) fill_normals(b.stream(), o.at<float>(i, scale), 2 * c, DType::f32, 11);
    Reference r{o.at<void>(0, 0), o.at<void>(0, o.x), o.at<void>(0, o.x + o.w), o.at<void>(0, o.result()),
                dtype_of<T>, m, out, c, h, w, oh, ow, static_cast<int>(taps), Win::stride, Win::before};
    if constexpr (Schedules::evaluates) r.scale = o.at<float>(0, scale), r.shift = o.at<float>(0, shift);
    constexpr bool halo = Win::rows == 3 && Win::cols == 3 && Win::stride == 1;
    const WgmmaShape of{halo ? Schedules::evaluates ? WgmmaInput::evaluated_halo : WgmmaInput::halo
                              : WgmmaInput::copied,
                         false, 1, halo ? images : 1, halo ? oh : 1, halo ? ow : m, taps * taps, out, c};
    return shape(b, schedules, of, o, r, log, [=](int i) {
        const auto y = tensor(o.at<T>(i, o.result()), images, oh, ow, out);
        const auto weights = weight(o.at<const T>(i, o.x), out, taps, taps, c);
        const auto x = tensor(o.at<const T>(i, 0), images, h, w, c);
        const auto bias = tensor(o.at<const T>(i, o.x + o.w), out);
        if constexpr (Schedules::evaluates)
            return prepare<evaluated_window<Win>>(y, weights, x, tensor(o.at<const float>(i, scale), c),
                                                  tensor(o.at<const float>(i, shift), c), bias);
        else return prepare<window<Win>>(y, weights, x, bias);
    });
}

}  // namespace inlay_bench::tune
