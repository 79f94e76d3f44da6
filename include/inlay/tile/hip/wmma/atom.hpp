// SPDX-License-Identifier: Apache-2.0
/// Matrix atoms of gfx1100, waves of 32, with sums in fp32: `v_wmma` for fp16 and bf16. It has no such instruction for
/// fp32, whose atom is made of FMAs that take B from another lane. `map.hpp` has the places of elements.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/device.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/hip/isa/matrix.hpp>
#include <inlay/tile/hip/wmma/map.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// Two chunks of 16 bytes along k.
struct WmmaOperand {
    std::uint32_t r[8];
};
struct WmmaSums {
    float r[8] = {};
};

template <class Map>
struct WmmaBase : Map {
    static constexpr int shared_bytes = gfx1100_target.shared_bytes;
    static constexpr int steps_per_sum = 1 << 20, b_pair = 1;
    using A = WmmaOperand;
    using B = WmmaOperand;
    using C = WmmaSums;

    /// The lane's chunks, of swizzled rows: the second one's address differs in a bit.
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) { load(a, at, at ^ 16u); }
    __device__ INLAY_INLINE static void load_b(B& b, std::uint32_t at) { load(b, at, at ^ 16u); }
    /// The same from two addresses.
    __device__ INLAY_INLINE static void load(WmmaOperand& to, std::uint32_t first, std::uint32_t second) {
        const uint4 x = load_shared_chunk(first), y = load_shared_chunk(second);
        to.r[0] = x.x, to.r[1] = x.y, to.r[2] = x.z, to.r[3] = x.w;
        to.r[4] = y.x, to.r[5] = y.y, to.r[6] = y.z, to.r[7] = y.w;
    }
    template <class Op>
    __device__ INLAY_INLINE static float reduce_row(float x, Op op) {
        return op(x, shuffle_xor(x, 16));
    }
};

}  // namespace detail

/// C[16, 16] += A[16, 16] · B[16, 16] of fp16 or bf16.
template <class T>
struct WmmaAtom : detail::WmmaBase<Wmma16Map> {
    using value_type = T;
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) { wmma_16x16x16<T>(c.r, b.r, a.r); }
    /// Two elements as a register: `first` is the one with the lower k.
    __device__ static std::uint32_t pack(float first, float second) { return rounded_pair<T>(first, second); }
};

/// C[16, 16] += A[16, 8] · B[8, 16] of fp32.
template <>
struct WmmaAtom<float> : detail::WmmaBase<WmmaFp32Map> {
    using value_type = float;
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) {
        INLAY_UNROLL
        for (int i = 0; i < k; ++i) {
            const float x = float_of_bits(a.r[i]), y = float_of_bits(b.r[i]);
            fma_row_share<0>(c.r[0], x, y);
            fma_row_share<1>(c.r[1], x, y);
            fma_row_share<2>(c.r[2], x, y);
            fma_row_share<3>(c.r[3], x, y);
            fma_row_share<4>(c.r[4], x, y);
            fma_row_share<5>(c.r[5], x, y);
            fma_row_share<6>(c.r[6], x, y);
            fma_row_share<7>(c.r[7], x, y);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
