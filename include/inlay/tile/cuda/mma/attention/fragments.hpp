// SPDX-License-Identifier: Apache-2.0
/// The fragments of attention: loads of Q, K, V and the probabilities for the matrix atom from rows in shared memory,
/// the same for fp16, bf16 and fp32 where the addresses count bytes.
#pragma once

#include <inlay/tile/cuda/isa/memory.hpp>
#include <inlay/tile/cuda/mma/atom.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

using on_gpu::detail::FragmentC;

/// The operand of the atom: the fragment itself, or its two parts if the atom splits fp32.
template <class T, class F>
__device__ INLAY_INLINE auto prepared(const F& f) {
    if constexpr (std::is_same_v<T, float>) return Atom<float>::split(f);
    else return f;
}

/// The lane's share of an address, in bytes, for each way of reading rows Pitch bytes apart: A from 16 rows (its k
/// along the row), and V transposed;
template <int Pitch>
__device__ INLAY_INLINE int lane_of_rows(int lane) {
    return lane % 16 * Pitch + lane / 16 * 16;
}
/// B for two tiles of 8 columns, from 16 rows (K);
template <int Pitch>
__device__ INLAY_INLINE int lane_of_columns(int lane) {
    return (lane / 16 * 8 + lane % 8) * Pitch + lane / 8 % 2 * 16;
}
/// V in fp32, which `ldmatrix` cannot transpose: keys 2 · (lane % 4) and the next, column lane / 4. That is the order
/// of keys in which the probabilities lie in the registers of C.
template <int Pitch>
__device__ INLAY_INLINE int lane_of_values(int lane) {
    return lane % 4 * 2 * Pitch + lane / 4 * 4;
}
template <class T, int Pitch>
__device__ INLAY_INLINE int lane_of_v(int lane) {
    if constexpr (std::is_same_v<T, float>) return lane_of_values<Pitch>(lane);
    else return lane_of_rows<Pitch>(lane);
}

/// B fragments of V for one step of keys and tiles n and n + 1 of eight columns (only n where `Pair` is false).
template <class T, int Pitch, bool Pair>
__device__ INLAY_INLINE void load_values(typename Atom<T>::B (&b)[2], std::uint32_t at) {
    if constexpr (std::is_same_v<T, float>) {
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

/// The probabilities of one step of keys, as they lie in C, as a fragment of A.
template <class T>
__device__ INLAY_INLINE typename Atom<T>::A as_a(const FragmentC* c) {
    if constexpr (std::is_same_v<T, float>)
        return {{float_bits(c->r[0]), float_bits(c->r[2]),  //
                 float_bits(c->r[1]), float_bits(c->r[3])}};
    else
        return {{Atom<T>::pack(c[0].r[0], c[0].r[1]), Atom<T>::pack(c[0].r[2], c[0].r[3]),
                 Atom<T>::pack(c[1].r[0], c[1].r[1]), Atom<T>::pack(c[1].r[2], c[1].r[3])}};
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
