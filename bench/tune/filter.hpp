// SPDX-License-Identifier: Apache-2.0
/// A convolution with a bias, on every tile of a list.
#pragma once

#include "tune.hpp"

namespace inlay_bench::tune {

template <class Win>
struct window : Conv2D<Win, Buf<0>, Add<Out, Buf<1>>> {};

/// `images` images h×w of c channels, to `out` of them.
template <class Win, class T, class Tiles>
bool windows(Bench& b, Tiles tiles, index_t images, index_t h, index_t w, index_t c, index_t out, index_t count,
             bool timed) {
    const index_t oh = Win::extent(h, Win::rows), ow = Win::extent(w, Win::cols), taps = Win::rows,
                  m = images * oh * ow;
    const Operands o = operands(b, dtype_of<T>, images * h * w * c, out * taps * taps * c, out, m * out);
    const std::string name = "conv " + std::to_string(images) + "x" + std::to_string(h) + "x" + std::to_string(w) +
                             "x" + std::to_string(c) + ">" + std::to_string(out) + " " + std::to_string(taps) + "s" +
                             std::to_string(Win::stride) + "p" + std::to_string(Win::before) + " *" +
                             std::to_string(count);
    const Reference r{o.at<void>(0, 0),
                      o.at<void>(0, o.x),
                      o.at<void>(0, o.x + o.w),
                      o.at<void>(0, o.x + o.w + o.bias + o.residual),
                      dtype_of<T>,
                      m,
                      out,
                      c,
                      h,
                      w,
                      oh,
                      ow,
                      static_cast<int>(taps),
                      Win::stride,
                      Win::before};
    return shape(b, tiles, name, o, r, taps * taps * ((c + 63) / 64),
                       2.0 * static_cast<double>(m * out) * static_cast<double>(taps * taps * c), timed, [=](int i) {
                           return prepare<window<Win>>(
                               tensor(o.at<T>(i, o.x + o.w + o.bias + o.residual), images, oh, ow, out),
                               tensor(o.at<const T>(i, o.x), out, taps, taps, c),
                               tensor(o.at<const T>(i, 0), images, h, w, c), tensor(o.at<const T>(i, o.x + o.w), out));
                       });
}

}  // namespace inlay_bench::tune
