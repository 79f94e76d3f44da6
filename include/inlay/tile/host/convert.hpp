// SPDX-License-Identifier: Apache-2.0
/// Storage types to and from vectors of floats. The results are those of the scalar conversions of `core/half.hpp`, bit
/// for bit, whichever instructions do the work; only a signalling fp16 NaN may arrive quiet.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>

#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace inlay::inline INLAY_ABI::on_host {

namespace detail {

using ivec = Vec<std::int32_t, host_lanes>;

template <int N>
struct words;
template <> struct words<4> { typedef std::uint16_t type __attribute__((vector_size(8))); };
template <> struct words<8> { typedef std::uint16_t type __attribute__((vector_size(16))); };
template <> struct words<16> { typedef std::uint16_t type __attribute__((vector_size(32))); };
using words_type = words<host_lanes>::type;

INLAY_INLINE ivec load_packed(const void* p) {
    words_type w;
    __builtin_memcpy(&w, p, sizeof(w));
    return ivec::from(__builtin_convertvector(w, ivec::native_type));
}
INLAY_INLINE void store_packed(void* p, ivec x) {
    const words_type w = __builtin_convertvector(x.v, words_type);
    __builtin_memcpy(p, &w, sizeof(w));
}
INLAY_INLINE ivec pick(ivec::native_type m, ivec::native_type a, ivec::native_type b) {
    return ivec::from(math::detail::blend(m, a, b));
}

INLAY_INLINE fvec load_half(const fp16* p) {
#if defined(__AVX512F__)
    fvec r;
    // The form with a mask: g++ 12 warns of an uninitialised value inside its own header for the plain one.
    r.v = _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p)));
    return r;
#elif defined(__F16C__)
    fvec r;
    r.v = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p)));
    return r;
#else
    const ivec h = load_packed(p);
    const auto magnitude = (h.v & 0x7fff) << 13;
    const fvec scaled = math::detail::as_float(ivec::from(magnitude)) * 0x1p112f;  // denormals come out exact
    const ivec f = pick(magnitude >= 0x0f800000, magnitude | 0x7f800000, math::detail::bits(scaled).v);
    return math::detail::as_float(ivec::from(f.v | ((h.v & 0x8000) << 16)));
#endif
}

INLAY_INLINE void store_half(fp16* p, fvec x) {
    const ivec b = math::detail::bits(x);
    const auto sign = b.v & ~0x7fffffff;
#if defined(__AVX512F__) || defined(__F16C__)
    // The instruction would keep a NaN's payload; core/half.hpp has one NaN of each sign.
    const fvec y = math::detail::as_float(pick(x.v != x.v, sign | 0x7fc00000, b.v));
#if defined(__AVX512F__)
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(p),
                        _mm512_maskz_cvtps_ph(0xffff, y.v, _MM_FROUND_TO_NEAREST_INT));
#else
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(p), _mm256_cvtps_ph(y.v, _MM_FROUND_TO_NEAREST_INT));
#endif
#else
    const auto a = b.v & 0x7fffffff;
    // Each path takes only numbers of its own range, so that no sum overflows.
    const ivec::native_type in = pick((a >= 0x38800000) & (a < 0x477ff000), a, ivec(0x38800000).v).v;
    const auto normal = (in - 0x38000000 + 0x0fff + ((in >> 13) & 1)) >> 13;
    // Adding ½ leaves the subnormal half, rounded to nearest even, in the low bits.
    const fvec half_ = 0.5f;
    const ivec tiny = pick(a < 0x38800000, a, ivec(0).v);
    const auto subnormal =
        math::detail::bits(math::detail::as_float(tiny) + half_).v - math::detail::bits(half_).v;
    ivec h = pick(a < 0x38800000, subnormal, normal);
    h = pick(a >= 0x477ff000, ivec(0x7c00).v, h.v);
    h = pick(a > 0x7f800000, ivec(0x7e00).v, h.v);
    store_packed(p, ivec::from(h.v | ((sign >> 16) & 0x8000)));
#endif
}

INLAY_INLINE void store_bf16(bf16* p, fvec x) {
#if defined(__AVX512BF16__) && defined(__AVX512DQ__)
    constexpr int denormal = 0x20;  // a class that the instruction takes for 0
    if (__builtin_expect(_mm512_fpclass_ps_mask(x.v, denormal) == 0, 1)) {
        const auto y = _mm512_cvtneps_pbh(x.v);
        __builtin_memcpy(p, &y, sizeof(y));
        return;
    }
#endif
    const ivec b = math::detail::bits(x);
    const auto top = (b.v >> 16) & 0xffff;
    // The carry of the rounding, found on the low half alone so that no sum overflows.
    const auto up = ((b.v & 0xffff) + 0x7fff + (top & 1)) >> 16;
    store_packed(p, pick(x.v != x.v, top | 0x40, top + up));
}

}  // namespace detail

/// `host_lanes` elements as floats. Any address that a T may have.
template <Storage T>
INLAY_INLINE fvec load(const T* p) {
    if constexpr (std::same_as<T, float>) return fvec::load(p);
    else if constexpr (std::same_as<T, fp16>) return detail::load_half(p);
    else if constexpr (std::same_as<T, bf16>) {
        const detail::ivec w = detail::load_packed(p);
        return math::detail::as_float(detail::ivec::from(w.v << 16));
    } else if constexpr (std::same_as<T, std::int32_t>) return math::convert<float>(detail::ivec::load(p));
    else {
        fvec r;
        for (int i = 0; i < host_lanes; ++i) r.set(i, from_storage<float>(p[i]));
        return r;
    }
}

/// Stores `host_lanes` elements, rounding to nearest even; int32 truncates.
template <Storage T>
INLAY_INLINE void store(T* p, fvec x) {
    if constexpr (std::same_as<T, float>) x.store(p);
    else if constexpr (std::same_as<T, fp16>) detail::store_half(p, x);
    else if constexpr (std::same_as<T, bf16>) detail::store_bf16(p, x);
    else if constexpr (std::same_as<T, std::int32_t>) math::convert<std::int32_t>(x).store(p);
    else
        for (int i = 0; i < host_lanes; ++i) p[i] = to_storage<T>(x[i]);
}

/// The first n < `host_lanes` elements; the other lanes are 0.
template <Storage T>
INLAY_INLINE fvec load_n(const T* p, index_t n) {
    T buffer[host_lanes] = {};
    for (index_t i = 0; i < n; ++i) buffer[i] = p[i];
    return load<T>(buffer);
}
/// Stores the first n < `host_lanes` lanes.
template <Storage T>
INLAY_INLINE void store_n(T* p, fvec x, index_t n) {
    T buffer[host_lanes];
    store<T>(buffer, x);
    for (index_t i = 0; i < n; ++i) p[i] = buffer[i];
}

/// n elements as floats.
template <Storage T>
inline void load_row(const T* from, float* to, index_t n) {
    index_t i = 0;
    for (; i + host_lanes <= n; i += host_lanes) load<T>(from + i).store(to + i);
    if (i < n) store_n<float>(to + i, load_n<T>(from + i, n - i), n - i);
}
/// n floats as stored elements.
template <Storage T>
inline void store_row(const float* from, T* to, index_t n) {
    index_t i = 0;
    for (; i + host_lanes <= n; i += host_lanes) store<T>(to + i, fvec::load(from + i));
    if (i < n) store_n<T>(to + i, load_n<float>(from + i, n - i), n - i);
}

}  // namespace inlay::inline INLAY_ABI::on_host
