// SPDX-License-Identifier: Apache-2.0
/// Rows of a pointwise input of a product: its leaves are copied like any rows, each to a region of the stage; the
/// thread that copied a chunk then evaluates the expression on it, one k-block ahead of the multiplication.
#pragma once

#include <inlay/tile/gpu/gemm/load.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

/// Starts the copies of a chunk of each streamed leaf. Even: addresses are multiples of 16 bytes. `slots`: one a leaf,
/// where copies pass through registers.
template <class T, bool Even>
struct CopyLeaves {
    std::uint32_t to;
    int region, j, n;
    unsigned streamed, bits;
    CopySlot* slots = nullptr;

    template <int I, class U>
    __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
        if constexpr (std::is_same_v<T, U>)
            if (streamed >> I & 1u) {
                const std::uint32_t here = to + bit_count(streamed & ((1u << I) - 1u)) * region;
                if constexpr (Even && copies_in_registers) copy_async_where(slots[I], true, here, c.p + j, bytes_of<T>(n));
                else if constexpr (Even) copy_chunk(here, c.p + j, n);
                else copy_uneven_chunk(here, c.p + j, 1, n, bits);
            }
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};

/// Reads the first n elements of a chunk of T: that of a copied leaf lies in shared memory.
template <class T>
struct CopiedReader {
    static constexpr int N = chunk_of<T>;
    using scalar = float;
    using value = Vec<float, N>;
    static constexpr bool coarse = is_coarse<T>;
    int n;

    template <class U>
    __device__ INLAY_INLINE value load(const U* p, index_t step, index_t) const {
        if constexpr (chunk_of<U> == N)
            if (step == copied) return chunk_floats<U>(*reinterpret_cast<const uint4*>(p));
        return load_lanes<N>(p, step, 0, n);
    }
    __device__ INLAY_INLINE value iota(float start, float step) const { return count_up<N>(start, step); }

    static constexpr index_t copied = index_t(1) << 62;   // no k-block of a tensor
};

/// Moves cursors to element j: streamed leaves to their copies.
template <class T>
struct Advance {
    char* copies;
    int region, j;
    unsigned streamed;

    template <int I, class U>
    __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
        if constexpr (std::is_same_v<T, U>)
            if (streamed >> I & 1u) {
                c.p = reinterpret_cast<const U*>(copies + bit_count(streamed & ((1u << I) - 1u)) * region);
                c.step = CopiedReader<T>::copied;
                return;
            }
        c.p += j * c.step;
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor& c) const { c.first += c.step * j; }
};

}  // namespace detail

/// The finished tile lies in the first region of a stage, further streamed leaves in the next ones.
template <class Tile, class Args>
struct EvaluateA : Chunks<Tile, Tile::m> {
    using T = typename Tile::value_type;
    using Table = RunTable<Tile, Args>;
    using Base = Chunks<Tile, Tile::m>;
    using Base::chunk, Base::count, Base::first, Base::owns, Base::row, Base::rows_apart;
    static constexpr int held = copies_in_registers ? count * Table::leaves : 0;     // slots
    bool on = false;

    __device__ EvaluateA(const Table&, const Thread& t) : Base(t) {}
    __device__ void copy(CopySlot&, std::uint32_t, int) {}

    __device__ INLAY_INLINE static unsigned streamed(const Args& a, const RunFacts& f) {
        return a.streams & ~(f.bits >> 4);
    }

    /// Starts the copies of a k-block.
    __device__ INLAY_INLINE void begin(const Args& a, const Table& table, std::uint32_t stage, const Steps& s,
                                       CopySlot* slots) const {
        if ((s.facts.bits & 15u) == 0) {
            INLAY_UNROLL
            for (int i = 0; i < count; ++i) copy_leaves<true>(a, table, stage, s, i, slots);
        } else {
#pragma unroll 1
            for (int i = 0; i < count; ++i) copy_leaves<false>(a, table, stage, s, i, slots);
        }
    }
    /// Evaluates the thread's chunks of a k-block whose copies have arrived.
    __device__ INLAY_INLINE void evaluate(const Args& a, const Table& table, char* stage, const Steps& s) const {
        const int j = s.j + chunk * Tile::chunk, n = (::min)(s.facts.run - j, Tile::chunk);
        const unsigned arrived = streamed(a, s.facts);
        typename Table::Entry* const e = table.entries + s.slot * Tile::m + row;
#pragma unroll 2
        for (int i = 0; i < count; ++i) {
            const int r = i * rows_apart;
            if (!owns(i)) break;
            char* const here = stage + first + r * Tile::chunks * 16;
            Vec<float, Tile::chunk> v(0.0f);
            if (e[r].inside && n > 0) {
                auto cursors = e[r].cursors;
                detail::Advance<T> advance{here, Tile::a_bytes, j, arrived};
                detail::each_leaf<0>(cursors, advance);
                v = cursors.eval(a.in, detail::CopiedReader<T>{n}, 0);
                if (n < Tile::chunk) {
                    INLAY_UNROLL
                    for (int l = 0; l < Tile::chunk; ++l) v.v[l] = l < n ? v.v[l] : 0.0f;
                }
            }
            *reinterpret_cast<uint4*>(here) = packed_chunk<T>(v);
        }
    }

private:
    template <bool Even>
    __device__ INLAY_INLINE void copy_leaves(const Args& a, const Table& table, std::uint32_t stage, const Steps& s,
                                             int i, CopySlot* slots) const {
        const int r = i * rows_apart, j = s.j + chunk * Tile::chunk;
        typename Table::Entry& e = table.entries[s.slot * Tile::m + row + r];
        if (!owns(i) || !e.inside) return;
        const detail::CopyLeaves<T, Even> copy{stage + first + r * Tile::chunks * 16, Tile::a_bytes, j,
                                               s.facts.run - j, streamed(a, s.facts), s.facts.bits & 15u,
                                               Even && copies_in_registers ? slots + i * Table::leaves : nullptr};
        detail::each_leaf<0>(e.cursors, copy);
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
