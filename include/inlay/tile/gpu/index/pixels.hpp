// SPDX-License-Identifier: Apache-2.0
/// Coordinates of the pixels of [B, ..., C], whose axes may count as one: `plan/access/flat_pixels.hpp`.
#pragma once

#include <inlay/plan/access/flat_pixels.hpp>
#include <inlay/tile/gpu/index/unravel.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Coordinates of pixels for any expression and sink.
template <int R>
struct AnyPixels {
    Unravel<R> item;

    explicit AnyPixels(Extents<R> e) {
        e[0] = e[R - 1] = 1;
        item = Unravel<R>(e);
    }
    __device__ INLAY_INLINE Extents<R> at(index_t b, index_t pixel, index_t channel) const {
        Extents<R> c = item(pixel);
        c[0] = b;
        c[R - 1] = channel;
        return c;
    }
};

/// Coordinates of pixels where `flat_pixels` allows it: past the extent of the last pixel axis instead of along the
/// others.
template <int R>
struct FlatPixels {
    __device__ INLAY_INLINE Extents<R> at(index_t b, index_t pixel, index_t channel) const {
        Extents<R> c{};
        if constexpr (R > 2) c[R - 2] = pixel;
        c[0] = b;
        c[R - 1] = channel;
        return c;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
