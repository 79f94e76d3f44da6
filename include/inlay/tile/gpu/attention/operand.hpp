// SPDX-License-Identifier: Apache-2.0
/// Copies of rows of Q, K and V to shared memory: views of a buffer of the kernel's type, and pages of one, in the
/// background, 16 bytes at a time; every other expression by evaluation in registers, chunk by chunk.
#pragma once

#include <inlay/plan/access/paged_view.hpp>
#include <inlay/plan/attention/wgmma.hpp>
#include <inlay/tile/gpu/block/copy.hpp>
#include <inlay/tile/gpu/chunk/access.hpp>
#include <inlay/tile/gpu/chunk/packed.hpp>
#include <inlay/tile/gpu/isa.hpp>

#include <cstddef>

namespace inlay::inline INLAY_ABI::on_gpu::flash {

/// The place of a row in memory, of which its address is made: nothing, or the id of its page.
struct NoPlace {};
/// The address of a column of the row at c.
template <class T>
__device__ INLAY_INLINE const T* element_at(const AffineView<T, 4>& view, NoPlace, const Extents<4>& c, int column) {
    const T* p = view.data + column;
    INLAY_UNROLL
    for (int d = 0; d < 3; ++d) p += c[d] * view.strides[d];
    return p;
}
template <class T>
__device__ INLAY_INLINE const T* element_at(const PagedView<T>& view, std::int32_t id, const Extents<4>& c,
                                           int column) {
    return view.row(id, c[1], static_cast<unsigned>(c[2])) + column;
}

/// A bound expression, and where it lies in memory if `cp.async` can read it from there.
template <class T, class B>
struct Operand {
    static constexpr bool paged = is_paged_of<T, B>;
    /// True if its type allows that; extents, strides and address may still forbid it.
    static constexpr bool maybe_copied = paged || inlay::detail::maps_heads<T, B>;
    using View = std::conditional_t<paged, PagedView<T>, AffineView<T, 4>>;
    using Place = std::conditional_t<paged, std::int32_t, NoPlace>;
    B bound;
    View view{};

    Operand(const B& b, const Extents<4>& extents) : bound(b) {
        if constexpr (paged) {
            using Pool = type_at<0, typename B::expression::children>;
            view = copyable(paged_view(b), extents_of<Pool>(b.env));
        } else if constexpr (maybe_copied) {
            view = copyable(affine_view(b), extents);
        }
    }

private:
    /// The view if all its rows are whole chunks, else none.
    static View copyable(const View& v, const Extents<4>& extents) {
        bool ok = v.data && reinterpret_cast<std::uintptr_t>(v.data) % 16 == 0 && extents[3] % 8 == 0 &&
                  v.strides[3] == 1;
        for (int i = 0; i < 3; ++i) ok = ok && (extents[i] == 1 || v.strides[i] % chunk_of<T> == 0);
        return ok ? v : View{};
    }
};

/// The keys of a block from `first` on, as rows; past the last key rows are zeros.
struct KeyRows {
    int batch, head, first, keys;
    __device__ bool at(int row, Extents<4>& c) const {
        c = {{batch, head, first + row, 0}};
        return first + row < keys;
    }
};

/// The queries of a block, as rows: a block takes the queries of all heads that share a key head, one head after the
/// other, so that few queries of many heads fill it too.
struct QueryRows {
    int batch, head, first, queries, rows;  // head: the first one
    __device__ bool at(int row, Extents<4>& c) const {
        const unsigned r = static_cast<unsigned>(first + row), g = r / static_cast<unsigned>(queries);
        c = {{batch, head + static_cast<index_t>(g), r - g * static_cast<unsigned>(queries), 0}};
        return first + row < rows;
    }
};

/// The places of every `Step`th row from `row` on, all read before a copy begins, which takes no later read with it.
template <int Step, int Steps, class T, class B, class Where>
__device__ INLAY_INLINE void places_of(typename Operand<T, B>::Place (&place)[Steps], const Operand<T, B>& from,
                                       const Where& where, int row) {
    if constexpr (Operand<T, B>::paged) {
        INLAY_UNROLL
        for (int i = 0; i < Steps; ++i) {
            Extents<4> c;
            const bool there = where.at(row + i * Step, c);
            place[i] = there ? *from.view.id(c[0], static_cast<unsigned>(c[2])) : 0;
        }
    }
}

/// Copies Rows rows of an operand to shared memory by all threads. Chunks of `cp.async` are there after the caller has
/// waited; all are visible after the next barrier.
template <class Row, int Rows, int Threads, class T, class B, class Where>
__device__ INLAY_INLINE void load_rows(std::byte* to, const Operand<T, B>& from, const Where& where) {
    constexpr int per_chunk = chunk_of<T>;
    const int t = thread_index();
    if constexpr (Operand<T, B>::maybe_copied) {
        if (from.view.data) {
            constexpr int lanes = Threads < Row::chunks ? Threads : Row::chunks, at_once = Threads / lanes;
            const int chunk0 = t % lanes, row0 = t / lanes;
            if (Threads % lanes != 0 && row0 >= at_once) return;
            const std::uint32_t base = shared_address(to) + row0 * Row::pitch + chunk0 * 16;
            constexpr int steps = (Rows + at_once - 1) / at_once;
            typename Operand<T, B>::Place place[steps];
            places_of<at_once>(place, from, where, row0);
            INLAY_UNROLL
            for (int i = 0; i < steps; ++i) {
                const int row = row0 + i * at_once;
                if (Rows % at_once != 0 && row >= Rows) return;
                Extents<4> c;
                const bool ok = where.at(row, c);
                const T* p = element_at(from.view, place[i], c, chunk0 * per_chunk);
                INLAY_UNROLL
                for (int j = 0; j < (Row::chunks + lanes - 1) / lanes; ++j)
                    if (Row::chunks % lanes == 0 || chunk0 + j * lanes < Row::chunks)
                        copy_async(base + i * at_once * Row::pitch + j * lanes * 16, p + j * lanes * per_chunk, ok);
            }
            return;
        }
    }
#pragma unroll 1
    for (int i = t; i < Rows * Row::chunks; i += Threads) {
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

/// True where copies in the background pass through registers, and must land.
inline constexpr bool copies_land = !std::is_empty_v<CopySlot>;

/// The same in two parts: all loads, and stores of what they have brought. Threads without a chunk have slots that are
/// off, as all have of an expression, which is evaluated at once.
template <class Row, int Rows, int Threads>
struct RowsUnderWay {
    static constexpr int lanes = Threads < Row::chunks ? Threads : Row::chunks, at_once = Threads / lanes;
    static constexpr int rows = (Rows + at_once - 1) / at_once, columns = (Row::chunks + lanes - 1) / lanes;
    CopySlot slots[rows * columns];

    template <class T, class B, class Where>
    __device__ INLAY_INLINE void load(std::byte* to, const Operand<T, B>& from, const Where& where) {
        const bool copied = Operand<T, B>::maybe_copied && from.view.data;
        const int t = thread_index(), chunk0 = t % lanes, row0 = t / lanes;
        const std::uint32_t base = shared_address(to) + row0 * Row::pitch + chunk0 * 16;
        typename Operand<T, B>::Place place[rows] = {};
        if (copied) places_of<at_once>(place, from, where, row0);
        INLAY_UNROLL
        for (int i = 0; i < rows; ++i) {
            const int row = row0 + i * at_once;
            Extents<4> c;
            const bool ok = where.at(row, c);
            const T* p = element_at(from.view, place[i], c, chunk0 * chunk_of<T>);
            INLAY_UNROLL
            for (int j = 0; j < columns; ++j) {
                const bool on = copied && row0 < at_once && row < Rows && chunk0 + j * lanes < Row::chunks;
                copy_async_where(slots[i * columns + j], on, base + i * at_once * Row::pitch + j * lanes * 16,
                                 p + j * lanes * chunk_of<T>, ok ? 16 : 0);
            }
        }
        if (!copied) load_rows<Row, Rows, Threads>(to, from, where);
    }
    __device__ INLAY_INLINE void land() const {
        INLAY_UNROLL
        for (const CopySlot& slot : slots) on_gpu::land(slot);
    }
};

/// All of it at once, with as many loads under way as there are.
template <class Row, int Rows, int Threads, class T, class B, class Where>
__device__ INLAY_INLINE void copy_rows(std::byte* to, const Operand<T, B>& from, const Where& where) {
    if constexpr (copies_land) {
        RowsUnderWay<Row, Rows, Threads> copies;
        copies.load(to, from, where);
        copies.land();
    } else {
        load_rows<Row, Rows, Threads>(to, from, where);
    }
}

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
