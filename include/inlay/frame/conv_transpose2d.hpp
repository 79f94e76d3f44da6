// SPDX-License-Identifier: Apache-2.0
/// Transposed convolution over NHWC, as PyTorch's ConvTranspose2d: a Conv2D of the input with zeros between its pixels,
/// [B, H, W, C] → [B, (H − 1)·Stride − 2·Pad + K + OutPad, …, O]. It multiplies the zeros too: for strides above 1 a
/// convolution per phase through `Strided` sinks does 1/Stride² of the work.
///
/// Holes as of Conv2D. Operand: w [O, K, K, C], which `transposed_filter` makes from PyTorch's [C, O, K, K].
#pragma once

#include <inlay/expr/view/dilate.hpp>
#include <inlay/frame/conv2d.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {
/// The window of a transposed convolution's convolution.
template <int K, int Stride, int Pad, int OutPad>
struct transposed_window {
    static constexpr bool stride = Stride >= 1, pad = Pad >= 0 && Pad < K, out_pad = OutPad >= 0 && OutPad < Stride;
    static_assert(stride, "inlay: a transposed convolution needs a stride of at least 1");
    static_assert(pad, "inlay: a transposed convolution needs a padding from 0 to K - 1");
    static_assert(!stride || out_pad,
                  "inlay: a transposed convolution needs an output padding of at least 0, less than its stride");
    // A valid filter where one was refused: no second error follows.
    using type =
        std::conditional_t<stride && pad && out_pad, Filter<K, K, 1, K - 1 - Pad, K - 1 - Pad + OutPad>, Filter<1>>;
};
}  // namespace detail

template <int K, int Stride, int Pad = 0, int OutPad = 0, class In = Buf<0>, class Epilogue = Out, class S = Store<0>,
          class Schedule = Auto>
struct ConvTranspose2D : Conv2D<typename detail::transposed_window<K, Stride, Pad, OutPad>::type,
                                Dilate<In, (Stride >= 1 ? Stride : 1), -3, -2>, Epilogue, S, Schedule> {};

/// PyTorch's weight of a ConvTranspose2d, [C, O, K, K], as that of the convolution: [O, K, K, C], taps in reverse.
template <class T>
void transposed_filter(const T* w, index_t channels, index_t outputs, index_t k, T* to) {
    for (index_t c = 0; c < channels; ++c)
        for (index_t o = 0; o < outputs; ++o)
            for (index_t tap = 0; tap < k * k; ++tap)
                to[(o * k * k + (k * k - 1 - tap)) * channels + c] = w[(c * outputs + o) * k * k + tap];
}

}  // namespace inlay::inline INLAY_ABI
