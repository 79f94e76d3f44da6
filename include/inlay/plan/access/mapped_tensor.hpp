// SPDX-License-Identifier: Apache-2.0
/// Tensors and windows that the copy engine of sm_90 reads by maps, as numbers. `tile/cuda/runtime/tensor_map.hpp`
/// encodes the maps.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI {

/// A tensor of 16-bit elements, the innermost of its axes dense. Strides in elements, that of the innermost is 1.
struct MappedTensor {
    const void* data = nullptr;     ///< of a tensor that has no memory yet, as if it began at 0
    DType type = DType::f16;
    index_t extents[5] = {1, 1, 1, 1, 1}, strides[5] = {1, 0, 0, 0, 0};

    static Extents<5> described(const index_t (&v)[5]) { return {{v[0], v[1], v[2], v[3], v[4]}}; }
    /// True if the engine can read it: addresses are multiples of 16 bytes, extents and strides fit its registers.
    bool can_map() const {
        if (strides[0] != 1 || (reinterpret_cast<std::uintptr_t>(data) & 15u) != 0) return false;
        for (int i = 0; i < 5; ++i) {
            if (extents[i] < 1 || extents[i] >= (index_t(1) << 31)) return false;
            if (i > 0 && extents[i] > 1 && (strides[i] < 1 || strides[i] % 8 != 0 || strides[i] >= (index_t(1) << 38)))
                return false;
        }
        return true;
    }
};

/// The windows of a convolution over an image: along y and x alike, of `taps` pixels `dilation` apart, from `before`
/// pixels outside the image to `after` on the other side, every `stride` pixels.
struct MappedWindow {
    int rows = 1, cols = 1, stride = 1, before = 0, after = 0, dilation = 1;

    bool can_map() const {
        const auto fits = [&](int taps) {
            const int upper = after - (taps - 1) * dilation;
            return upper >= -128 && upper <= 127 && (taps - 1) * dilation <= 255;
        };
        return stride <= 8 && before <= 128 && fits(rows) && fits(cols);
    }
};

}  // namespace inlay::inline INLAY_ABI
