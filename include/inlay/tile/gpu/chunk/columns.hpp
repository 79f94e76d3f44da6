// SPDX-License-Identifier: Apache-2.0
/// N columns of an expression, row after row: their places are found once.
#pragma once

#include <inlay/tile/gpu/chunk/access.hpp>

namespace inlay::inline INLAY_ABI::on_gpu::detail {

/// Reads N columns of row j where every leaf holds them consecutive and aligned.
template <int N>
struct ColumnsReader {
    using scalar = float;
    using value = Vec<float, N>;

    template <class T>
    __device__ INLAY_INLINE value load(const T* p, index_t step, index_t j) const {
        return load_vector<N>(p + j * step);
    }
};

template <int N, class Cursor>
__device__ INLAY_INLINE bool dense_columns(const Cursor&, const Cursor&) {
    return true;
}
template <int N, class T>
__device__ INLAY_INLINE bool dense_columns(const inlay::detail::row_cursor<T>& across,
                                           const inlay::detail::row_cursor<T>& down) {
    return dense_leaf<N>(across) && (down.step * static_cast<index_t>(sizeof(T))) % vector_alignment<T, N> == 0;
}

/// N columns of a bound expression from coordinate c on, for n steps along `axis`: the cursors are placed once.
template <int N, class B, int R>
class ColumnReader {
    using List = flatten<typename B::expression>;

public:
    static constexpr bool possible = walks_down<typename B::expression>;

    __device__ INLAY_INLINE ColumnReader(const B& bound, const Extents<R>& c, int axis, index_t n) : bound_(bound) {
        if constexpr (possible) {
            Walk<R> w{c, R - 1, N}, d{c, axis, n};
            CursorsOf<typename B::expression, B, Vec<float, N>> across;
            across.place(bound, w, nullptr);
            cursors_.place(bound, d, nullptr);
            dense_ = w.run == N && d.run == n && dense(across, std::make_integer_sequence<int, List::values::size>{});
        }
    }
    __device__ INLAY_INLINE bool dense() const { return dense_; }
    __device__ INLAY_INLINE Vec<float, N> operator[](index_t j) const {
        return cursors_.eval(bound_, ColumnsReader<N>{}, j);
    }

private:
    template <int... I>
    __device__ INLAY_INLINE bool dense(const CursorsOf<typename B::expression, B, Vec<float, N>>& across,
                                       std::integer_sequence<int, I...>) const {
        return (dense_columns<N>(get<I>(across.cursor), get<I>(cursors_.cursor)) && ...);
    }

    const B& bound_;
    CursorsOf<typename B::expression, B, Vec<float, N>> cursors_;
    bool dense_ = false;
};

}  // namespace inlay::inline INLAY_ABI::on_gpu::detail
