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
#include <inlay/tile/cuda/isa/convert.hpp>
#include <inlay/tile/cuda/isa/matrix.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A place in a fragment: of A (row m, column k), of B (row k, column n), of C (row m, column n).
struct Place {
    int row, column;
};

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

/// C of every atom: register i of a lane.
INLAY_FN constexpr Place place_of_c(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }

/// The 16-bit atoms: a register of A or B holds two elements, the named one and the next along k.
struct Atom16 {
    static constexpr int m = 16, n = 8, k = 16;
    static constexpr int per_register = 2;       ///< elements of a register of A or B, consecutive along k
    static constexpr int steps_per_sum = 1 << 20;
    using A = FragmentA;
    using B = FragmentB;
    using C = FragmentC;
    INLAY_FN static constexpr Place place_a(int lane, int i) {
        return {lane / 4 + i % 2 * 8, lane % 4 * 2 + i / 2 * 8};
    }
    INLAY_FN static constexpr Place place_b(int lane, int i) { return {lane % 4 * 2 + i * 8, lane / 4}; }
    INLAY_FN static constexpr Place place_c(int lane, int i) { return place_of_c(lane, i); }
};

}  // namespace detail

template <>
struct Atom<fp16> : detail::Atom16 {
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
    __device__ static void mma(C& c, const A& a, const B& b) {
        mma_m16n8k16<bf16>(c.r, a.r, b.r);
    }
    __device__ static std::uint32_t pack(float first, float second) {
        return rounded_pair<bf16>(first, second);
    }
};

/// Registers hold fp32 values as they are stored; the split into two TF32 numbers happens here.
template <>
struct Atom<float> {
    static constexpr int m = 16, n = 8, k = 8;
    static constexpr int per_register = 1;
    static constexpr int steps_per_sum = 4;
    using A = detail::FragmentA;
    using B = detail::FragmentB;
    using C = detail::FragmentC;
    INLAY_FN static constexpr Place place_a(int lane, int i) { return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4}; }
    INLAY_FN static constexpr Place place_b(int lane, int i) { return {lane % 4 + i * 4, lane / 4}; }
    INLAY_FN static constexpr Place place_c(int lane, int i) { return detail::place_of_c(lane, i); }

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
