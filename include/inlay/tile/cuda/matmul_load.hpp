// SPDX-License-Identifier: Apache-2.0
/// From global memory to the stages of a product: each thread owns the same chunks (16 bytes of a row) of every step. Rows
/// of A that only have to be copied, and rows of B, go by `cp.async`. A pointwise input arrives the same way, leaf by
/// leaf; the thread that copied a chunk then evaluates the expression on it, one step ahead of the multiplication.
#pragma once

#include <inlay/tile/cuda/chunk.hpp>
#include <inlay/tile/cuda/matmul_runs.hpp>
#include <inlay/tile/cuda/words.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// Copies the first n elements of a chunk, zeros after them, in pieces that the bits of the addresses allow.
template <class T>
__device__ INLAY_INLINE void copy_chunk(std::uint32_t to, const T* from, int n, unsigned address_bits) {
    constexpr int size = static_cast<int>(sizeof(T)), all = 16 / size;
    n = ::min(::max(n, 0), all);
    if ((address_bits & 15u) == 0) return copy_async_part<16>(to, from, n * size);
    if ((address_bits & 3u) == 0) {
        INLAY_UNROLL
        for (int i = 0; i < 4; ++i) {
            const int left = ::min(::max(n * size - 4 * i, 0), 4);
            copy_async_part<4>(to + 4 * i, left > 0 ? from + 4 / size * i : from, left);
        }
        return;
    }
    if constexpr (size == 2)
        for (int i = 0; i < all; ++i) {
            const std::uint16_t bits = i < n ? from[i].bits : std::uint16_t(0);
            asm volatile("st.shared.u16 [%0], %1;" ::"r"(to + 2 * i), "h"(bits) : "memory");
        }
}
/// The same of elements that lie `step` apart.
template <class T>
__device__ inline void gather_chunk(T* to, const T* from, index_t step, int n) {
    constexpr int all = 16 / static_cast<int>(sizeof(T));
    for (int i = 0; i < all; ++i) {
        T x{};
        if (i < n) x = from[i * step];
        to[i] = x;
    }
}

/// Rows of weights. A thread's chunks lie `rows_apart` rows apart.
template <class Tile>
struct LoadB {
    using T = typename Tile::value_type;
    static constexpr int rows_apart = Tile::threads / Tile::chunks;
    static constexpr int count = (Tile::n + rows_apart - 1) / rows_apart;

    const T* from;          // the thread's first chunk, at the start of the sum
    std::uint32_t to;       // of its place in a tile
    int row, chunk;
    int rows;               // rows from the thread's first on that are the matrix's
    unsigned bits;          // of the addresses of rows

    template <class Args>
    __device__ LoadB(const Args& a, const Task& task, const Thread& t) {
        row = t.id / Tile::chunks;
        chunk = t.id % Tile::chunks;
        from = a.w + task.batch * a.w_batch + static_cast<index_t>(task.n0 + row) * a.w_row + chunk * Tile::chunk;
        to = swizzled<Tile::chunks>(row, chunk);
        rows = a.n - task.n0 - row;
        bits = static_cast<unsigned>(a.w_row * static_cast<int>(sizeof(T))) |
               static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(a.w + task.batch * a.w_batch));
    }
    template <class Args>
    __device__ INLAY_INLINE void step(const Args& a, std::uint32_t tile, const Steps& s) const {
        const int n = s.left() - chunk * Tile::chunk;
        const unsigned all_bits = bits | static_cast<unsigned>(s.kk * static_cast<int>(sizeof(T)));
        const T* const p = from + (s.kk + s.j);
        INLAY_UNROLL
        for (int i = 0; i < count; ++i) {
            const int r = i * rows_apart;
            if (Tile::n % rows_apart != 0 && row + r >= Tile::n) break;
            copy_chunk(tile + to + r * Tile::chunks * 16, p + static_cast<index_t>(r) * a.w_row, r < rows ? n : 0, all_bits);
        }
    }
};

namespace detail {

/// Starts the copies of a chunk of each streamed leaf.
template <class T>
struct CopyLeaves {
    std::uint32_t to;
    int region, j, n;
    unsigned streamed, bits;

    template <int I, class U>
    __device__ INLAY_INLINE void leaf(row_cursor<U>& c) const {
        if constexpr (std::is_same_v<T, U>)
            if (streamed >> I & 1u)
                copy_chunk(to + __popc(streamed & ((1u << I) - 1u)) * region, c.p + j, n, bits);
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor&) const {}
};

/// Reads the first n elements of a chunk: that of a copied leaf lies in shared memory.
template <int N>
struct CopiedReader {
    using scalar = float;
    using value = Vec<float, N>;
    int n;

    template <class T>
    __device__ INLAY_INLINE value load(const T* p, index_t step, index_t) const {
        if constexpr (chunk_of<T> == N)
            if (step == copied) return chunk_floats<T>(*reinterpret_cast<const uint4*>(p));
        return load_lanes<N>(p, step, 0, n);
    }
    __device__ INLAY_INLINE value iota(float start, float step) const { return count_up<N>(start, step); }

    static constexpr index_t copied = index_t(1) << 62;   // no step of a tensor
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
                c.p = reinterpret_cast<const U*>(copies + __popc(streamed & ((1u << I) - 1u)) * region);
                c.step = CopiedReader<chunk_of<T>>::copied;
                return;
            }
        c.p += j * c.step;
    }
    __device__ INLAY_INLINE void coordinate(coord_cursor& c) const { c.first += c.step * j; }
};

}  // namespace detail

/// Rows of the input expression. The finished tile lies in the first region of a stage, further streamed leaves in the
/// next ones.
template <class Tile, class Args>
struct LoadA {
    using T = typename Tile::value_type;
    using Table = RunTable<Tile, Args>;
    static constexpr int rows_apart = Tile::threads / Tile::chunks;
    static constexpr int count = (Tile::m + rows_apart - 1) / rows_apart;

    int row, chunk;

    __device__ explicit LoadA(const Thread& t) : row(t.id / Tile::chunks), chunk(t.id % Tile::chunks) {}

    __device__ INLAY_INLINE static unsigned streamed(const Args& a, const RunFacts& f) { return a.streams & ~(f.bits >> 4); }

    /// Starts the copies of a step.
    __device__ INLAY_INLINE void step(const Args& a, const Table& table, char* stage, const Steps& s) const {
        const std::uint32_t to = shared_address(stage) + swizzled<Tile::chunks>(row, chunk);
        const int j = s.j + chunk * Tile::chunk, n = s.facts.run - j;
        [[maybe_unused]] const unsigned on = streamed(a, s.facts);
        typename Table::Entry* const e = table.entries + s.slot * Tile::m + row;
        INLAY_UNROLL
        for (int i = 0; i < count; ++i) {
            const int r = i * rows_apart;
            if (Tile::m % rows_apart != 0 && row + r >= Tile::m) break;
            const std::uint32_t here = to + r * Tile::chunks * 16;
            if constexpr (Table::copies) {
                const T* const p = e[r].p;
                if (s.facts.bits >> 4)
                    gather_chunk(reinterpret_cast<T*>(stage + swizzled<Tile::chunks>(row + r, chunk)),
                                 p + j * e[r].step, e[r].step, p ? n : 0);
                else copy_chunk(here, p + j, p ? n : 0, s.facts.bits);
            } else if (e[r].inside) {
                detail::CopyLeaves<T> copy{here, Tile::a_bytes, j, n, on, s.facts.bits};
                detail::each_leaf<0>(e[r].cursors, copy);
            }
        }
    }
    /// Evaluates the thread's chunks of a step whose copies have arrived.
    __device__ INLAY_INLINE void evaluate(const Args& a, const Table& table, char* stage, const Steps& s) const {
        const int j = s.j + chunk * Tile::chunk, n = ::min(s.facts.run - j, Tile::chunk);
        const unsigned on = streamed(a, s.facts);
        typename Table::Entry* const e = table.entries + s.slot * Tile::m + row;
        INLAY_UNROLL
        for (int i = 0; i < count; ++i) {
            const int r = i * rows_apart;
            if (Tile::m % rows_apart != 0 && row + r >= Tile::m) break;
            char* const here = stage + swizzled<Tile::chunks>(row + r, chunk);
            Vec<float, Tile::chunk> v(0.0f);
            if (e[r].inside && n > 0) {
                auto cursors = e[r].cursors;
                detail::Advance<T> advance{here, Tile::a_bytes, j, on};
                detail::each_leaf<0>(cursors, advance);
                v = cursors.eval(a.in, detail::CopiedReader<Tile::chunk>{n}, 0);
                if (n < Tile::chunk) {
                    INLAY_UNROLL
                    for (int l = 0; l < Tile::chunk; ++l) v.v[l] = l < n ? v.v[l] : 0.0f;
                }
            }
            *reinterpret_cast<uint4*>(here) = chunk_words<T>(v);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
