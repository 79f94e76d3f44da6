// SPDX-License-Identifier: Apache-2.0
/// Q, K and V as kernels get them: a bound expression, and rows of it that lie in memory.
#pragma once

#include <inlay/plan/access/chunks.hpp>
#include <inlay/plan/access/fp8_source.hpp>
#include <inlay/plan/access/paged_view.hpp>
#include <inlay/plan/attention/wgmma.hpp>
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
    return view.row(id, static_cast<unsigned>(c[1]), static_cast<unsigned>(c[2])) + column;
}

/// The scale of an operand in fp8; void where it has none.
template <class T, class B>
using ScaleOf = std::conditional_t<sizeof(T) == 2 && !std::is_void_v<fp8_source_of<B>>, fp8_factor_of<B>, void>;

/// A bound expression, and where it lies in memory if `cp.async` can read it from there; or its one tensor in fp8, whose
/// rows wait in registers until the rest is evaluated, if its scale is one number along a row.
template <class T, class B>
struct Operand : std::conditional_t<std::is_void_v<ScaleOf<T, B>>, NoPlace, ScaleAxes> {
    using Fp8 = std::conditional_t<sizeof(T) == 2, fp8_source_of<B>, void>;
    /// True of fp8 that is copied as it lies: the rest of the expression is no part of what it loads.
    static constexpr bool in_fp8 = std::is_same_v<T, fp8>;
    /// True if its type allows that; extents, strides and address may still forbid it.
    static constexpr bool maybe_copied = in_fp8 || is_paged_of<T, B> || inlay::detail::maps_heads<T, B>;
    static constexpr bool maybe_held = !std::is_void_v<Fp8>;
    using Element = std::conditional_t<maybe_held, fp8, T>;
    /// The part that lies in memory.
    using Source =
        std::conditional_t<in_fp8, fp8_source_of<B>, std::conditional_t<maybe_held, Fp8, typename B::expression>>;
    static constexpr bool paged = inlay::detail::is_pool<Element, B, Source>;
    using View = std::conditional_t<paged, PagedView<Element>, AffineView<Element, 4>>;
    using Place = std::conditional_t<paged, std::int32_t, NoPlace>;
    using Scale = ScaleOf<T, B>;
    static constexpr bool scaled = !std::is_void_v<Scale>;
    B bound;
    View view{};

    Operand(const B& b, const Extents<4>& extents) : bound(b) {
        if constexpr (scaled) static_cast<ScaleAxes&>(*this) = scale_axes<Scale>(b.env);
        if constexpr (maybe_held) {
            bool even = extents_of<Source>(b.env) == extents;
            if constexpr (scaled) even = even && this->one_of_row;
            if (even) view = in_chunks(fp8_view<Source>(b), lying<Source>(b, extents));
        } else if constexpr (in_fp8) {
            view = in_chunks(fp8_view<Source>(b), lying<Source>(b, extents));
        } else if constexpr (paged) {
            view = in_chunks(paged_view(b), lying<Source>(b, extents));
        } else if constexpr (maybe_copied) {
            view = in_chunks(affine_view(b), extents);
        }
    }

private:
    /// The extents of a view in memory: pages have those of their pool.
    template <class S>
    static Extents<4> lying(const B& b, const Extents<4>& extents) {
        if constexpr (paged) return extents_of<type_at<0, typename S::children>>(b.env);
        else return extents;
    }
    /// The view if all its rows are whole chunks, of 16 bytes or of the 8 elements that become as many, else none.
    static View in_chunks(const View& v, const Extents<4>& extents) {
        constexpr int chunk = chunk_of<T>, bytes = chunk * static_cast<int>(sizeof(Element));
        bool ok = v.data && reinterpret_cast<std::uintptr_t>(v.data) % bytes == 0 && extents[3] % 8 == 0 &&
                  v.strides[3] == 1;
        for (int i = 0; i < 3; ++i) ok = ok && (extents[i] == 1 || v.strides[i] % chunk == 0);
        return ok ? v : View{};
    }
};

/// A scale at the row of c.
template <class Scale, class B>
__device__ INLAY_INLINE float scale_at(const B& bound, const Extents<4>& c) {
    CursorsOf<Scale, B, float> cursors;
    Walk<4> w{c, -1, 1};
    cursors.place(bound, w, nullptr);
    return cursors.eval(bound, ScalarReader<float>{}, 0);
}

/// K or V in fp8, copied as they lie, and their scale apart; 1 where they have none.
template <class B>
struct Fp8Operand : Operand<fp8, B> {
    using Factor = fp8_factor_of<B>;
    bool one_of_keys;   ///< the scale is the same for all keys of a head

    Fp8Operand(const B& b, const Extents<4>& extents)
        : Operand<fp8, B>(b, extents), one_of_keys(fp8_scale_axes(b).one_of_keys) {}
    __device__ INLAY_INLINE float scale([[maybe_unused]] int batch, [[maybe_unused]] int head,
                                        [[maybe_unused]] int key) const {
        if constexpr (std::is_void_v<Factor>) return 1.0f;
        else return scale_at<Factor>(this->bound, {{batch, head, key, 0}});
    }
};

/// An operand that lies in shared memory as Cache.
template <class T, class B, class Cache>
using CachedOperand = std::conditional_t<std::is_same_v<T, Cache>, Operand<T, B>, Fp8Operand<B>>;

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

/// A thread's share of Rows rows in shared memory, divided among the Threads of a block or of a warp: chunks of every
/// `at_once`th row.
template <class Row, int Rows, int Threads>
struct RowShare {
    static constexpr int all = Rows, threads = Threads;
    static constexpr int lanes = Threads < Row::chunks ? Threads : Row::chunks, at_once = Threads / lanes;
    static constexpr int rows = (Rows + at_once - 1) / at_once, columns = (Row::chunks + lanes - 1) / lanes;

    /// This thread's number among them.
    __device__ INLAY_INLINE static int number() {
        if constexpr (Threads == warp_size) return lane_index();
        else return thread_index();
    }
    __device__ INLAY_INLINE static int first_chunk() { return number() % lanes; }
    __device__ INLAY_INLINE static int first_row() { return number() / lanes; }
};

/// The places of a thread's rows: all are read before the first copy begins, which takes no later read with it.
template <class Share, class Place>
struct RowPlaces {
    Place at[Share::rows] = {};

    template <class From, class Where>
    __device__ INLAY_INLINE void read(const From& from, const Where& where) {
        if constexpr (From::paged) {
            if (!from.view.data) return;
            const int row = Share::first_row();
            INLAY_UNROLL
            for (int i = 0; i < Share::rows; ++i) {
                Extents<4> c;
                const bool there = where.at(row + i * Share::at_once, c);
                at[i] = there ? *from.view.id(c[0], static_cast<unsigned>(c[2])) : 0;
            }
        }
    }
    /// A function of the number of a row of this thread, its coordinate and a column: the address of that.
    template <class View, class Where>
    __device__ INLAY_INLINE auto addresses(const View& view, const Where&) const {
        return [this, &view](int i, const Extents<4>& c, int column) { return element_at(view, at[i], c, column); };
    }
};

/// Those of a warp's rows in pages: each lane has one row, reads its id and computes its address for the others.
template <class Share>
    requires(Share::threads == warp_size && Share::all <= warp_size && warp_size % Share::lanes == 0 &&
             Share::all % Share::at_once == 0)
struct RowPlaces<Share, std::int32_t> {
    std::int32_t id = 0;

    template <class From, class Where>
    __device__ INLAY_INLINE void read(const From& from, const Where& where) {
        Extents<4> c;
        if (from.view.data && where.at(own(), c)) id = *from.view.id(c[0], static_cast<unsigned>(c[2]));
    }
    template <class View, class Where>
    __device__ INLAY_INLINE auto addresses(const View& view, const Where& where) const {
        Extents<4> c;
        where.at(own(), c);
        const auto* const p = element_at(view, id, c, 0);
        return [p](int i, const Extents<4>&, int column) {
            const auto row = shuffle(reinterpret_cast<std::uintptr_t>(p), Share::first_row() + i * Share::at_once);
            return reinterpret_cast<decltype(p)>(row) + column;
        };
    }

private:
    __device__ INLAY_INLINE static int own() { return lane_index() % Share::all; }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::flash
