// SPDX-License-Identifier: Apache-2.0
/// Consecutive stored elements to and from short vectors of floats: loads and stores of up to 16 bytes, and the
/// hardware's conversions. A float becomes an fp16, bf16 or fp8 by rounding to nearest even, an int32 by truncation.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/vec.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstdint>

namespace inlay::inline INLAY_ABI::on_gpu {

__device__ INLAY_INLINE bool is_aligned(const void* p, int bytes) {
    return (reinterpret_cast<std::uintptr_t>(p) & static_cast<std::uintptr_t>(bytes - 1)) == 0;
}

/// The address a vector of N elements of T must be a multiple of.
template <class T, int N>
inline constexpr int vector_alignment = N * sizeof(T) < 16 ? N * sizeof(T) : 16;

template <Storage T>
__device__ INLAY_INLINE float to_float(T x) {
    if constexpr (std::same_as<T, fp16>) return half_to_float(x.bits);
    else if constexpr (std::same_as<T, bf16>) return float_of_bits(static_cast<std::uint32_t>(x.bits) << 16);
    else if constexpr (std::same_as<T, fp8>) return half_to_float(static_cast<std::uint16_t>(halves_of_fp8(x.bits)));
    else return static_cast<float>(x);
}
template <Storage T>
__device__ INLAY_INLINE T from_float(float f) {
    if constexpr (std::same_as<T, fp16> || std::same_as<T, bf16>) return T::from_bits(rounded_bits<T>(f));
    else if constexpr (std::same_as<T, fp8>)
        return fp8::from_bits(static_cast<std::uint8_t>(rounded_fp8_pair(f, 0.0f)));
    else return static_cast<T>(f);
}

namespace detail {

/// 32-bit words that hold 4-byte elements, pairs of 2-byte ones or four bytes, the first at the low end.
template <class T, int N>
inline constexpr int words_of = N * static_cast<int>(sizeof(T)) / 4;

/// True if N elements of T are no whole words, or wider ones, and are loaded and stored one by one.
template <class T, int N>
inline constexpr bool one_by_one = sizeof(T) == 8 || N * sizeof(T) % 4 != 0;

template <int W>
__device__ INLAY_INLINE void load_packed(const void* p, std::uint32_t (&r)[W]) {
    if constexpr (W % 4 == 0) {
        INLAY_UNROLL
        for (int i = 0; i < W / 4; ++i) {
            const uint4 q = static_cast<const uint4*>(p)[i];
            r[4 * i] = q.x, r[4 * i + 1] = q.y, r[4 * i + 2] = q.z, r[4 * i + 3] = q.w;
        }
    } else if constexpr (W == 2) {
        const uint2 q = *static_cast<const uint2*>(p);
        r[0] = q.x, r[1] = q.y;
    } else {
        INLAY_UNROLL
        for (int i = 0; i < W; ++i) r[i] = static_cast<const std::uint32_t*>(p)[i];
    }
}
/// The values of two fp8s, the lower bytes of a word.
__device__ INLAY_INLINE void unpack_fp8(std::uint32_t pair, float& low, float& high) {
    const std::uint32_t halves = halves_of_fp8(pair);
    low = half_to_float(static_cast<std::uint16_t>(halves));
    high = half_to_float(static_cast<std::uint16_t>(halves >> 16));
}
template <int W>
__device__ INLAY_INLINE void store_packed(void* p, const std::uint32_t (&r)[W]) {
    if constexpr (W % 4 == 0) {
        INLAY_UNROLL
        for (int i = 0; i < W / 4; ++i)
            store_global(static_cast<uint4*>(p) + i, r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]);
    } else if constexpr (W == 2) {
        store_global(p, r[0], r[1]);
    } else {
        INLAY_UNROLL
        for (int i = 0; i < W; ++i) static_cast<std::uint32_t*>(p)[i] = r[i];
    }
}

}  // namespace detail

/// N consecutive elements, at an address that is a multiple of `vector_alignment<T, N>`.
template <int N, Storage T>
__device__ INLAY_INLINE Vec<float, N> load_vector(const T* p) {
    Vec<float, N> v;
    if constexpr (detail::one_by_one<T, N>) {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v.v[i] = to_float(p[i]);
    } else {
        std::uint32_t r[detail::words_of<T, N>];
        detail::load_packed(p, r);
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) {
            if constexpr (std::same_as<T, fp8>) {
                if (i % 2 == 0) detail::unpack_fp8(i % 4 == 0 ? r[i / 4] : r[i / 4] >> 16, v.v[i], v.v[i + 1]);
            } else if constexpr (std::same_as<T, float>) v.v[i] = float_of_bits(r[i]);
            else if constexpr (std::same_as<T, std::int32_t>) v.v[i] = to_float(static_cast<std::int32_t>(r[i]));
            else if constexpr (std::same_as<T, bf16>)
                v.v[i] = float_of_bits(i % 2 ? r[i / 2] & 0xffff0000u : r[i / 2] << 16);
            else v.v[i] = to_float(fp16::from_bits(static_cast<std::uint16_t>(i % 2 ? r[i / 2] >> 16 : r[i / 2])));
        }
    }
    return v;
}

/// N elements as they are stored, in words.
template <Storage T, int N>
__device__ INLAY_INLINE void stored_chunks(const Vec<float, N>& v, std::uint32_t (&r)[detail::words_of<T, N>]) {
    INLAY_UNROLL
    for (int i = 0; i < detail::words_of<T, N>; ++i) {
        if constexpr (std::same_as<T, float>) r[i] = float_bits(v.v[i]);
        else if constexpr (std::same_as<T, std::int32_t>) r[i] = static_cast<std::uint32_t>(from_float<T>(v.v[i]));
        else if constexpr (std::same_as<T, fp8>)
            r[i] = rounded_fp8_pair(v.v[4 * i], v.v[4 * i + 1]) | rounded_fp8_pair(v.v[4 * i + 2], v.v[4 * i + 3]) << 16;
        else r[i] = rounded_pair<T>(v.v[2 * i], v.v[2 * i + 1]);
    }
}
/// Stores 4 or 8 consecutive elements of up to 4 bytes if `there`, without a branch.
template <int N, Storage T>
__device__ INLAY_INLINE void store_vector_if(bool there, T* p, const Vec<float, N>& v) {
    constexpr int words = detail::words_of<T, N>;
    std::uint32_t r[words];
    stored_chunks<T>(v, r);
    if constexpr (words == 1) {
        if (there) *reinterpret_cast<std::uint32_t*>(p) = r[0];
    } else if constexpr (words == 2) {
        store_global(there, p, r[0], r[1]);
    } else {
        INLAY_UNROLL
        for (int i = 0; i < words; i += 4)
            store_global(there, reinterpret_cast<uint4*>(p) + i / 4, r[i], r[i + 1], r[i + 2], r[i + 3]);
    }
}
/// Stores N consecutive elements to global memory, at an address that is a multiple of `vector_alignment<T, N>`.
template <int N, Storage T>
__device__ INLAY_INLINE void store_vector(T* p, const Vec<float, N>& v) {
    if constexpr (detail::one_by_one<T, N>) {
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) p[i] = from_float<T>(v.v[i]);
    } else {
        std::uint32_t r[detail::words_of<T, N>];
        stored_chunks<T>(v, r);
        detail::store_packed(p, r);
    }
}

/// Lanes [first, first + run) of N elements, of which p is that at lane `first`; 0 in the other lanes.
template <int N, Storage T>
__device__ INLAY_INLINE Vec<float, N> load_lanes(const T* p, index_t step, int first, int run) {
    if (step == 1 && run == N && is_aligned(p, vector_alignment<T, N>)) return load_vector<N>(p);
    if (step == 0) return Vec<float, N>(to_float(*p));
    Vec<float, N> v;
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) {
        const int k = i - first;
        v.v[i] = k >= 0 && k < run ? to_float(p[k * step]) : 0.0f;
    }
    return v;
}

/// Lanes [first, first + run) to elements of which p is that of lane `first`.
template <int N, Storage T>
__device__ INLAY_INLINE void store_lanes(T* p, index_t step, int first, int run, const Vec<float, N>& v) {
    if (step == 1 && run == N && is_aligned(p, vector_alignment<T, N>)) return store_vector<N>(p, v);
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) {
        const int k = i - first;
        if (k >= 0 && k < run) p[k * step] = from_float<T>(v.v[i]);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
