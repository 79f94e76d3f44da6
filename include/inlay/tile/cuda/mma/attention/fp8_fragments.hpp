// SPDX-License-Identifier: Apache-2.0
/// The atom of attention over K and V in fp8, and its fragments. fp16 holds every fp8, and one instruction converts two:
/// K and V lie in shared memory as in the cache, and become fp16 on the way to the matrix unit, unscaled. Rows of Q in
/// bf16 are brought into the range of fp16 by a power of two.
///
/// A register that `ldmatrix` loads holds four elements where it holds two of 16 bits. For K these are neighbours along
/// D, so that a step takes its 16 columns in another order, in Q as in K. For V, transposed, they are two columns of two
/// keys: an atom has a product for the even columns and one for the odd ones.
#pragma once

#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/mma/atom.hpp>
#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

struct WideFragmentB {
    std::uint32_t r[4];
};
struct WideFragmentC {
    float r[8] = {};
};

}  // namespace detail

/// C[16, 16] += A[16, 16] · B[16, 16] in fp16: two products, whose results alternate in the registers of C. T: of Q.
template <class T>
struct Fp8HeadAtom : detail::Atom16 {
    using value_type = T;
    static constexpr int n = 16, c_count = 8, c_columns = 4, c_run = 4;
    using B = detail::WideFragmentB;
    using C = detail::WideFragmentC;

    /// Of scores: the products are of the first and the last eight keys.
    INLAY_FN static constexpr Place place_c(int lane, int i) {
        return {lane / 4 + i / 4 * 8, lane % 4 * 2 + i % 2 * 8 + i % 4 / 2};
    }
    /// Of the result: they are of even and odd columns.
    INLAY_FN static constexpr Place place_result(int lane, int i) {
        return {lane / 4 + i / 4 * 8, lane % 4 * 4 + i % 4};
    }
    __device__ INLAY_INLINE static void mma(C& c, const A& a, const B& b) {
        INLAY_UNROLL
        for (int j = 0; j < 2; ++j) {
            float r[4] = {c.r[j], c.r[j + 2], c.r[j + 4], c.r[j + 6]};
            const std::uint32_t of_b[2] = {b.r[2 * j], b.r[2 * j + 1]};
            mma_m16n8k16<fp16>(r, a.r, of_b);
            c.r[j] = r[0], c.r[j + 2] = r[1], c.r[j + 4] = r[2], c.r[j + 6] = r[3];
        }
    }
};

namespace flash {

template <class T>
struct Fragments<Fp8HeadAtom<T>> {
    using Atom = Fp8HeadAtom<T>;
    using A = typename Atom::A;
    using B = typename Atom::B;
    using C = typename Atom::C;

    template <class F>
    __device__ INLAY_INLINE static F prepared(const F& f) {
        return f;
    }

    /// Four neighbouring columns of two rows of Q, in T; `to_halves` makes A of all its steps.
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_a(int lane) {
        return lane / 4 * Pitch + lane % 4 * 8;
    }
    template <int Pitch>
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) {
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) a.r[i] = load_shared(at + i % 2 * 8 * Pitch + i / 2 * 4);
    }
    /// Brings the greatest element of each row into [2^14, 2^15), and the lane's rows to fp16; `back`: the powers of two
    /// that undo it. What is 2^31 times smaller than the greatest one loses bits, though keys may be 0 where that lies.
    template <int Steps>
    __device__ INLAY_INLINE static void to_halves(A (&a)[Steps], float (&back)[2]) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            back[h] = 1.0f;
            if constexpr (std::is_same_v<T, bf16>) {
                std::uint32_t top = 0;
                const auto raise = [&](std::uint32_t bits) {
                    const std::uint32_t size = bits & 0x7fff0000u;
                    top = size < 0x7f800000u && size > top ? size : top;    // infinity and NaN stay what they are
                };
                each(a, h, [&](std::uint32_t& two) { raise(two << 16), raise(two); });
                top = float_bits(Atom::reduce_row(float_of_bits(top), [](float x, float y) { return fmaxf(x, y); }));
                const std::uint32_t exponent = top >> 23, by = exponent < 15u ? 253u : 268u - exponent;
                back[h] = float_of_bits((254u - by) << 23);
                const float factor = float_of_bits(by << 23);
                each(a, h, [&](std::uint32_t& two) {
                    two = rounded_pair<fp16>(float_of_bits(two << 16) * factor,
                                             float_of_bits(two & 0xffff0000u) * factor);
                });
            }
        }
    }

    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_keys(int lane) {
        return lane * Pitch;
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_keys(B (&b)[2], std::uint32_t at) {
        std::uint32_t r[Pair ? 4 : 2];
        load_matrices(r, at);
        INLAY_UNROLL
        for (int i = 0; i < (Pair ? 4 : 2); ++i)
            halves_of_fp8(r[i], b[i / 2].r[i % 2 * 2], b[i / 2].r[i % 2 * 2 + 1]);
    }

    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_values(int lane) {
        return Atom::a_row(lane) * Pitch + Atom::a_chunk(lane) * 16;
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_values(B (&b)[2], std::uint32_t at) {
        std::uint32_t r[Pair ? 4 : 2];
        load_matrices_transposed(r, at);
        INLAY_UNROLL
        for (int i = 0; i < (Pair ? 4 : 2); ++i)
            halves_of_fp8(swap_middle_bytes(r[i]), b[i / 2].r[i % 2], b[i / 2].r[i % 2 + 2]);
    }

    __device__ INLAY_INLINE static A of_scores(const C* tiles, int step) {
        const float* const r = tiles[step].r;
        return {{rounded_pair<fp16>(r[0], r[2]), rounded_pair<fp16>(r[4], r[6]),  //
                 rounded_pair<fp16>(r[1], r[3]), rounded_pair<fp16>(r[5], r[7])}};
    }

    struct Tail {};

private:
    /// f(two elements) for those of the lane's row h.
    template <int Steps, class F>
    __device__ INLAY_INLINE static void each(A (&a)[Steps], int h, F&& f) {
        INLAY_UNROLL
        for (int i = 0; i < Steps; ++i) f(a[i].r[h]), f(a[i].r[h + 2]);
    }
};

}  // namespace flash

}  // namespace inlay::inline INLAY_ABI::on_gpu
