// SPDX-License-Identifier: Apache-2.0
/// The matrix atom of attention on gfx90a and gfx942: the least depth, as C of one product is A of the next.
#pragma once

#include <inlay/tile/hip/mfma/atom.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// One instruction over 16 elements of k, of which a lane has four neighbours: half of `MfmaAtom` in 16 bits, and the
/// same in fp32. Blocks of 16 keys are then possible, of which long heads have no more in 64 KB of shared memory.
template <class T>
struct MfmaHeadAtom : detail::MfmaBase<Mfma16Map> {
    using value_type = T;
    static constexpr int bytes = 4 * sizeof(T);     ///< of a lane's elements
    static constexpr int k = 16, chunks = k * static_cast<int>(sizeof(T)) / 16;
    struct A {
        std::uint32_t r[bytes / 4];
    };
    using B = A;

    /// The lane's elements.
    __device__ INLAY_INLINE static void load(A& a, std::uint32_t at) {
        if constexpr (bytes == 16) {
            const uint4 x = load_shared_chunk(at);
            a = {{x.x, x.y, x.z, x.w}};
        } else {
            const uint2 x = load_shared_half_chunk(at);
            a = {{x.x, x.y}};
        }
    }
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) {
        if constexpr (std::is_same_v<T, float>) {
            INLAY_UNROLL
            for (int i = 0; i < 4; ++i) mfma_16x16x4(c.r, float_of_bits(b.r[i]), float_of_bits(a.r[i]));
        } else {
            mfma_16x16x16<T>(c.r, b.r, a.r);
        }
    }
    /// Four neighbours of a row of C as a lane's elements.
    __device__ INLAY_INLINE static A packed(const float* c) {
        if constexpr (std::is_same_v<T, float>)
            return {{float_bits(c[0]), float_bits(c[1]), float_bits(c[2]), float_bits(c[3])}};
        else
            return {{rounded_pair<T>(c[0], c[1]), rounded_pair<T>(c[2], c[3])}};
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
