// SPDX-License-Identifier: Apache-2.0
/// The storage types of tensors, at compile time (`T`) and at run time (`DType`).
#pragma once

#include <inlay/core/fp8.hpp>
#include <inlay/core/half.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace inlay::inline INLAY_ABI {

enum class DType : std::uint8_t { f64, f32, f16, bf16, i32, f8 };

constexpr const char* name(DType t) {
    switch (t) {
        case DType::f64: return "fp64";
        case DType::f32: return "fp32";
        case DType::f16: return "fp16";
        case DType::bf16: return "bf16";
        case DType::i32: return "int32";
        case DType::f8: return "fp8";
    }
    return "?";
}

constexpr std::size_t bytes(DType t) {
    switch (t) {
        case DType::f64: return 8;
        case DType::f32:
        case DType::i32: return 4;
        case DType::f16:
        case DType::bf16: return 2;
        case DType::f8: return 1;
    }
    return 0;
}

namespace detail {
template <class T>
struct dtype;
template <> struct dtype<double> { static constexpr DType value = DType::f64; };
template <> struct dtype<float> { static constexpr DType value = DType::f32; };
template <> struct dtype<fp16> { static constexpr DType value = DType::f16; };
template <> struct dtype<bf16> { static constexpr DType value = DType::bf16; };
template <> struct dtype<std::int32_t> { static constexpr DType value = DType::i32; };
template <> struct dtype<fp8> { static constexpr DType value = DType::f8; };

/// Types that are stored as bits alone, and computed with as floats.
template <class T>
inline constexpr bool is_bits = std::same_as<T, fp16> || std::same_as<T, bf16> || std::same_as<T, fp8>;
}  // namespace detail

/// A type a tensor can hold: double (oracle only), float, fp16, bf16, fp8, int32.
template <class T>
concept Storage = requires { detail::dtype<std::remove_const_t<T>>::value; };

template <Storage T>
inline constexpr DType dtype_of = detail::dtype<std::remove_const_t<T>>::value;

/// Stores `x` as T, rounding to nearest even; integers truncate, fp8 saturates.
template <Storage T, class X>
INLAY_FN constexpr T to_storage(X x) {
    if constexpr (detail::is_bits<T>) return T(static_cast<float>(x));
    else return static_cast<T>(x);
}

/// Reads a stored value as C (float or double).
template <class C, Storage T>
INLAY_FN constexpr C from_storage(T x) {
    if constexpr (detail::is_bits<std::remove_const_t<T>>) return static_cast<C>(static_cast<float>(x));
    else return static_cast<C>(x);
}

}  // namespace inlay::inline INLAY_ABI
