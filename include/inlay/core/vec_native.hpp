// SPDX-License-Identifier: Apache-2.0
/// Short vectors by the compiler's vector extensions: N lanes of float, double or int32 in one register (or a few).
/// The functions are in `core/vec_math.hpp`, which this file includes.
#pragma once

#include <inlay/core/config.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

// `core/vec.hpp` includes this kind or the other, which has the same names.
#if INLAY_NATIVE_VECTORS

INLAY_ORDERED_BEGIN

namespace inlay::inline INLAY_ABI::math {

namespace detail {
template <class T, int N>
struct native {
    typedef T type __attribute__((vector_size(sizeof(T) * N)));
};

/// The integer of T's size, in which a comparison of vectors gives all ones or all zeros.
template <class T>
using mask_of = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// `m ? a : b` lane by lane.
template <class M, class V>
INLAY_INLINE V blend(M m, V a, V b) {
    return m ? a : b;
}
}  // namespace detail

/// N lanes of T, float, double or int32: a power of two from 2 on.
template <class T, int N>
struct Vec {
    static_assert(N >= 2 && (N & (N - 1)) == 0);
    using value_type = T;
    using native_type = typename detail::native<T, N>::type;
    using mask_type = typename detail::native<detail::mask_of<T>, N>::type;
    static constexpr int lanes = N;

    native_type v;

    Vec() = default;
    /// The same value in every lane. Implicit, so that scalars mix with vectors.
    INLAY_INLINE Vec(T x) : v(fill(x, std::make_integer_sequence<int, N>{})) {}
    /// Of a literal such as T(0.7).
    template <std::same_as<double> X>
    INLAY_INLINE explicit Vec(X x) : Vec(static_cast<T>(x)) {}
    INLAY_INLINE static Vec from(native_type x) {
        Vec r;
        r.v = x;
        return r;
    }
    /// Any address that a T may have; no vector alignment is needed.
    INLAY_INLINE static Vec load(const T* p) {
        Vec r;
        __builtin_memcpy(&r.v, p, sizeof(r.v));
        return r;
    }
    INLAY_INLINE void store(T* p) const { __builtin_memcpy(p, &v, sizeof(v)); }

    INLAY_INLINE T operator[](int i) const { return v[i]; }
    INLAY_INLINE void set(int i, T x) { v[i] = x; }

    friend INLAY_INLINE Vec operator+(Vec a, Vec b) { return from(a.v + b.v); }
    friend INLAY_INLINE Vec operator-(Vec a, Vec b) { return from(a.v - b.v); }
    friend INLAY_INLINE Vec operator*(Vec a, Vec b) { return from(a.v * b.v); }
    friend INLAY_INLINE Vec operator/(Vec a, Vec b) { return from(a.v / b.v); }
    INLAY_INLINE Vec operator-() const { return from(-v); }
    INLAY_INLINE Vec operator+() const { return *this; }
    INLAY_INLINE Vec& operator+=(Vec b) { return v += b.v, *this; }
    INLAY_INLINE Vec& operator-=(Vec b) { return v -= b.v, *this; }
    INLAY_INLINE Vec& operator*=(Vec b) { return v *= b.v, *this; }
    INLAY_INLINE Vec& operator/=(Vec b) { return v /= b.v, *this; }

private:
    template <int... I>
    INLAY_INLINE static native_type fill(T x, std::integer_sequence<int, I...>) {
        return native_type{((void)I, x)...};
    }
};

/// The lanes as U: float to integer truncates.
template <class U, class T, int N>
INLAY_INLINE Vec<U, N> convert(Vec<T, N> x) {
    return Vec<U, N>::from(__builtin_convertvector(x.v, typename Vec<U, N>::native_type));
}

}  // namespace inlay::inline INLAY_ABI::math

INLAY_ORDERED_END

#include <inlay/core/vec_math.hpp>

#endif
