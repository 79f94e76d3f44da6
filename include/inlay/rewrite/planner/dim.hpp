// SPDX-License-Identifier: Apache-2.0
/// Extents of a layer that a plan gets numbers for: a layer names its axes, a shape gives each its length.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>

#include <concepts>
#include <cstdint>

namespace inlay::inline INLAY_ABI::planner {

/// An extent: a number of elements, or `factor` / `divisor` times the length of an axis of the layer. An enumerator,
/// because nvcc cannot print a template argument of class type to the host compiler.
enum class Dim : std::uint64_t {};

namespace detail {

struct DimParts {
    int axis;  ///< −1: a number
    index_t factor, divisor;
};
constexpr DimParts parts_of(Dim d) {
    const auto bits = static_cast<std::uint64_t>(d);
    return {static_cast<int>(bits >> 56) - 1, static_cast<index_t>(bits >> 16 & 0xffffffffff),
            static_cast<index_t>(bits & 0xffff)};
}
constexpr Dim dim_of(int axis, index_t factor, index_t divisor) {
    if (axis < -1 || axis > 254 || factor < 0 || factor > 0xffffffffff || divisor < 1 || divisor > 0xffff)
        fail("an extent of a layer is at most 2^40 elements, or a multiple of an axis over at most 65535");
    return static_cast<Dim>(static_cast<std::uint64_t>(axis + 1) << 56 | static_cast<std::uint64_t>(factor) << 16 |
                            static_cast<std::uint64_t>(divisor));
}

}  // namespace detail

/// Axis I of a layer.
template <int I>
inline constexpr Dim dim = detail::dim_of(I, 1, 1);
/// A number of elements, or an extent as it is. Numbers below 0 are 0, which weights refuse.
constexpr Dim as_dim(std::integral auto elements) {
    return detail::dim_of(-1, elements > 0 ? static_cast<index_t>(elements) : 0, 1);
}
constexpr Dim as_dim(Dim d) { return d; }

/// The width of a head as symbols hold it: a number of elements as an int, or an axis of the layer.
constexpr int head_width(std::integral auto elements) { return static_cast<int>(elements); }
constexpr Dim head_width(Dim d) { return d; }

constexpr Dim operator*(std::integral auto n, Dim d) {
    const auto p = detail::parts_of(d);
    return detail::dim_of(p.axis, static_cast<index_t>(n) * p.factor, p.divisor);
}
constexpr Dim operator/(Dim d, std::integral auto n) {
    const auto p = detail::parts_of(d);
    return detail::dim_of(p.axis, p.factor, p.divisor * static_cast<index_t>(n));
}
/// Of extents that are multiples of one axis, or of numbers.
constexpr Dim operator+(Dim a, Dim b) {
    const auto p = detail::parts_of(a), q = detail::parts_of(b);
    if (p.axis != q.axis) fail("extents of two axes have no sum that a plan can hold");
    return p.divisor == q.divisor ? detail::dim_of(p.axis, p.factor + q.factor, p.divisor)
                                  : detail::dim_of(p.axis, p.factor * q.divisor + q.factor * p.divisor,
                                                   p.divisor * q.divisor);
}

inline constexpr int most_layer_axes = 8;
/// Lengths of a layer's axes, in their order.
struct Lengths {
    int axes = 0;
    index_t length[most_layer_axes] = {};
};

/// The extent under lengths of a layer's axes.
constexpr index_t length_of(Dim d, const Lengths& lengths) {
    const auto p = detail::parts_of(d);
    if (p.axis >= lengths.axes) fail("a layer names more axes than its shape has");
    const index_t n = (p.axis < 0 ? 1 : lengths.length[p.axis]) * p.factor;
    if (n % p.divisor != 0) fail("an extent of a layer is no whole number of elements");
    return n / p.divisor;
}

/// The shape for which a plan is made: lengths of a layer's axes.
template <index_t... N>
struct Shape {
    static_assert(sizeof...(N) <= most_layer_axes, "inlay: a layer has at most 8 axes of its own");
    static constexpr Lengths lengths{static_cast<int>(sizeof...(N)), {N...}};
};

}  // namespace inlay::inline INLAY_ABI::planner
