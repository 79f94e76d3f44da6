// SPDX-License-Identifier: Apache-2.0
/// The choice of Winograd's minimal filtering for a convolution on the host: a rule over its window, its channels and
/// the extents of one image, so that neither the batch nor the number of threads changes a bit of a result.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/frame/row_map.hpp>
#include <inlay/tile/shapes.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI {

/// The window of an implicit product and the pixels of its result; of no rows where it is no convolution.
struct WindowFacts {
    int rows = 0, cols = 0, stride = 1, dilation = 1, groups = 1;
    index_t height = 0, width = 0;      ///< of a result; of a phase's, where it has phases

    /// Taps of an axis, where filtering takes the window: 3, or 2 of phases.
    constexpr bool square() const { return rows == cols && (rows == 2 || rows == 3); }
};

template <class Rows>
constexpr WindowFacts window_facts(const Rows& rows) {
    if constexpr (WindowRowMap<Rows>) {
        using Win = typename Rows::window;
        return {Win::rows, Win::cols, Win::stride, Win::dilation, Win::groups, rows.pixels[1], rows.pixels[2]};
    } else {
        return {};
    }
}

/// Outputs of a tile along each axis. Tiles of 4x4 outputs take 0.56 of the products of 2x2 ones and are 5 times as
/// far from fp64, which is beyond what PyTorch's own kernels allow (docs/numerics.md).
inline constexpr int winograd_outputs = 2;
/// The least extents of an image, under 3x3 taps and of phases of 2x2, and the least number of channels on both sides
/// for which transforms pay; measured on AVX-512 (bench/results/cpu/winograd.json).
inline constexpr index_t winograd_pixels = 4, winograd_phase_pixels = 8, winograd_channels = 4;

/// The reason why a product on the host is not filtered so; null where it is. `weights`: the type in which they lie.
constexpr const char* winograd_refused(const WindowFacts& w, const MatmulShape& s, DType weights) {
    if (w.rows == 0) return "it is no convolution";
    if (!w.square()) return "its window is neither 3x3 nor 2x2";
    if (w.stride != 1 || w.dilation != 1 || w.groups != 1) return "its stride, dilation or groups are not 1";
    if (weights != DType::f32) return "its weights are not fp32";
    if (s.m == 0) return "its result has no elements";
    const index_t least = w.rows == 3 ? winograd_pixels : winograd_phase_pixels;
    if (w.height < least || w.width < least)
        return w.rows == 3 ? "its image is below 4x4 pixels" : "its image is below 8x8 pixels";
    if (s.k < winograd_channels || s.n < winograd_channels) return "it has fewer than 4 channels on a side";
    return nullptr;
}

/// True of types for which the host's kernel is compiled; extents decide as it runs.
template <class T, class Rows>
inline constexpr bool can_winograd = [] {
    if constexpr (WindowRowMap<Rows> && std::is_same_v<T, float>) {
        using Win = typename Rows::window;
        const WindowFacts w{Win::rows, Win::cols, Win::stride, Win::dilation, Win::groups, 0, 0};
        return w.square() && w.stride == 1 && w.dilation == 1 && w.groups == 1;
    }
    return false;
}();

/// Products a channel of the transformed tile, over those of its outputs: 4/9 of 3x3 taps, 9/16 of 2x2.
constexpr double winograd_share(const WindowFacts& w) {
    const double points = w.rows + winograd_outputs - 1, taps = w.rows * winograd_outputs;
    return points * points / (taps * taps);
}

}  // namespace inlay::inline INLAY_ABI
