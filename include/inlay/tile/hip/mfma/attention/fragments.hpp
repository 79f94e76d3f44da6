// SPDX-License-Identifier: Apache-2.0
/// The fragments of attention for `mfma`. A lane's four columns of C are neighbours, so that C of 16 columns is laid out
/// as A of an instruction over as many: probabilities stay where they are. V is read element by element, since nothing
/// transposes it on its way from shared memory.
#pragma once

#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/hip/mfma/head_atom.hpp>

#include <cstddef>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

template <class T>
struct Fragments<MfmaHeadAtom<T>> {
    using Atom = MfmaHeadAtom<T>;
    using A = typename Atom::A;
    using B = typename Atom::B;
    using C = typename Atom::C;

    template <class F>
    __device__ INLAY_INLINE static F prepared(const F& f) {
        return f;
    }
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_a(int lane) {
        return lane % 16 * Pitch + lane / 16 * Atom::bytes;
    }
    template <int>
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) { Atom::load(a, at); }
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_keys(int lane) {
        return lane_of_a<Pitch>(lane);
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_keys(B (&b)[2], std::uint32_t at) {
        Atom::load(b[0], at);
        if constexpr (Pair) Atom::load(b[1], at + 16 * Pitch);
    }

    /// Keys 4 · (lane / 16) to the fourth from there, of column lane % 16.
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_values(int lane) {
        return lane / 16 * 4 * Pitch + lane % 16 * static_cast<int>(sizeof(T));
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_values(B (&b)[2], std::uint32_t at) {
        INLAY_UNROLL
        for (int n = 0; n < (Pair ? 2 : 1); ++n) {
            const std::uint32_t from = at + n * 16 * static_cast<int>(sizeof(T));
            if constexpr (std::is_same_v<T, float>) {
                INLAY_UNROLL
                for (int i = 0; i < 4; ++i) b[n].r[i] = load_shared(from + i * Pitch);
            } else {
                INLAY_UNROLL
                for (int i = 0; i < 2; ++i)
                    b[n].r[i] = load_shared_half(from + 2 * i * Pitch) | load_shared_half(from + (2 * i + 1) * Pitch)
                                                                             << 16;
            }
        }
    }

    __device__ INLAY_INLINE static A of_scores(const C* tiles, int step) { return Atom::packed(tiles[step].r); }
    __device__ INLAY_INLINE static int lane_of_scores(int lane, int key) {
        return key * static_cast<int>(sizeof(T)) + lane / 16 * Atom::bytes;
    }
    INLAY_FN static constexpr int tile_of_scores(int n) { return n * 16 * static_cast<int>(sizeof(T)); }
    template <int Pitch>
    __device__ INLAY_INLINE static void store_scores(std::byte* at, const C& c) {
        const A a = Atom::packed(c.r);
        if constexpr (Atom::bytes == 16) *reinterpret_cast<uint4*>(at) = make_uint4(a.r[0], a.r[1], a.r[2], a.r[3]);
        else *reinterpret_cast<uint2*>(at) = make_uint2(a.r[0], a.r[1]);
    }

    /// An atom over the chunks that are there. Places without one are zeros in Q and in K, as what lies in memory may be
    /// no number.
    using Tail = A;
    template <class Row>
    __device__ INLAY_INLINE static void load_tail(Tail& t, std::uint32_t rows, int lane) {
        const int place = lane / 16 * Atom::bytes;
        const bool there = place < Row::tail_chunks * 16;
        Atom::load(t, rows + lane % 16 * Row::pitch + Row::steps * Row::step_bytes + (there ? place : 0));
        INLAY_UNROLL
        for (std::uint32_t& r : t.r) r = there ? r : 0u;
    }
    template <class Row, int MTiles, int KeyTiles>
    __device__ INLAY_INLINE static void add_tail(C (&s)[MTiles][KeyTiles], const Tail (&a)[MTiles], std::uint32_t k,
                                                 int lane) {
        INLAY_UNROLL
        for (int n = 0; n < KeyTiles; ++n) {
            Tail b;
            load_tail<Row>(b, k + n * 16 * Row::pitch, lane);
            INLAY_UNROLL
            for (int m = 0; m < MTiles; ++m) Atom::mma(s[m][n], a[m], b);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
