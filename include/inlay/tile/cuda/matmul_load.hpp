// SPDX-License-Identifier: Apache-2.0
/// From global memory to the stages of a product: each thread owns the same chunks (16 bytes of a row) of every step. Rows
/// of A that only have to be copied, and rows of B, go by `cp.async`. A pointwise input arrives the same way, leaf by
/// leaf; the thread that copied a chunk then evaluates the expression on it, one step ahead of the multiplication.
#pragma once

#include <inlay/tile/cuda/chunk.hpp>
#include <inlay/tile/cuda/matmul_runs.hpp>
#include <inlay/tile/cuda/words.hpp>

namespace inlay::inline INLAY_ABI::cuda {

/// Copies the first n elements of a chunk from an address that is a multiple of 16 bytes, zeros after them.
template <class T>
__device__ INLAY_INLINE void copy_chunk(std::uint32_t to, const T* from, int n) {
    copy_async_part<16>(to, from, ::min(::max(n, 0), chunk_of<T>) * static_cast<int>(sizeof(T)));
}
/// The same from any address, whose low bits are among `bits`, and of elements that lie `step` apart.
template <class T>
__device__ INLAY_INLINE void copy_uneven_chunk(std::uint32_t to, const T* from, index_t step, int n, unsigned bits) {
    constexpr int size = static_cast<int>(sizeof(T)), each = 4 / size;
    if (step == 1 && (bits & 3u) == 0) {
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            const int left = ::min(::max((n - i * each) * size, 0), 4);
            copy_async_part<4>(to + 4 * i, left > 0 ? from + i * each : from, left);
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < chunk_of<T>; ++i) {
            if constexpr (size == 2) {
                const std::uint16_t x = i < n ? from[i * step].bits : std::uint16_t(0);
                asm volatile("st.shared.u16 [%0], %1;" ::"r"(to + size * i), "h"(x) : "memory");
            } else {
                const float x = i < n ? from[i * step] : 0.0f;
                asm volatile("st.shared.f32 [%0], %1;" ::"r"(to + size * i), "f"(x) : "memory");
            }
        }
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
        const unsigned all_bits = (bits | static_cast<unsigned>(s.kk * static_cast<int>(sizeof(T)))) & 15u;
        const T* const p = from + (s.kk + s.j);
        const std::uint32_t first = tile + to;
        if (all_bits == 0) {
            INLAY_UNROLL
            for (int i = 0; i < count; ++i) {
                const int r = i * rows_apart;
                if (Tile::n % rows_apart != 0 && row + r >= Tile::n) break;
                copy_chunk(first + r * Tile::chunks * 16, p + static_cast<index_t>(r) * a.w_row, r < rows ? n : 0);
            }
        } else {
#pragma unroll 1
            for (int r = 0; row + r < Tile::n; r += rows_apart)
                copy_uneven_chunk(first + r * Tile::chunks * 16, p + static_cast<index_t>(r) * a.w_row, 1, r < rows ? n : 0,
                                  all_bits);
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
            if (streamed >> I & 1u) {
                const std::uint32_t here = to + __popc(streamed & ((1u << I) - 1u)) * region;
                if (bits == 0) copy_chunk(here, c.p + j, n);
                else copy_uneven_chunk(here, c.p + j, 1, n, bits);
            }
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
    __device__ INLAY_INLINE void step(const Args& a, const Table& table, std::uint32_t stage, const Steps& s) const {
        const int j = s.j + chunk * Tile::chunk, n = s.facts.run - j;
        typename Table::Entry* const e = table.entries + s.slot * Tile::m + row;
        const std::uint32_t first = stage + swizzled<Tile::chunks>(row, chunk);
        if constexpr (!Table::copies) {
            detail::CopyLeaves<T> copy{first, Tile::a_bytes, j, n, streamed(a, s.facts), s.facts.bits & 15u};
            each_row([&](int r) {
                if (!e[r].inside) return;
                copy.to = first + r * Tile::chunks * 16;
                detail::each_leaf<0>(e[r].cursors, copy);
            });
        } else if (s.facts.bits == 0) {
            each_row([&](int r) {
                const T* const p = e[r].p;
                copy_chunk(first + r * Tile::chunks * 16, p + j, p ? n : 0);
            });
        } else {
#pragma unroll 1
            for (int r = 0; row + r < Tile::m; r += rows_apart)
                copy_uneven_chunk(first + r * Tile::chunks * 16, e[r].p + j * e[r].step, e[r].step, e[r].p ? n : 0,
                                  s.facts.bits & 15u);
        }
    }
    /// Evaluates the thread's chunks of a step whose copies have arrived.
    __device__ INLAY_INLINE void evaluate(const Args& a, const Table& table, char* stage, const Steps& s) const {
        const int j = s.j + chunk * Tile::chunk, n = ::min(s.facts.run - j, Tile::chunk);
        const unsigned on = streamed(a, s.facts);
        typename Table::Entry* const e = table.entries + s.slot * Tile::m + row;
#pragma unroll 2
        for (int i = 0; i < count; ++i) {
            const int r = i * rows_apart;
            if (Tile::m % rows_apart != 0 && row + r >= Tile::m) break;
            char* const here = stage + swizzled<Tile::chunks>(row, chunk) + r * Tile::chunks * 16;
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

private:
    template <class F>
    __device__ INLAY_INLINE void each_row(F&& f) const {
        INLAY_UNROLL
        for (int i = 0; i < count; ++i) {
            const int r = i * rows_apart;
            if (Tile::m % rows_apart != 0 && row + r >= Tile::m) break;
            f(r);
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::cuda
