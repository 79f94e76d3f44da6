// SPDX-License-Identifier: Apache-2.0
/// The functions of `core/math.hpp` for native vectors: exp, exp2, log, tanh and erf of floats by polynomials of all
/// lanes at once (each states its greatest error over all floats); the others by lane where there is no vector form.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/core/order.hpp>
#include <inlay/core/vec_native.hpp>

#if INLAY_NATIVE_VECTORS

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::math {

namespace detail {

template <class T, int N>
INLAY_INLINE Vec<T, N> pick(typename Vec<T, N>::mask_type m, Vec<T, N> a, Vec<T, N> b) {
    return Vec<T, N>::from(blend(m, a.v, b.v));
}
template <int N>
INLAY_INLINE Vec<std::int32_t, N> bits(Vec<float, N> x) {
    return Vec<std::int32_t, N>::from(__builtin_bit_cast(typename Vec<std::int32_t, N>::native_type, x.v));
}
template <int N>
INLAY_INLINE Vec<float, N> as_float(Vec<std::int32_t, N> x) {
    return Vec<float, N>::from(__builtin_bit_cast(typename Vec<float, N>::native_type, x.v));
}
/// |magnitude| with the sign of `sign`.
template <int N>
INLAY_INLINE Vec<float, N> copysign(Vec<float, N> magnitude, Vec<float, N> sign) {
    return as_float(
        Vec<std::int32_t, N>::from((bits(magnitude).v & 0x7fffffff) | (bits(sign).v & ~0x7fffffff)));
}
template <class T, int N, class F>
INLAY_INLINE Vec<T, N> by_lane(Vec<T, N> x, F f) {
    for (int i = 0; i < N; ++i) x.set(i, f(x[i]));
    return x;
}
/// c0 + x c1 + x² c2 …
template <int N>
INLAY_INLINE Vec<float, N> polynomial(Vec<float, N>, float c) {
    return c;
}
template <int N, class... C>
INLAY_INLINE Vec<float, N> polynomial(Vec<float, N> x, float c, C... rest) {
    return polynomial(x, rest...) * x + c;
}

/// The integer k nearest to x, and 2^k as the product of `up` and `down`, because 2^128 and 2^-150 are no floats while
/// their products with a number near 1 may be. |x| < 2^22.
template <int N>
struct Power {
    Vec<float, N> k, up, down;
    INLAY_INLINE explicit Power(Vec<float, N> x) {
        const Vec<float, N> magic = 12582912.f;  // 1.5 · 2^23: adding it rounds to an integer, in the low bits
        const Vec<float, N> shifted = x + magic;
        k = shifted - magic;
        const auto n = (bits(shifted).v & 0x7fffff) - 0x400000;
        const auto half = n >> 1;
        up = as_float(Vec<std::int32_t, N>::from((half + 127) << 23));
        down = as_float(Vec<std::int32_t, N>::from((n - half + 127) << 23));
    }
};

/// e^r for |r| ≤ ln 2 / 2.
template <int N>
INLAY_INLINE Vec<float, N> exp_small(Vec<float, N> r) {
    return polynomial(r, 4.999999305e-01f, 1.666651479e-01f, 4.166845679e-02f, 8.369418836e-03f, 1.381314450e-03f) *
               (r * r) + r + 1.f;
}

}  // namespace detail

template <class T, int N>
INLAY_INLINE Vec<T, N> abs(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>)
        return detail::as_float(Vec<std::int32_t, N>::from(detail::bits(x).v & 0x7fffffff));
    else return detail::by_lane(x, [](T e) { return e < T(0) ? -e : e + T(0); });
}

/// a / b.
template <class T, int N>
INLAY_INLINE Vec<T, N> quotient(Vec<T, N> a, Vec<T, N> b) {
    return a / b;
}

/// The lesser; NaN when either is NaN.
template <class T, int N>
INLAY_INLINE Vec<T, N> (min)(Vec<T, N> a, Vec<T, N> b) {
    return detail::pick((a.v < b.v) | (a.v != a.v), a, b);
}
/// The greater; NaN when either is NaN.
template <class T, int N>
INLAY_INLINE Vec<T, N> (max)(Vec<T, N> a, Vec<T, N> b) {
    return detail::pick((a.v > b.v) | (a.v != a.v), a, b);
}

/// `c != 0 ? a : b`; a NaN condition is true.
template <class T, int N>
INLAY_INLINE Vec<T, N> select(Vec<T, N> c, std::type_identity_t<Vec<T, N>> a, std::type_identity_t<Vec<T, N>> b) {
    return detail::pick(c.v != typename Vec<T, N>::native_type{}, a, b);
}

#define INLAY_COMPARISON(name, op)                                           \
    template <class T, int N>                                                \
    INLAY_INLINE Vec<T, N> name(Vec<T, N> a, Vec<T, N> b) {                   \
        return detail::pick(a.v op b.v, Vec<T, N>(T(1)), Vec<T, N>(T(0)));    \
    }
INLAY_COMPARISON(lt, <)
INLAY_COMPARISON(le, <=)
INLAY_COMPARISON(gt, >)
INLAY_COMPARISON(ge, >=)
INLAY_COMPARISON(eq, ==)
INLAY_COMPARISON(ne, !=)
#undef INLAY_COMPARISON

template <class T, int N>
INLAY_INLINE Vec<T, N> sqrt(Vec<T, N> x) {
    return detail::by_lane(x, [](T e) { return std::sqrt(e); });
}
template <class T, int N>
INLAY_INLINE Vec<T, N> rsqrt(Vec<T, N> x) {
    return Vec<T, N>(T(1)) / sqrt(x);
}
template <class T, int N>
INLAY_INLINE Vec<T, N> sin(Vec<T, N> x) {
    return detail::by_lane(x, [](T e) { return std::sin(e); });
}
template <class T, int N>
INLAY_INLINE Vec<T, N> cos(Vec<T, N> x) {
    return detail::by_lane(x, [](T e) { return std::cos(e); });
}
template <class T, int N>
INLAY_INLINE Vec<T, N> pow(Vec<T, N> x, Vec<T, N> y) {
    for (int i = 0; i < N; ++i) x.set(i, std::pow(x[i], y[i]));
    return x;
}

/// A vector with a scalar, either way round.
#define INLAY_MIXED(name)                                                  \
    template <class T, int N>                                              \
    INLAY_INLINE Vec<T, N> (name)(Vec<T, N> a, std::type_identity_t<T> b) { \
        return (name)(a, Vec<T, N>(b));                                    \
    }                                                                      \
    template <class T, int N>                                              \
    INLAY_INLINE Vec<T, N> (name)(std::type_identity_t<T> a, Vec<T, N> b) { \
        return (name)(Vec<T, N>(a), b);                                    \
    }
INLAY_MIXED(quotient)
INLAY_MIXED(min)
INLAY_MIXED(max)
INLAY_MIXED(pow)
INLAY_MIXED(lt)
INLAY_MIXED(le)
INLAY_MIXED(gt)
INLAY_MIXED(ge)
INLAY_MIXED(eq)
INLAY_MIXED(ne)
#undef INLAY_MIXED

template <class T, int N>
INLAY_INLINE Vec<T, N> floor(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>) {
        const Vec<T, N> big = 8388608.f;  // from 2^23 on every float is whole; NaN fails the comparison too
        const auto fractional = abs(x).v < big.v;
        const Vec<T, N> whole = convert<float>(convert<std::int32_t>(detail::pick(fractional, x, Vec<T, N>(0.f))));
        const Vec<T, N> r = whole - gt(whole, x);
        return detail::pick(fractional, detail::copysign(r, x), x);
    } else return detail::by_lane(x, [](T e) { return std::floor(e); });
}
template <class T, int N>
INLAY_INLINE Vec<T, N> ceil(Vec<T, N> x) {
    return -floor(-x);
}

/// float: at most 1.0 ulp; overflows to infinity, underflows through the denormals to 0.
template <class T, int N>
INLAY_INLINE Vec<T, N> exp(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>) {
        x = detail::pick(x.v > 89.f, Vec<T, N>(89.f), detail::pick(x.v < -104.5f, Vec<T, N>(-104.5f), x));
        const detail::Power<N> p(x * 1.44269504f);
        const Vec<T, N> r = (x - p.k * 0.693359375f) - p.k * -2.12194440e-4f;  // ln 2 in two parts: the first is exact
        return detail::exp_small(r) * p.up * p.down;
    } else return detail::by_lane(x, [](T e) { return std::exp(e); });
}

template <class T, int N>
INLAY_INLINE Vec<T, N> quick_exp(Vec<T, N> x) {
    return exp(x);
}

/// float: at most 1.0 ulp; whole powers are exact.
template <class T, int N>
INLAY_INLINE Vec<T, N> exp2(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>) {
        x = detail::pick(x.v > 129.f, Vec<T, N>(129.f), detail::pick(x.v < -151.f, Vec<T, N>(-151.f), x));
        const detail::Power<N> p(x);
        return detail::exp_small((x - p.k) * 0.693147181f) * p.up * p.down;
    } else return detail::by_lane(x, [](T e) { return std::exp2(e); });
}

/// float: at most 1.0 ulp; 0 gives -infinity, less gives NaN; denormals are taken as they are.
template <class T, int N>
INLAY_INLINE Vec<T, N> log(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>) {
        using I = Vec<std::int32_t, N>;
        const Vec<T, N> zero = 0.f, infinity = __builtin_inff();
        const auto denormal = x.v < 1.17549435e-38f;
        const I b = detail::bits(detail::pick(denormal, x * 8388608.f, x));
        // x = 2^e (1 + f) with 1 + f in [√½, √2): the offset is the bits of √½.
        const auto shifted = (b.v & 0x7fffffff) - 0x3f3504f3;
        const I e = I::from((shifted >> 23) - (denormal & 23));
        const Vec<T, N> f = detail::as_float(I::from((shifted & 0x7fffff) + 0x3f3504f3)) - 1.f;
        const Vec<T, N> s = f * f;
        const Vec<T, N> p = detail::polynomial(f, 3.333331197e-01f, -2.500000871e-01f, 2.000216706e-01f,
                                               -1.666809035e-01f, 1.421855441e-01f, -1.240308383e-01f,
                                               1.189351251e-01f, -1.169433488e-01f, 6.757570058e-02f);
        const Vec<T, N> k = convert<float>(e);
        // The small parts first, so that only the last sum rounds at the size of the result.
        const Vec<T, N> r = (p * f * s + k * -2.12194440e-4f - s * 0.5f + f) + k * 0.693359375f;
        const Vec<T, N> edge = detail::pick(x.v == zero.v, -infinity, detail::pick(x.v < zero.v, zero / zero, x));
        return detail::pick((x.v > zero.v) & (x.v < infinity.v), r, edge);
    } else return detail::by_lane(x, [](T e) { return std::log(e); });
}

/// float: at most 1.5 ulp; keeps the sign of zero.
template <class T, int N>
INLAY_INLINE Vec<T, N> tanh(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>) {
        const Vec<T, N> a = abs(x), s = x * x;
        const Vec<T, N> little = x + x * s * detail::polynomial(s, -3.333328194e-01f, 1.333144220e-01f,
                                                               -5.373971517e-02f, 2.063908750e-02f, -5.704987270e-03f);
        const Vec<T, N> large = 1.f - 2.f / (exp(a + a) + 1.f);  // exactly 1 from 9.02 on
        return detail::copysign(detail::pick(a.v < 0.625f, little, large), x);
    } else return detail::by_lane(x, [](T e) { return std::tanh(e); });
}

/// float: at most 1.5 ulp; keeps the sign of zero.
template <class T, int N>
INLAY_INLINE Vec<T, N> erf(Vec<T, N> x) {
    if constexpr (std::is_same_v<T, float>) {
        const Vec<T, N> s = x * x;
        const Vec<T, N> little =
            x + x * detail::polynomial(s, 1.283791666e-01f, -3.761263319e-01f, 1.128368720e-01f, -2.685894182e-02f,
                                       5.199907252e-03f, -8.130017995e-04f, 8.316793971e-05f);
        // -log(1 - erf a) by a polynomial on [0.92, 4]; erf 4 rounds to 1.
        const Vec<T, N> full = abs(x), a = detail::pick(full.v > 4.f, Vec<T, N>(4.f), full);
        const Vec<T, N> tail =
            a + a * detail::polynomial(a, 1.286484899e-01f, 6.351513181e-01f, 1.062368746e-01f, -2.376206012e-02f,
                                       3.642457599e-03f, -3.228034796e-04f, 1.123126583e-05f);
        return detail::pick(full.v < 0.93f, little, detail::copysign(1.f - exp(-tail), x));
    } else return detail::by_lane(x, [](T e) { return std::erf(e); });
}

namespace detail {
/// Joins the lanes two by two: lane i with lane i + N/2, and so on to the last.
template <class T, int N, class F>
INLAY_INLINE T fold_lanes(Vec<T, N> x, F f) {
    if constexpr (sizeof x.v > 16) {
        T s[room_for<N>];
        x.store(s);
        return fold_lanes(f(Vec<T, N / 2>::load(s), Vec<T, N / 2>::load(s + N / 2)), f);
    } else if constexpr (N == 4) {
        return f(f(Vec<T, 4>(x[0]), Vec<T, 4>(x[2])), f(Vec<T, 4>(x[1]), Vec<T, 4>(x[3])))[0];
    } else {
        return f(Vec<T, 2>(x[0]), Vec<T, 2>(x[1]))[0];
    }
}
struct Plus {
    template <class V>
    INLAY_INLINE V operator()(V a, V b) const {
        return a + b;
    }
};
struct Greater {
    template <class V>
    INLAY_INLINE V operator()(V a, V b) const {
        return (max)(a, b);
    }
};
}  // namespace detail

/// The sum of the lanes, as a tree.
template <class T, int N>
INLAY_INLINE T lane_sum(Vec<T, N> x) {
    return detail::fold_lanes(x, detail::Plus{});
}
/// The greatest lane; NaN when any is.
template <class T, int N>
INLAY_INLINE T lane_max(Vec<T, N> x) {
    return detail::fold_lanes(x, detail::Greater{});
}

}  // namespace inlay::inline INLAY_ABI::math

INLAY_ORDERED_END

#endif
