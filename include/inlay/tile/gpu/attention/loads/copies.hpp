// SPDX-License-Identifier: Apache-2.0
/// Copies of rows of Q, K and V to shared memory: views of a buffer of the kernel's type, and pages of one, in the
/// background, 16 bytes at a time; what is computed from fp8 by way of registers; every other expression by evaluation,
/// chunk by chunk.
#pragma once

#include <inlay/tile/gpu/attention/loads/held_rows.hpp>
#include <inlay/tile/gpu/attention/loads/operand.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// Copies Rows rows of an operand, whose places have been read, to shared memory by all threads. Chunks of `cp.async`
/// are there after the caller has waited; all are visible after the next barrier.
template <class Row, int Rows, int Threads, class T, class B, class Where, class Place>
__device__ INLAY_INLINE void load_rows(std::byte* to, const Operand<T, B>& from, const Where& where,
                                       const RowPlaces<RowShare<Row, Rows, Threads>, Place>& places) {
    constexpr int per_chunk = chunk_of<T>;
    if constexpr (Operand<T, B>::maybe_copied) {
        if (Operand<T, B>::in_fp8 || from.view.data) {     // fp8 lies in shared memory only where it is copied
            using Share = RowShare<Row, Rows, Threads>;
            constexpr int lanes = Share::lanes, at_once = Share::at_once;
            const int chunk0 = Share::first_chunk(), row0 = Share::first_row();
            if (Threads % lanes != 0 && row0 >= at_once) return;
            const std::uint32_t base = shared_address(to) + row0 * Row::pitch + chunk0 * 16;
            const auto address = places.addresses(from.view, where);
            INLAY_UNROLL
            for (int i = 0; i < Share::rows; ++i) {
                const int row = row0 + i * at_once;
                if (Rows % at_once != 0 && row >= Rows) return;
                Extents<4> c;
                const bool ok = where.at(row, c);
                const T* p = address(i, c, chunk0 * per_chunk);
                INLAY_UNROLL
                for (int j = 0; j < Share::columns; ++j)
                    if (Row::chunks % lanes == 0 || chunk0 + j * lanes < Row::chunks)
                        copy_async(base + i * at_once * Row::pitch + j * lanes * 16, p + j * lanes * per_chunk, ok);
            }
            return;
        }
    }
    if constexpr (!Operand<T, B>::in_fp8) {
#pragma unroll 1
        for (int i = RowShare<Row, Rows, Threads>::number(); i < Rows * Row::chunks; i += Threads) {
            const int row = i / Row::chunks, chunk = i % Row::chunks, column = chunk * per_chunk;
            const int n = Row::d - column < per_chunk ? Row::d - column : per_chunk;
            Extents<4> c;
            Vec<float, per_chunk> v = 0.0f;
            if (where.at(row, c) && n > 0) {
                c[3] = column;
                v = read_chunk<per_chunk>(from.bound, c, n);
                if constexpr (Row::d % per_chunk != 0) {
                    INLAY_UNROLL
                    for (int k = 0; k < per_chunk; ++k) v.v[k] = k < n ? v.v[k] : 0.0f;
                }
            }
            *reinterpret_cast<uint4*>(to + row * Row::pitch + chunk * 16) = packed_chunk<T>(v);
        }
    }
}

/// True where copies in the background pass through registers, and must land.
inline constexpr bool copies_land = !std::is_empty_v<CopySlot>;

/// The same in two parts: all loads, and stores of what they have brought. Threads without a chunk have slots that are
/// off, as all have of an expression, which is evaluated at once.
template <class Row, int Rows, int Threads>
struct RowsUnderWay {
    using Share = RowShare<Row, Rows, Threads>;
    CopySlot slots[Share::rows * Share::columns];

    template <class T, class B, class Where, class Place>
    __device__ INLAY_INLINE void load(std::byte* to, const Operand<T, B>& from, const Where& where,
                                      const RowPlaces<Share, Place>& places) {
        constexpr int lanes = Share::lanes, at_once = Share::at_once, columns = Share::columns;
        const bool copied = Operand<T, B>::maybe_copied && from.view.data;
        const int chunk0 = Share::first_chunk(), row0 = Share::first_row();
        const std::uint32_t base = shared_address(to) + row0 * Row::pitch + chunk0 * 16;
        const auto address = places.addresses(from.view, where);
        INLAY_UNROLL
        for (int i = 0; i < Share::rows; ++i) {
            const int row = row0 + i * at_once;
            Extents<4> c;
            const bool ok = where.at(row, c);
            const auto* p = address(i, c, chunk0 * chunk_of<T>);
            INLAY_UNROLL
            for (int j = 0; j < columns; ++j) {
                const bool on = copied && row0 < at_once && row < Rows && chunk0 + j * lanes < Row::chunks;
                copy_async_where(slots[i * columns + j], on, base + i * at_once * Row::pitch + j * lanes * 16,
                                 p + j * lanes * chunk_of<T>, ok ? 16 : 0);
            }
        }
        if (!copied) load_rows<Row, Rows, Threads>(to, from, where, places);
    }
    __device__ INLAY_INLINE void land() const {
        INLAY_UNROLL
        for (const CopySlot& slot : slots) on_gpu::land(slot);
    }
};

/// All of it at once, with as many loads under way as there are. The places have been read, or are read here.
template <class Row, int Rows, int Threads, class T, class B, class Where, class Place>
__device__ INLAY_INLINE void copy_rows(std::byte* to, const Operand<T, B>& from, const Where& where,
                                       const RowPlaces<RowShare<Row, Rows, Threads>, Place>& places) {
    if constexpr (Operand<T, B>::maybe_held) {
        if (from.view.data) {
            HeldRows<Row, Rows, Threads> rows;
            rows.load(from, where, places);
            rows.land(to, from, where);
            return;
        }
    }
    if constexpr (copies_land) {
        RowsUnderWay<Row, Rows, Threads> copies;
        copies.load(to, from, where, places);
        copies.land();
    } else {
        load_rows<Row, Rows, Threads>(to, from, where, places);
    }
}
template <class Row, int Rows, int Threads, class From, class Where>
__device__ INLAY_INLINE void copy_rows(std::byte* to, const From& from, const Where& where) {
    RowPlaces<RowShare<Row, Rows, Threads>, typename From::Place> places;
    places.read(from, where);
    copy_rows<Row, Rows, Threads>(to, from, where, places);
}

/// Keys or values of the next block, on their way while one is multiplied: in registers where copies pass through them
/// and stay, or where they are held as fp8 and few queries leave room for them; else in the background, or at once.
/// Ids of pages are read a block earlier, so that copies do not wait for them.
template <class Tile, class Row, class From>
struct NextRows {
    static constexpr bool held = From::maybe_held && Tile::row_warps == 1, stay = Tile::copies_stay || held;
    using Held = HeldRows<Row, Tile::keys, Tile::threads>;
    using UnderWay = RowsUnderWay<Row, Tile::keys, Tile::threads>;
    std::conditional_t<held, Held, UnderWay> rows;
    RowPlaces<RowShare<Row, Tile::keys, Tile::threads>, typename From::Place> places;

    /// Reads the places of the rows that are loaded next.
    template <class Where>
    __device__ INLAY_INLINE void find(const From& from, const Where& where) {
        places.read(from, where);
    }
    template <class Where>
    __device__ INLAY_INLINE void load(std::byte* to, const From& from, const Where& where) {
        if constexpr (held) {
            if (from.view.data) rows.load(from, where, places);
        } else if constexpr (stay) {
            rows.load(to, from, where, places);
        } else {
            copy_rows<Row, Tile::keys, Tile::threads>(to, from, where, places);
        }
    }
    /// Stores those in registers.
    template <class Where>
    __device__ INLAY_INLINE void land(std::byte* to, const From& from, const Where& where) const {
        if constexpr (held) {
            if (from.view.data) rows.land(to, from, where);
            else load_rows<Row, Tile::keys, Tile::threads>(to, from, where, places);
        } else if constexpr (stay) {
            rows.land();
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
