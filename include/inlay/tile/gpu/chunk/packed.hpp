// SPDX-License-Identifier: Apache-2.0
/// A packed chunk of 16 bytes in registers to floats, and back. The caller loads and stores it, from global or shared
/// memory.
#pragma once

#include <inlay/plan/access/chunks.hpp>
#include <inlay/tile/gpu/chunk/vector.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class T>
__device__ INLAY_INLINE Vec<float, chunk_of<T>> chunk_floats(const uint4& q) {
    const std::uint32_t r[] = {q.x, q.y, q.z, q.w};
    Vec<float, chunk_of<T>> v;
    INLAY_UNROLL
    for (int i = 0; i < 4; ++i) {
        if constexpr (sizeof(T) == 4) v.v[i] = float_of_bits(r[i]);
        else {
            v.v[2 * i] = to_float(T::from_bits(static_cast<std::uint16_t>(r[i])));
            v.v[2 * i + 1] = to_float(T::from_bits(static_cast<std::uint16_t>(r[i] >> 16)));
        }
    }
    return v;
}
template <class T>
__device__ INLAY_INLINE uint4 packed_chunk(const Vec<float, chunk_of<T>>& v) {
    std::uint32_t r[4];
    INLAY_UNROLL
    for (int i = 0; i < 4; ++i) {
        if constexpr (sizeof(T) == 4) r[i] = float_bits(v.v[i]);
        else r[i] = rounded_pair<T>(v.v[2 * i], v.v[2 * i + 1]);
    }
    return make_uint4(r[0], r[1], r[2], r[3]);
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
