// SPDX-License-Identifier: Apache-2.0
/// The fragments of attention for gfx1100. Lanes i and i + 16 share a row of C, four columns of each eight, and both
/// need all of them as A: they exchange what they have. V is read element by element, since nothing transposes it on
/// its way from shared memory.
#pragma once

#include <inlay/tile/gpu/attention/fragments.hpp>
#include <inlay/tile/gpu/isa.hpp>
#include <inlay/tile/hip/wmma/atom.hpp>

#include <cstddef>
#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

template <class T>
struct Fragments<WmmaAtom<T>> {
    using Atom = WmmaAtom<T>;
    using A = typename Atom::A;
    using B = typename Atom::B;
    using C = typename Atom::C;
    static constexpr bool is_float = std::is_same_v<T, float>;
    static constexpr int bytes = sizeof(T);

    template <class F>
    __device__ INLAY_INLINE static F prepared(const F& f) {
        return f;
    }
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_a(int lane) {
        return Atom::a_row(lane) * Pitch;
    }
    template <int>
    __device__ INLAY_INLINE static void load_a(A& a, std::uint32_t at) { Atom::load(a, at, at + 16); }
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_keys(int lane) {
        return Atom::b_row(lane) * Pitch;
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_keys(B (&b)[2], std::uint32_t at) {
        Atom::load(b[0], at, at + 16);
        if constexpr (Pair) Atom::load(b[1], at + 16 * Pitch, at + 16 * Pitch + 16);
    }

    /// All keys of a step, in their order.
    template <int Pitch>
    __device__ INLAY_INLINE static int lane_of_values(int lane) {
        return Atom::b_row(lane) * bytes;
    }
    template <int Pitch, bool Pair>
    __device__ INLAY_INLINE static void load_values(B (&b)[2], std::uint32_t at) {
        INLAY_UNROLL
        for (int n = 0; n < (Pair ? 2 : 1); ++n)
            INLAY_UNROLL
            for (int i = 0; i < 8; ++i) {
                const std::uint32_t from = at + n * 16 * bytes;
                if constexpr (is_float)
                    b[n].r[i] = load_shared(from + i * Pitch);
                else
                    b[n].r[i] = load_shared_half(from + 2 * i * Pitch) |
                                load_shared_half(from + (2 * i + 1) * Pitch) << 16;
            }
    }

    __device__ INLAY_INLINE static A of_scores(const C* tiles, int step) {
        std::uint32_t own[4];
        if constexpr (is_float) {
            INLAY_UNROLL
            for (int i = 0; i < 4; ++i) own[i] = float_bits(tiles[step / 2].r[step % 2 * 4 + i]);
        } else {
            INLAY_UNROLL
            for (int i = 0; i < 4; ++i) own[i] = Atom::pack(tiles[step].r[2 * i], tiles[step].r[2 * i + 1]);
        }
        // Of each eight columns the lower lane has the first four: one run of registers in fp32, two in 16 bits.
        constexpr int run = is_float ? 4 : 2;
        const bool lower = lane_index() < 16;
        A a;
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t other = shuffle_xor(own[i], 16);
            const int first = i / run * 2 * run + i % run;
            a.r[first] = lower ? own[i] : other;
            a.r[first + run] = lower ? other : own[i];
        }
        return a;
    }
    __device__ INLAY_INLINE static int lane_of_scores(int lane, int key) { return (key + lane / 16 * 4) * bytes; }
    INLAY_FN static constexpr int tile_of_scores(int n) { return n * 16 * bytes; }
    template <int Pitch>
    __device__ INLAY_INLINE static void store_scores(std::byte* at, const C& c) {
        INLAY_UNROLL
        for (int i = 0; i < 8; i += 4) {
            std::byte* const to = at + 2 * i * bytes;
            if constexpr (is_float)
                *reinterpret_cast<float4*>(to) = make_float4(c.r[i], c.r[i + 1], c.r[i + 2], c.r[i + 3]);
            else
                *reinterpret_cast<uint2*>(to) =
                    make_uint2(Atom::pack(c.r[i], c.r[i + 1]), Atom::pack(c.r[i + 2], c.r[i + 3]));
        }
    }

    /// A chunk, in 16 bits alone: the second one of the atom is zeros.
    using Tail = A;
    template <class Row>
    __device__ INLAY_INLINE static void load_chunk(Tail& t, std::uint32_t row) {
        static_assert(Row::tail_chunks == 1);
        const uint4 x = load_shared_chunk(row + Row::steps * Row::step_bytes);
        t = {{x.x, x.y, x.z, x.w, 0u, 0u, 0u, 0u}};
    }
    template <class Row>
    __device__ INLAY_INLINE static void load_tail(Tail& t, std::uint32_t rows, int lane) {
        load_chunk<Row>(t, rows + Atom::a_row(lane) * Row::pitch);
    }
    template <class Row, int MTiles, int KeyTiles>
    __device__ INLAY_INLINE static void add_tail(C (&s)[MTiles][KeyTiles], const Tail (&a)[MTiles], std::uint32_t k,
                                                 int lane) {
        INLAY_UNROLL
        for (int n = 0; n < KeyTiles; ++n) {
            Tail b;
            load_chunk<Row>(b, k + (n * 16 + Atom::b_row(lane)) * Row::pitch);
            INLAY_UNROLL
            for (int m = 0; m < MTiles; ++m) Atom::mma(s[m][n], a[m], b);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
