// SPDX-License-Identifier: Apache-2.0
/// Matrix atoms of gfx90a and gfx942, waves of 64, by `v_mfma` with sums in fp32. `map.hpp` has the places of elements.
/// Of fp32 the products are exact and sums are rounded as by FMA, so they need no sums of their own.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/device.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/hip/isa/matrix.hpp>
#include <inlay/tile/hip/mfma/map.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// A chunk of 16 bytes along k, and the sums of a lane.
struct MfmaOperand {
    std::uint32_t r[4];
};
template <int Count>
struct MfmaSums {
    float r[Count] = {};
};

template <class Map>
struct MfmaBase : Map {
    static constexpr int shared_bytes = gfx90a_target.shared_bytes;
    static constexpr int steps_per_sum = 1 << 20, b_pair = 1;
    using A = MfmaOperand;
    using B = MfmaOperand;
    using C = MfmaSums<Map::c_count>;

    /// The lane's chunk, of rows that are swizzled or padded.
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) { load(a, at); }
    __device__ INLAY_INLINE static void load_b(B& b, std::uint32_t at) { load(b, at); }
    template <class Op>
    __device__ INLAY_INLINE static float reduce_row(float x, Op op) {
        INLAY_UNROLL
        for (int by = Map::m; by < Map::lanes; by *= 2) x = op(x, shuffle_xor(x, by));
        return x;
    }

private:
    __device__ INLAY_INLINE static void load(MfmaOperand& to, std::uint32_t at) {
        const uint4 x = load_shared_chunk(at);
        to.r[0] = x.x, to.r[1] = x.y, to.r[2] = x.z, to.r[3] = x.w;
    }
};

}  // namespace detail

/// C[16, 16] += A[16, 32] · B[32, 16] of fp16 or bf16.
template <class T>
struct MfmaAtom : detail::MfmaBase<Mfma16Map> {
    using value_type = T;
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) {
        INLAY_UNROLL
        for (int i = 0; i < instructions; ++i)
            mfma_16x16x16<T>(c.r, {b.r[2 * i], b.r[2 * i + 1]}, {a.r[2 * i], a.r[2 * i + 1]});
    }
    /// Two elements as a register: `first` is the one with the lower k.
    __device__ static std::uint32_t pack(float first, float second) { return rounded_pair<T>(first, second); }
};

/// C[16, 16] += A[16, 16] · B[16, 16] of fp32.
template <>
struct MfmaAtom<float> : detail::MfmaBase<MfmaFp32Map> {
    using value_type = float;
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) {
        INLAY_UNROLL
        for (int i = 0; i < instructions; ++i) mfma_16x16x4(c.r, float_of_bits(b.r[i]), float_of_bits(a.r[i]));
    }
};

/// C[32, 32] += A[32, 16] · B[16, 32] of fp16 or bf16: half the reads of shared memory for a product.
template <class T>
struct MfmaWideAtom : detail::MfmaBase<Mfma32Map> {
    using value_type = T;
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) {
        INLAY_UNROLL
        for (int i = 0; i < instructions; ++i)
            mfma_32x32x8<T>(c.r, {b.r[2 * i], b.r[2 * i + 1]}, {a.r[2 * i], a.r[2 * i + 1]});
    }
    __device__ static std::uint32_t pack(float first, float second) { return rounded_pair<T>(first, second); }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
