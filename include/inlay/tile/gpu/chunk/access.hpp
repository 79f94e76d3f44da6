// SPDX-License-Identifier: Apache-2.0
/// A chunk: up to N consecutive elements of a row, as a vector of floats in the registers of one thread. Reads a bound
/// expression into a chunk, and stores a chunk through a bound sink. A chunk that one run of every leaf covers is one
/// evaluation, whose leaves load 16 bytes at a time where they are aligned; else it is one evaluation per run.
#pragma once

#include <inlay/expr/eval.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/plan/access/chunks.hpp>
#include <inlay/tile/gpu/chunk/vector.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

namespace detail {

template <int N>
__device__ INLAY_INLINE Vec<float, N> count_up(float start, float step) {
    Vec<float, N> v;
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) v.v[i] = start + step * static_cast<float>(i);
    return v;
}

/// The one storage type of several outputs, or void.
template <class Outs>
struct one_storage {
    using type = void;
};
template <class T, class... More>
struct one_storage<pack<T, More...>> {
    using type = std::conditional_t<(std::is_same_v<typename T::value_type, typename More::value_type> && ...),
                                    typename T::value_type, void>;
};
/// The type to which a sink stores values in these outputs; published statistics do not count.
template <class S, class Outs>
struct storage_of : one_storage<Outs> {};
template <int I, int J, class... T>
struct storage_of<WithStats<Store<I>, J>, pack<T...>> {
    using type = typename type_at<I, types<T...>>::value_type;
};
template <int I, int J, class... T>
struct storage_of<WithRowStats<Store<I>, J>, pack<T...>> {
    using type = typename type_at<I, types<T...>>::value_type;
};
/// The same of a bound sink.
template <class Sink>
using stored_by = typename storage_of<typename Sink::sink, std::remove_cvref_t<decltype(Sink::outs)>>::type;

/// True if values that become T are rounded to 16 bits or fewer.
template <class T>
inline constexpr bool is_coarse = sizeof(T) <= 2;
template <>
inline constexpr bool is_coarse<void> = false;

/// Reads lanes [first, first + run) of a chunk, for values that become T; the other lanes hold anything. Element 0 of
/// the run is lane `first`.
template <int N, class T = float>
struct LaneReader {
    using scalar = float;
    using value = Vec<float, N>;
    static constexpr bool coarse = is_coarse<T>;
    int first, run;

    template <class U>
    __device__ INLAY_INLINE value load(const U* p, index_t step, index_t) const {
        return load_lanes<N>(p, step, first, run);
    }
    /// `Out`: the accumulators are a chunk already.
    __device__ INLAY_INLINE value load(const value* acc, index_t, index_t) const { return *acc; }
    __device__ INLAY_INLINE value iota(float start, float step) const {
        return count_up<N>(start - step * static_cast<float>(first), step);
    }
};

/// Reads N elements without a branch, where every leaf is `dense_leaf`, for values that become T.
template <int N, class T = float>
struct VectorReader {
    using scalar = float;
    using value = Vec<float, N>;
    static constexpr bool coarse = is_coarse<T>;

    template <class U>
    __device__ INLAY_INLINE value load(const U* p, index_t, index_t j) const {
        return load_vector<N>(p + j);
    }
    __device__ INLAY_INLINE value load(const value* acc, index_t, index_t) const { return *acc; }
    __device__ INLAY_INLINE value iota(float start, float step) const { return count_up<N>(start, step); }
};

template <int N, class Cursor>
__device__ INLAY_INLINE bool dense_leaf(const Cursor&) {
    return true;
}
template <int N, class T>
__device__ INLAY_INLINE bool dense_leaf(const inlay::detail::row_cursor<T>& c) {
    return c.step == 1 && is_aligned(c.p, vector_alignment<T, N>);
}
template <int N, int M>
__device__ INLAY_INLINE bool dense_leaf(const inlay::detail::row_cursor<Vec<float, M>>&) {
    return true;
}
/// Leaves of a piecewise view: those of the piece that the row is in.
template <int N, class V, class B, class Acc>
__device__ INLAY_INLINE bool dense_leaf(const inlay::detail::piece_cursor<V, B, Acc>& c);
template <int N, class List, int... I>
__device__ INLAY_INLINE bool dense_leaves(const List& list, std::integer_sequence<int, I...>) {
    return (dense_leaf<N>(get<I>(list.cursor)) && ...);
}
template <int N, class List>
__device__ INLAY_INLINE bool dense_leaves(const List& list) {
    return dense_leaves<N>(list, std::make_integer_sequence<int, List::list::size>{});
}
/// Functions instead of lambdas, which clang for AMD inlines too late: as with INLAY_WITH_CALLER, it would choose the
/// piece by an address and keep all cursors in private memory.
template <int N, class Piece, int... I>
__device__ INLAY_INLINE bool dense_piece(const Piece& c, std::integer_sequence<int, I...>) {
    return ((c.active == I && dense_leaves<N>(get<I>(c.piece))) || ...);
}
template <int N, class V, class B, class Acc>
__device__ INLAY_INLINE bool dense_leaf(const inlay::detail::piece_cursor<V, B, Acc>& c) {
    return dense_piece<N>(c, std::make_integer_sequence<int, V::node::pieces>{});
}
/// True if placing its cursors reads no memory, by the paths, which end at pieces; only then may it be done before the
/// kernel before has ended.
template <class List>
inline constexpr bool found_without_reading = false;
template <class... V>
inline constexpr bool found_without_reading<types<V...>> =
    !inlay::detail::has_pieces<types<V...>> && !(inlay::detail::path_gathers(typename V::path{}) || ...);

}  // namespace detail

/// n ≤ N values of a bound expression from coordinate c along its last axis; lanes from n on hold anything. `acc`: the
/// sums that `Out` reads there; T: the type to which values are stored, if it is one.
template <int N, class T = float, class B, int R>
__device__ INLAY_INLINE Vec<float, N> read_chunk(const B& bound, Extents<R> c, int n,
                                                 const Vec<float, N>* acc = nullptr) {
    static_assert(R >= 1, "inlay: a kernel's result has at least one axis");
    CursorsOf<typename B::expression, B, Vec<float, N>> cursors;
    Vec<float, N> v;
    for (int done = 0; done < n;) {
        Walk<R> w{c, R - 1, n - done};
        cursors.place(bound, w, acc);
        const int run = static_cast<int>(w.run);
        const Vec<float, N> part = cursors.eval(bound, detail::LaneReader<N, T>{done, run}, 0);
        if (run == n) return part;
        INLAY_UNROLL
        for (int i = 0; i < N; ++i) v.v[i] = i >= done ? part.v[i] : v.v[i];
        done += run;
        c.back(0) += run;
    }
    return v;
}

/// The n elements of a bound expression from coordinate c along its last axis, for threads that read chunks at random:
/// the cursors are placed once. T: the type to which values are stored, if it is one.
template <int N, class B, int R, class T = float>
class RowReader {
public:
    __device__ INLAY_INLINE RowReader(const B& bound, const Extents<R>& c, index_t n)
        : bound_(bound) {
        Walk<R> w{c, R - 1, n};
        cursors_.place(bound, w, nullptr);
        dense_ = w.run == n && n % N == 0 && detail::dense_leaves<N>(cursors_);
    }
    /// True if `operator[]` may be used: every leaf is consecutive and aligned all along.
    __device__ INLAY_INLINE bool dense() const { return dense_; }
    /// Elements j to j + N, j a multiple of N. Loads without a branch but to a piece, so that those of several chunks
    /// overlap.
    __device__ INLAY_INLINE Vec<float, N> operator[](index_t j) const {
        return cursors_.eval(bound_, detail::VectorReader<N, T>{}, j);
    }

private:
    const B& bound_;
    CursorsOf<typename B::expression, B, Vec<float, N>> cursors_;
    bool dense_ = false;
};

namespace detail {

/// The function that a bound sink calls for each run of a chunk.
template <int N>
struct StoreRun {
    const Vec<float, N>& v;

    template <class T>
    __device__ INLAY_INLINE void operator()(T* p, index_t step, index_t first, index_t run) const {
        store_lanes<N>(p, step, static_cast<int>(first), static_cast<int>(run), v);
    }
};

}  // namespace detail

/// Stores the first n ≤ N lanes through a bound sink, to coordinate c of the result and further along its last axis.
template <int N, class Sink, int R>
__device__ INLAY_INLINE void write_chunk(const Sink& sink, const Extents<R>& c, int n, const Vec<float, N>& v) {
    sink.row(c, n, detail::StoreRun<N>{v});
}

namespace detail {

/// The first run of a sink.
template <class U>
struct NoteRun {
    U* p = nullptr;
    index_t step = 0, run = 0;

    __device__ INLAY_INLINE void operator()(U* to, index_t s, index_t first, index_t n) {
        if (first == 0) p = to, step = s, run = n;
    }
};

}  // namespace detail

/// The places of n elements of a result from coordinate c along its last axis, found once for threads that store chunks
/// at random.
template <int N, class Sink, int R>
class RowWriter {
    using T = detail::stored_by<Sink>;
    using Stored = std::conditional_t<std::is_void_v<T>, float, T>;

public:
    __device__ INLAY_INLINE RowWriter(const Sink& sink, const Extents<R>& c, index_t n) {
        if constexpr (!std::is_void_v<T>) {
            detail::NoteRun<Stored> to;
            sink.root.place(sink.outs, Walk<R>{c, R - 1, n}, 0, to);
            p_ = to.p;
            dense_ = to.run == n && n % N == 0 && to.step == 1 && is_aligned(p_, vector_alignment<Stored, N>);
        }
    }
    /// True if `store` may be used: all of them are consecutive and aligned.
    __device__ INLAY_INLINE bool dense() const { return dense_; }
    /// Elements j to j + N, j a multiple of N.
    __device__ INLAY_INLINE void store(index_t j, const Vec<float, N>& v) const { store_vector<N>(p_ + j, v); }

private:
    Stored* p_ = nullptr;
    bool dense_ = false;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
