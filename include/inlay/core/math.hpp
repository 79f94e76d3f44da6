// SPDX-License-Identifier: Apache-2.0
/// The scalar functions of expressions, for float and double, on host and device. `core/vec.hpp` has the same names for
/// short vectors, so an operation written with unqualified calls under `using namespace inlay::math` serves both.
#pragma once

#include <inlay/core/config.hpp>

#include <cmath>
#include <concepts>
#include <type_traits>

INLAY_ORDERED_BEGIN

/// Templates on purpose: beside the C library's `::exp(double)` an unqualified `exp(x)` is then never ambiguous.
namespace inlay::inline INLAY_ABI::math {

template <std::floating_point T>
INLAY_FN inline T exp(T x) {
    return std::exp(x);
}
template <std::floating_point T>
INLAY_FN inline T exp2(T x) {
    return std::exp2(x);
}
template <std::floating_point T>
INLAY_FN inline T log(T x) {
    return std::log(x);
}
template <std::floating_point T>
INLAY_FN inline T sqrt(T x) {
    return std::sqrt(x);
}
template <std::floating_point T>
INLAY_FN inline T rsqrt(T x) {
    return T(1) / std::sqrt(x);
}
template <std::floating_point T>
INLAY_FN inline T sin(T x) {
    return std::sin(x);
}
template <std::floating_point T>
INLAY_FN inline T cos(T x) {
    return std::cos(x);
}
template <std::floating_point T>
INLAY_FN inline T tanh(T x) {
    return std::tanh(x);
}
template <std::floating_point T>
INLAY_FN inline T erf(T x) {
    return std::erf(x);
}
template <std::floating_point T>
INLAY_FN inline T pow(T x, std::type_identity_t<T> y) {
    return std::pow(x, y);
}
template <std::floating_point T>
INLAY_FN inline T floor(T x) {
    return std::floor(x);
}
template <std::floating_point T>
INLAY_FN inline T ceil(T x) {
    return std::ceil(x);
}
template <std::floating_point T>
INLAY_FN inline T abs(T x) {
    return std::fabs(x);
}

/// e^x that is added to 1, as σ(x) has it. Device code: relative error at most 2^-22 + |x| · 2^-24, denormals are 0.
template <std::floating_point T>
INLAY_FN inline T quick_exp(T x) {
    if constexpr (std::is_same_v<T, float>) return INLAY_QUICK_EXP(x);
    else return std::exp(x);
}
/// a / b for |b| ≥ 1, as σ(x) has it. Device code multiplies floats by an approximate reciprocal: at most 2 ulp while
/// |b| ≤ 2^126, and 0 from there to infinity.
template <std::floating_point T>
INLAY_FN inline T quotient(T a, std::type_identity_t<T> b) {
    if constexpr (std::is_same_v<T, float>) return INLAY_QUOTIENT(a, b);
    else return a / b;
}

/// tanh for results that are rounded to 16 bits. Device code: absolute error at most 2^-17 and, below 1/2, relative
/// error at most 2^-15 (measured on an H200 for all fp16; one instruction, for which NVIDIA states 2^-11).
template <std::floating_point T>
INLAY_FN inline T coarse_tanh(T x) {
    if constexpr (std::is_same_v<T, float>) return INLAY_COARSE_TANH(x);
    else return std::tanh(x);
}
/// |x|·Φ(-|x|), which GELU is below max(x, 0), for results that are rounded to 16 bits; Φ is the normal distribution.
/// Relative error at most 2^-14 for |x| ≤ 6; beyond, it is less than 10^-8. Φ's logarithm is nearly a parabola: minimax
/// of degree 6 on [0, 6].
template <std::floating_point T>
INLAY_FN inline T coarse_tail(T x) {
    const T t = std::fmin(std::fabs(x), T(8));
    constexpr double c[] = {-6.1110005e-04,  7.1955658e-03,   -5.1185339e-02,
                            -4.6127191e-01, -1.15017426e+00, -1.00006473e+00};
    T p = T(2.2990062e-05);
    for (const double k : c) p = p * t + T(k);
    if constexpr (std::is_same_v<T, float>) return t * INLAY_QUICK_EXP2(p);
    else return t * std::exp2(p);
}

/// The lesser; NaN when either is NaN, as in PyTorch.
template <std::floating_point T>
INLAY_FN constexpr T (min)(T a, std::type_identity_t<T> b) {
    return a < b || a != a ? a : b;
}
/// The greater; NaN when either is NaN, as in PyTorch.
template <std::floating_point T>
INLAY_FN constexpr T (max)(T a, std::type_identity_t<T> b) {
    return a > b || a != a ? a : b;
}
/// `c != 0 ? a : b`; a NaN condition is true, as in PyTorch.
template <std::floating_point T>
INLAY_FN constexpr T select(T c, std::type_identity_t<T> a, std::type_identity_t<T> b) {
    return c != T(0) ? a : b;
}

/// Comparisons give 1 or 0 of the type they compare. With a NaN all are 0 but `ne`.
template <std::floating_point T>
INLAY_FN constexpr T lt(T a, std::type_identity_t<T> b) {
    return a < b ? T(1) : T(0);
}
template <std::floating_point T>
INLAY_FN constexpr T le(T a, std::type_identity_t<T> b) {
    return a <= b ? T(1) : T(0);
}
template <std::floating_point T>
INLAY_FN constexpr T gt(T a, std::type_identity_t<T> b) {
    return a > b ? T(1) : T(0);
}
template <std::floating_point T>
INLAY_FN constexpr T ge(T a, std::type_identity_t<T> b) {
    return a >= b ? T(1) : T(0);
}
template <std::floating_point T>
INLAY_FN constexpr T eq(T a, std::type_identity_t<T> b) {
    return a == b ? T(1) : T(0);
}
template <std::floating_point T>
INLAY_FN constexpr T ne(T a, std::type_identity_t<T> b) {
    return a != b ? T(1) : T(0);
}

}  // namespace inlay::inline INLAY_ABI::math

INLAY_ORDERED_END
