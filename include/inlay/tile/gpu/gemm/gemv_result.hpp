// SPDX-License-Identifier: Apache-2.0
/// An element of the result of a product of a few rows: operands of its epilogue are prefetched, or in registers, while
/// the sum is made.
#pragma once

#include <inlay/expr/leaves.hpp>
#include <inlay/tile/gpu/epilogue/chunk.hpp>
#include <inlay/tile/gpu/isa.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// Prefetches the operands of an element's epilogue.
struct AskForElement {
    template <int, class T>
    __device__ INLAY_INLINE void leaf(inlay::detail::row_cursor<T>& c) const {
        if constexpr (Storage<std::remove_cv_t<T>>) prefetch_line(c.p);
    }
    __device__ INLAY_INLINE void coordinate(inlay::detail::coord_cursor&) const {}
};
template <class E, int R>
__device__ INLAY_INLINE void ask_for_element(const E& epilogue, const Extents<R>& c) {
    CursorsOf<typename E::expression, E, Vec<float, 1>> cursors;
    Walk<R> w{c, R - 1, index_t(1)};
    cursors.place(epilogue, w, nullptr);
    AskForElement ask;
    inlay::detail::each_leaf<0>(cursors, ask);
}

/// Row r and column n of block `batch` of the result.
template <class Args>
__device__ INLAY_INLINE void ask_for_result(const Args& a, int batch, int r, int n) {
    auto c = a.place(batch, r);
    c.back(0) += n;
    ask_for_element(a.epilogue, c);
}
template <class Args>
__device__ INLAY_INLINE void write_result(const Args& a, int batch, int r, int n, float sum) {
    auto c = a.place(batch, r);
    c.back(0) += n;
    const Vec<float, 1> v(sum);
    store_epilogue<1, stored_by<typename Args::Sink>>(a.epilogue, a.sink, c, 1, &v);
}

/// An element of the result, for the thread that stores it: its epilogue's operands are in registers, and its place is
/// found, before its sum is there.
/// Not `WgmmaEpiloguePrefetch`, which keeps chunks of rows: a thread has one element here.
template <class Args>
class ElementPrefetch {
public:
    __device__ INLAY_INLINE void read(const Args& a, int batch, int r, int n) {
        auto c = a.place(batch, r);
        c.back(0) += n;
        Walk<Args::rank> w{c, Args::rank - 1, index_t(1)};
        cursors_.place(a.epilogue, w, nullptr);
        Keep keep{kept_};
        inlay::detail::each_leaf<0>(cursors_, keep);
        if constexpr (one_type) {
            NoteRun<U> note;
            a.sink.root.place(a.sink.outs, Walk<Args::rank>{c, Args::rank - 1, index_t(1)}, 0, note);
            to_ = note.p;
        }
    }
    /// After `read` of the same element.
    __device__ INLAY_INLINE void write(const Args& a, int batch, int r, int n, float sum) const {
        Cursors cursors = cursors_;
        const Value out(sum);
        Point point{kept_, &out};
        inlay::detail::each_leaf<0>(cursors, point);
        const Value v = cursors.eval(a.epilogue, VectorReader<1, U>{}, 0);
        if constexpr (one_type) {
            store_vector<1>(to_, v);
        } else {
            auto c = a.place(batch, r);
            c.back(0) += n;
            write_chunk<1>(a.sink, c, 1, v);
        }
    }

private:
    using Value = Vec<float, 1>;
    using Epilogue = typename Args::Epilogue;
    using Cursors = CursorsOf<typename Epilogue::expression, Epilogue, Value>;
    using U = stored_by<typename Args::Sink>;
    static constexpr bool one_type = !std::is_void_v<U>;
    using Kept = unsigned char[inlay::detail::leaves_of<Cursors> + 1][4];
    template <class T>
    static constexpr bool is_kept = Storage<T> && sizeof(T) <= 4;

    struct Keep {
        Kept& kept;

        template <int I, class T>
        __device__ INLAY_INLINE void leaf(inlay::detail::row_cursor<T>& c) const {
            if constexpr (!is_kept<T>) return;
            const T x = *c.p;
            __builtin_memcpy(kept[I], &x, sizeof(T));
        }
        __device__ INLAY_INLINE void coordinate(inlay::detail::coord_cursor&) const {}
    };
    struct Point {
        const Kept& kept;
        const Value* out;

        template <int I, class T>
        __device__ INLAY_INLINE void leaf(inlay::detail::row_cursor<T>& c) const {
            if constexpr (is_kept<T>) c.p = reinterpret_cast<const T*>(kept[I]);
            else if constexpr (std::is_same_v<T, Value>) c.p = out;
        }
        __device__ INLAY_INLINE void coordinate(inlay::detail::coord_cursor&) const {}
    };

    Cursors cursors_;
    alignas(4) Kept kept_;
    U* to_ = nullptr;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
