// SPDX-License-Identifier: Apache-2.0
/// From global memory to the stages of a product in the background (`isa/copy.hpp`): each thread owns the same chunks
/// (16 bytes of a row) of every k-block, of rows of B and of rows of A that only have to be copied. A chunk's address is
/// computed where a run begins; a k-block then costs a few instructions a chunk, which are issued between the products
/// of the k-block before.
#pragma once

#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/gemm/runs.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// True where a copy passes through the registers of its slot.
inline constexpr bool copies_in_registers = !std::is_empty_v<CopySlot>;

/// Copies the first n elements of a chunk from an address that is a multiple of 16 bytes, zeros after them.
template <class T>
__device__ INLAY_INLINE void copy_chunk(std::uint32_t to, const T* from, int n) {
    copy_async_part<16>(to, from, (::min)((::max)(n, 0), chunk_of<T>) * static_cast<int>(sizeof(T)));
}
/// The same from any address, whose low bits are among `bits`, and of elements that lie `step` apart.
template <class T>
__device__ INLAY_INLINE void copy_uneven_chunk(std::uint32_t to, const T* from, index_t step, int n, unsigned bits) {
    constexpr int size = static_cast<int>(sizeof(T)), each = 4 / size;
    if (step == 1 && (bits & 3u) == 0) {
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            const int left = (::min)((::max)((n - i * each) * size, 0), 4);
            copy_async_part<4>(to + 4 * i, left > 0 ? from + i * each : from, left);
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < chunk_of<T>; ++i) {
            if constexpr (size == 2) {
                const std::uint16_t x = i < n ? from[i * step].bits : std::uint16_t(0);
                store_shared(to + size * i, x);
            } else {
                const float x = i < n ? from[i * step] : 0.0f;
                store_shared(to + size * i, x);
            }
        }
    }
}

/// The chunks of a tile that a thread copies: chunk `chunk` of the rows row, row + rows_apart, …
template <class Tile, int Rows>
struct Chunks {
    static constexpr int rows_apart = Tile::threads / Tile::chunks;
    static constexpr int count = (Rows + rows_apart - 1) / rows_apart;

    int row, chunk;
    std::uint32_t first;    // bytes to the first one's place in a tile

    __device__ explicit Chunks(const Thread& t)
        : row(t.id / Tile::chunks), chunk(t.id % Tile::chunks), first(swizzled<Tile::chunks>(row, chunk)) {}

    /// The address of chunk i in a tile at `tile`.
    __device__ INLAY_INLINE std::uint32_t place(std::uint32_t tile, int i) const {
        return tile + first + i * rows_apart * Tile::chunks * 16;
    }
    __device__ INLAY_INLINE bool owns(int i) const { return Rows % rows_apart == 0 || row + i * rows_apart < Rows; }
    /// Elements of a chunk in a k-block, of `left` in its run; below 1: none.
    __device__ INLAY_INLINE int elements(int left) const { return left - chunk * Tile::chunk; }
};
/// The bytes of the first n elements of a chunk.
template <class T>
__device__ INLAY_INLINE int bytes_of(int n) {
    return (::min)((::max)(n, 0), chunk_of<T>) * static_cast<int>(sizeof(T));
}

/// Rows of weights.
template <class Tile>
struct LoadB : Chunks<Tile, Tile::n> {
    using T = typename Tile::value_type;
    using Base = Chunks<Tile, Tile::n>;
    using Base::chunk, Base::count, Base::elements, Base::owns, Base::place, Base::row, Base::rows_apart;

    const T* from;          // the thread's first chunk, at the start of the sum
    int w_row;
    int rows;               // rows from the thread's first on that are the matrix's
    unsigned bits;          // of the addresses of rows
    unsigned run_bits = 0;  // of the addresses of a run
    const T* at;            // the first chunk of the k-block
    int bytes = 0;          // of its chunks
    bool on = false;        // `copy` copies

    template <class Args>
    __device__ LoadB(const Args& a, const GemmWorkTile& work_tile, const Thread& t) : Base(t), w_row(a.w_row) {
        from = at = a.w + work_tile.batch * a.w_batch + static_cast<index_t>(work_tile.n0 + row) * w_row +
                    chunk * Tile::chunk;
        rows = a.n - work_tile.n0 - row;
        bits = static_cast<unsigned>(w_row * static_cast<int>(sizeof(T))) |
               static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(a.w + work_tile.batch * a.w_batch));
    }
    __device__ void enter(const Steps& s) {
        run_bits = (bits | static_cast<unsigned>(s.kk * static_cast<int>(sizeof(T)))) & 15u;
    }
    /// Starts a k-block. Its chunks are left to `copy`, if their addresses are even.
    __device__ INLAY_INLINE void begin(std::uint32_t tile, const Steps& s) {
        at = from + (s.kk + s.j);
        bytes = bytes_of<T>(elements(s.left()));
        on = run_bits == 0;
        if (!on) {
#pragma unroll 1
            for (int i = 0; i < count; ++i)
                if (owns(i))
                    copy_uneven_chunk(place(tile, i), at + static_cast<index_t>(i * rows_apart) * w_row, 1,
                                      i * rows_apart < rows ? elements(s.left()) : 0, run_bits);
        }
    }
    /// Rows beyond the matrix are columns of C that are not stored.
    __device__ INLAY_INLINE void copy(CopySlot& slot, std::uint32_t tile, int i) const {
        copy_async_where(slot, on && owns(i) && i * rows_apart < rows, place(tile, i),
                         at + static_cast<index_t>(w_row) * (i * rows_apart), bytes);
    }
};

/// Rows of an input that only has to be copied. The address of a chunk's row is read from the table a chunk ahead.
template <class Tile, class Args>
struct CopyA : Chunks<Tile, Tile::m> {
    using T = typename Tile::value_type;
    using Table = RunTable<Tile, Args>;
    using Base = Chunks<Tile, Tile::m>;
    using Base::chunk, Base::count, Base::elements, Base::owns, Base::place, Base::row, Base::rows_apart;

    const typename Table::Entry* entry;     // of the thread's first row
    const T* next = nullptr;    // the row of the chunk that is copied next; null: zeros
    int j = 0, bytes = 0;       // the begin of the k-block's chunks in the run, and the bytes copied of them
    bool on = false;

    __device__ CopyA(const Table& table, const Thread& t) : Base(t), entry(table.entries + row) {}

    static constexpr int held = 0;      // slots beside those of `copy`

    __device__ INLAY_INLINE void begin(const Args&, const Table&, std::uint32_t stage, const Steps& s, CopySlot*) {
        j = s.j + chunk * Tile::chunk;
        bytes = bytes_of<T>(elements(s.left()));
        on = s.facts.bits == 0;
        next = entry->p;
        if (!on) {
#pragma unroll 1
            for (int i = 0; i < count; ++i) {
                if (!owns(i)) continue;
                const auto e = entry[i * rows_apart];
                copy_uneven_chunk(place(stage, i), e.p + j * e.step, e.step, e.p ? elements(s.left()) : 0,
                                  s.facts.bits & 15u);
            }
        }
    }
    /// Copies chunk i of the k-block, all in order.
    __device__ INLAY_INLINE void copy(CopySlot& slot, std::uint32_t stage, int i) {
        copy_async_where(slot, on && owns(i), place(stage, i), next + j, next ? bytes : 0);
        if (i + 1 < count && owns(i + 1)) next = entry[(i + 1) * rows_apart].p;
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
