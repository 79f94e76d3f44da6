// SPDX-License-Identifier: Apache-2.0
/// Matrix atoms of the portable engine: one warp's C[16, 8] += A[16, k] · B[k, 8] by `mma.sync`, sm_80 and newer,
/// always accumulated in fp32. An atom publishes the layout of its registers, so that prologues and epilogues are
/// written once.
///
/// fp16, bf16: m16n8k16. fp32: 3xTF32 over m16n8k8, a = big + rest: rest·big + big·rest + big·big keeps 21 bits of
/// each product. The tensor cores add with truncation, so long sums of fp32 are split: after `steps_per_sum` steps into
/// a C that began at 0, add it to the running sum with ordinary additions.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/plan/device.hpp>
#include <inlay/tile/cuda/isa/convert.hpp>
#include <inlay/tile/cuda/isa/matrix.hpp>
#include <inlay/tile/gpu/gemm/place.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

template <class T>
struct Atom;

namespace detail {

struct FragmentA {
    std::uint32_t r[4];
};
struct FragmentB {
    std::uint32_t r[2];
};
struct FragmentC {
    float r[4] = {};
};

/// All atoms: places of C, and of the rows of 16 bytes that `ldmatrix` reads. It reads 32 bits as it reads pairs of 16.
struct Atom8 {
    static constexpr int shared_bytes = sm80_target.shared_bytes;
    static constexpr int lanes = 32, m = 16, n = 8, chunks = 2;
    static constexpr int c_count = 4, c_rows = 2, c_columns = 2, c_run = 2;
    static constexpr int b_pair = 2;
    using A = FragmentA;
    using B = FragmentB;
    using C = FragmentC;
    INLAY_FN static constexpr Place place_c(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }
    INLAY_FN static constexpr int a_row(int lane) { return lane % 16; }
    INLAY_FN static constexpr int a_chunk(int lane) { return lane / 16; }
    /// Of two atoms along n. The lanes of the first name all rows of one that is loaded alone.
    INLAY_FN static constexpr int b_row(int lane) { return lane / 16 * 8 + lane % 8; }
    INLAY_FN static constexpr int b_chunk(int lane) { return lane / 8 % 2; }
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) { load_matrices(a.r, at); }
    __device__ INLAY_INLINE static void load_b(B& b, std::uint32_t at) { load_matrices(b.r, at); }
    __device__ INLAY_INLINE static void load_b(B& first, B& second, std::uint32_t at) {
        std::uint32_t r[4];
        load_matrices(r, at);
        first = {{r[0], r[1]}};
        second = {{r[2], r[3]}};
    }
    template <class Op>
    __device__ INLAY_INLINE static float reduce_row(float x, Op op) {
        x = op(x, shuffle_xor(x, 1));
        return op(x, shuffle_xor(x, 2));
    }
};

/// The 16-bit atoms: a register of A or B holds two elements, the named one and the next along k.
struct Atom16 : Atom8 {
    static constexpr int k = 16;
    static constexpr int per_register = 2;       ///< elements of a register of A or B, consecutive along k
    static constexpr int steps_per_sum = 1 << 20;
    INLAY_FN static constexpr Place place_a(int lane, int i) {
        return {lane / 4 + i % 2 * 8, lane % 4 * 2 + i / 2 * 8};
    }
    INLAY_FN static constexpr Place place_b(int lane, int i) { return {lane % 4 * 2 + i * 8, lane / 4}; }
};

}  // namespace detail

template <>
struct Atom<fp16> : detail::Atom16 {
    using value_type = fp16;
    __device__ static void mma(C& c, const A& a, const B& b) {
        mma_m16n8k16<fp16>(c.r, a.r, b.r);
    }
    /// Two elements as a register: `first` is the one with the lower k.
    __device__ static std::uint32_t pack(float first, float second) {
        return rounded_pair<fp16>(first, second);
    }
};

template <>
struct Atom<bf16> : detail::Atom16 {
    using value_type = bf16;
    __device__ static void mma(C& c, const A& a, const B& b) {
        mma_m16n8k16<bf16>(c.r, a.r, b.r);
    }
    __device__ static std::uint32_t pack(float first, float second) {
        return rounded_pair<bf16>(first, second);
    }
};

/// Registers hold fp32 values as they are stored; the split into two TF32 numbers happens here.
template <>
struct Atom<float> : detail::Atom8 {
    using value_type = float;
    static constexpr int k = 8;
    static constexpr int per_register = 1;
    static constexpr int steps_per_sum = 4;
    INLAY_FN static constexpr Place place_a(int lane, int i) { return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4}; }
    INLAY_FN static constexpr Place place_b(int lane, int i) { return {lane % 4 + i * 4, lane / 4}; }

    /// The two parts of a fragment, made once for all the atoms it serves.
    template <class F>
    struct Split {
        F big, rest;
    };
    template <class F>
    __device__ static Split<F> split(const F& x) {
        Split<F> s;
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(F) / 4); ++i) {
            s.big.r[i] = rounded_tf32(float_of_bits(x.r[i]));
            s.rest.r[i] = rounded_tf32(float_of_bits(x.r[i]) - float_of_bits(s.big.r[i]));
        }
        return s;
    }
    /// Small products in a sum of their own, so that only big ones cost its last bits: half the error.
    __device__ static void mma(C& big, C& rest, const Split<A>& a, const Split<B>& b) {
        mma_m16n8k8_tf32(rest.r, a.rest.r, b.big.r);
        mma_m16n8k8_tf32(rest.r, a.big.r, b.rest.r);
        mma_m16n8k8_tf32(big.r, a.big.r, b.big.r);
    }
    __device__ static void mma(C& c, const Split<A>& a, const Split<B>& b) { mma(c, c, a, b); }
    __device__ static void mma(C& c, const A& a, const B& b) { mma(c, split(a), split(b)); }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
