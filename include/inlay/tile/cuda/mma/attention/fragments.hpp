// SPDX-License-Identifier: Apache-2.0
/// The fragments of attention for `mma.sync`: loads of Q, K, V and the probabilities from rows in shared memory, the
/// same for fp16, bf16 and fp32 where the addresses count bytes.
#pragma once

#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/mma/atom.hpp>
#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

template <class T>
struct Fragments<Atom<T>> {
    using A = typename Atom<T>::A;
    using B = typename Atom<T>::B;
    using C = typename Atom<T>::C;
    static constexpr bool is_float = std::is_same_v<T, float>;

    /// The operand of the atom: the fragment itself, or its two parts if the atom splits fp32.
    template <class F>
    __device__ INLAY_INLINE static auto prepared(const F& f) {
        if constexpr (is_float) return Atom<float>::split(f);
        else return f;
    }

    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_a(int lane) {
        return Atom<T>::a_row(lane) * Pitch + Atom<T>::a_chunk(lane) * 16;
    }
    template <int>
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) { Atom<T>::load_a(a, at); }
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_keys(int lane) {
        return Atom<T>::b_row(lane) * Pitch + Atom<T>::b_chunk(lane) * 16;
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_keys(B (&b)[2], std::uint32_t at) {
        if constexpr (Pair) Atom<T>::load_b(b[0], b[1], at);
        else Atom<T>::load_b(b[0], at);
    }

    /// V in fp32, which `ldmatrix` cannot transpose: keys 2 · (lane % 4) and the next, column lane / 4. That is the
    /// order of keys in which the probabilities lie in the registers of C.
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_values(int lane) {
        if constexpr (is_float) return lane % 4 * 2 * Pitch + lane / 4 * 4;
        else return lane_of_a<Pitch>(lane);
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_values(B (&b)[2], std::uint32_t at) {
        if constexpr (is_float) {
            INLAY_UNROLL
            for (int i = 0; i < (Pair ? 2 : 1); ++i) {
                b[i].r[0] = load_shared(at + i * 32);
                b[i].r[1] = load_shared(at + i * 32 + Pitch);
            }
        } else if constexpr (Pair) {
            std::uint32_t r[4];
            load_matrices_transposed(r, at);
            b[0] = {{r[0], r[1]}};
            b[1] = {{r[2], r[3]}};
        } else {
            load_matrices_transposed(b[0].r, at);
        }
    }

    /// C of 8 columns, or two of them in 16 bits, is laid out as A of as many.
    __device__ INLAY_INLINE static A of_scores(const C* tiles, int step) {
        if constexpr (is_float) {
            const C& c = tiles[step];
            return {{float_bits(c.r[0]), float_bits(c.r[2]),  //
                     float_bits(c.r[1]), float_bits(c.r[3])}};
        } else {
            const C* const c = tiles + 2 * step;
            return {{Atom<T>::pack(c[0].r[0], c[0].r[1]), Atom<T>::pack(c[0].r[2], c[0].r[3]),
                     Atom<T>::pack(c[1].r[0], c[1].r[1]), Atom<T>::pack(c[1].r[2], c[1].r[3])}};
        }
    }
    __device__ INLAY_INLINE static int lane_of_scores(int lane, int key) {
        return key * static_cast<int>(sizeof(T)) + lane % 4 * 4;
    }
    INLAY_FN static constexpr int tile_of_scores(int n) { return n * 8 * static_cast<int>(sizeof(T)); }
    template <int Pitch>
    __device__ INLAY_INLINE static void store_scores(std::byte* at, const C& c) {
        INLAY_UNROLL
        for (int h = 0; h < 2; ++h) {
            std::byte* const to = at + h * 8 * Pitch;
            const float* const from = c.r + 2 * h;
            if constexpr (is_float) {
                reinterpret_cast<float*>(to)[0] = from[0];
                reinterpret_cast<float*>(to)[4] = from[1];
            } else {
                *reinterpret_cast<std::uint32_t*>(to) = Atom<T>::pack(from[0], from[1]);
            }
        }
    }

    /// Half a step: an atom of half the depth, in 16 bits alone.
    struct Tail {
        std::uint32_t r[2];
    };
    template <class Row>
    __device__ INLAY_INLINE static void load_tail(Tail& t, std::uint32_t q, int lane) {
        load_matrices(t.r, q + lane_of_a<Row::pitch>(lane) + Row::steps * Row::step_bytes);
    }
    template <class Row, int MTiles, int KeyTiles>
    __device__ INLAY_INLINE static void add_tail(C (&s)[MTiles][KeyTiles], const Tail (&a)[MTiles], std::uint32_t k,
                                                 int lane) {
        const std::uint32_t tail = k + lane * Row::pitch + Row::steps * Row::step_bytes;
        INLAY_UNROLL
        for (int n = 0; n < KeyTiles; n += 4) {
            std::uint32_t b[4];
            if (n + 4 <= KeyTiles) {
                load_matrices(b, tail + n * 8 * Row::pitch);
            } else {
                std::uint32_t two[2];
                load_matrices(two, tail + n * 8 * Row::pitch);
                b[0] = two[0], b[1] = two[1];
            }
            INLAY_UNROLL
            for (int j = 0; j < 4 && n + j < KeyTiles; ++j)
                INLAY_UNROLL
                for (int m = 0; m < MTiles; ++m) mma_m16n8k8<T>(s[m][n + j].r, a[m].r, b[j]);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
