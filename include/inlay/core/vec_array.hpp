// SPDX-License-Identifier: Apache-2.0
/// Short vectors as arrays, for code that a device runs: every loop over the lanes is unrolled, so a vector is N
/// registers and a function of it is the scalar function of `core/math.hpp` lane by lane.
#pragma once

#include <inlay/core/math.hpp>

#include <concepts>
#include <type_traits>

// `core/vec.hpp` includes this kind or the other, which has the same names.
#if !INLAY_NATIVE_VECTORS

namespace inlay::inline INLAY_ABI::math {

/// N lanes of T.
template <class T, int N>
struct Vec {
    static_assert(N >= 1);
    using value_type = T;
    static constexpr int lanes = N;

    T v[N];

    Vec() = default;
    /// The same value in every lane. Implicit, so that scalars mix with vectors.
    INLAY_FN INLAY_INLINE constexpr Vec(T x) {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v[i] = x;
    }
    /// Of a literal such as T(0.7).
    template <std::same_as<double> X>
    INLAY_FN INLAY_INLINE constexpr explicit Vec(X x) : Vec(static_cast<T>(x)) {}
    INLAY_FN INLAY_INLINE static Vec load(const T* p) {
        Vec r;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) r.v[i] = p[i];
        return r;
    }
    INLAY_FN INLAY_INLINE void store(T* p) const {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) p[i] = v[i];
    }

    INLAY_FN INLAY_INLINE constexpr T operator[](int i) const { return v[i]; }
    INLAY_FN INLAY_INLINE constexpr void set(int i, T x) { v[i] = x; }

#define INLAY_OPERATOR(op)                                             \
    friend INLAY_FN INLAY_INLINE constexpr Vec operator op(Vec a, const Vec& b) { \
        INLAY_UNROLL                                                   \
        for (int i = 0; i < N; ++i) a.v[i] = a.v[i] op b.v[i];         \
        return a;                                                      \
    }                                                                  \
    INLAY_FN INLAY_INLINE constexpr Vec& operator op##=(const Vec& b) { return *this = *this op b; }
    INLAY_OPERATOR(+)
    INLAY_OPERATOR(-)
    INLAY_OPERATOR(*)
    INLAY_OPERATOR(/)
#undef INLAY_OPERATOR
    INLAY_FN INLAY_INLINE constexpr Vec operator-() const {
        Vec r = *this;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) r.v[i] = -v[i];
        return r;
    }
    INLAY_FN INLAY_INLINE constexpr Vec operator+() const { return *this; }
};

/// The lanes as U: float to integer truncates.
template <class U, class T, int N>
INLAY_FN INLAY_INLINE Vec<U, N> convert(const Vec<T, N>& x) {
    Vec<U, N> r;
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) r.v[i] = static_cast<U>(x.v[i]);
    return r;
}

// A GPU reduces large angles in local memory. Out of line, the lanes share it instead of having one each.
namespace detail {
template <class T>
INLAY_FN INLAY_OUTLINE T sin(T x) {
    return math::sin(x);
}
template <class T>
INLAY_FN INLAY_OUTLINE T cos(T x) {
    return math::cos(x);
}
}  // namespace detail

#define INLAY_UNARY(name, of_lane)                               \
    template <class T, int N>                                    \
    INLAY_FN INLAY_INLINE Vec<T, N> name(Vec<T, N> x) {          \
        INLAY_UNROLL                                             \
        for (int i = 0; i < N; ++i) x.v[i] = of_lane(x.v[i]);    \
        return x;                                                \
    }
INLAY_UNARY(exp, math::exp)
INLAY_UNARY(quick_exp, math::quick_exp)
INLAY_UNARY(exp2, math::exp2)
INLAY_UNARY(log, math::log)
INLAY_UNARY(sqrt, math::sqrt)
INLAY_UNARY(rsqrt, math::rsqrt)
INLAY_UNARY(sin, detail::sin)
INLAY_UNARY(cos, detail::cos)
INLAY_UNARY(tanh, math::tanh)
INLAY_UNARY(coarse_tanh, math::coarse_tanh)
INLAY_UNARY(coarse_tail, math::coarse_tail)
INLAY_UNARY(erf, math::erf)
INLAY_UNARY(floor, math::floor)
INLAY_UNARY(ceil, math::ceil)
INLAY_UNARY(abs, math::abs)
#undef INLAY_UNARY

/// Two vectors, or a vector with a scalar, either way round. Names stand in parentheses: min and max may be macros.
#define INLAY_BINARY(name)                                                                  \
    template <class T, int N>                                                               \
    INLAY_FN INLAY_INLINE Vec<T, N> (name)(Vec<T, N> a, const Vec<T, N>& b) {               \
        INLAY_UNROLL                                                                        \
        for (int i = 0; i < N; ++i) a.v[i] = (math::name)(a.v[i], b.v[i]);                  \
        return a;                                                                           \
    }                                                                                       \
    template <class T, int N>                                                               \
    INLAY_FN INLAY_INLINE Vec<T, N> (name)(const Vec<T, N>& a, std::type_identity_t<T> b) { \
        return (name)(a, Vec<T, N>(b));                                                     \
    }                                                                                       \
    template <class T, int N>                                                               \
    INLAY_FN INLAY_INLINE Vec<T, N> (name)(std::type_identity_t<T> a, const Vec<T, N>& b) { \
        return (name)(Vec<T, N>(a), b);                                                     \
    }
INLAY_BINARY(quotient)
INLAY_BINARY(pow)
INLAY_BINARY(min)
INLAY_BINARY(max)
INLAY_BINARY(lt)
INLAY_BINARY(le)
INLAY_BINARY(gt)
INLAY_BINARY(ge)
INLAY_BINARY(eq)
INLAY_BINARY(ne)
#undef INLAY_BINARY

/// `c != 0 ? a : b`; a NaN condition is true.
template <class T, int N>
INLAY_FN INLAY_INLINE Vec<T, N> select(Vec<T, N> c, const std::type_identity_t<Vec<T, N>>& a,
                                       const std::type_identity_t<Vec<T, N>>& b) {
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) c.v[i] = math::select(c.v[i], a.v[i], b.v[i]);
    return c;
}

/// The sum of the lanes, as a tree.
template <class T, int N>
INLAY_FN INLAY_INLINE T lane_sum(Vec<T, N> x) {
    INLAY_UNROLL
    for (int w = N; w > 1; w = (w + 1) / 2)
        INLAY_UNROLL
        for (int i = 0; i < w / 2; ++i) x.v[i] += x.v[i + (w + 1) / 2];
    return x.v[0];
}
/// The greatest lane; NaN when any is.
template <class T, int N>
INLAY_FN INLAY_INLINE T lane_max(Vec<T, N> x) {
    INLAY_UNROLL
    for (int w = N; w > 1; w = (w + 1) / 2)
        INLAY_UNROLL
        for (int i = 0; i < w / 2; ++i) x.v[i] = (math::max)(x.v[i], x.v[i + (w + 1) / 2]);
    return x.v[0];
}

}  // namespace inlay::inline INLAY_ABI::math

#endif
