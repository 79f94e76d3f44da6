// SPDX-License-Identifier: Apache-2.0
/// The smaller and the larger of two numbers, and common multiples of two, in place of `<algorithm>` and `<numeric>` in
/// plans and launches, which nvcc reads for a quarter of a second. Also lengths of arrays.
#pragma once

#include <inlay/core/config.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI {

template <class T>
INLAY_FN constexpr T smaller(T a, T b) {
    return b < a ? b : a;
}
template <class T>
INLAY_FN constexpr T larger(T a, T b) {
    return a < b ? b : a;
}

/// The least positive number that is a multiple of both, which are positive.
template <class T>
INLAY_FN constexpr T common_multiple(T a, T b) {
    T x = a, y = b;
    while (y != 0) {
        const T rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/// Number of elements of an array.
template <class T, std::size_t N>
INLAY_FN constexpr int array_length(const T (&)[N]) {
    return static_cast<int>(N);
}
/// The length of an array for N elements: at least 1, since C++ has no array of none.
template <auto N>
inline constexpr std::size_t room_for = N > 0 ? static_cast<std::size_t>(N) : 1;

}  // namespace inlay::inline INLAY_ABI
