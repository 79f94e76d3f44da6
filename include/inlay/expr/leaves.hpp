// SPDX-License-Identifier: Apache-2.0
/// The leaves of a list of cursors, by number, for kernels that copy, step or inspect them without evaluating anything.
#pragma once

#include <inlay/expr/eval.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// Leaves of a list of cursors that are read at once: of a piecewise view, those of one piece.
template <class C>
inline constexpr int leaves_of = 0;
template <class T>
inline constexpr int leaves_of<row_cursor<T>> = 1;
template <class P>
inline constexpr int leaves_in = 0;
template <class... C>
inline constexpr int leaves_in<pack<C...>> = (leaves_of<C> + ... + 0);
template <class P>
inline constexpr int most_leaves_in = 0;
template <class... C>
inline constexpr int most_leaves_in<pack<C...>> = max_of({0, leaves_of<C>...});
template <class F, class B, class Acc>
inline constexpr int leaves_of<Cursors<F, B, Acc>> = leaves_in<decltype(Cursors<F, B, Acc>::cursor)>;
template <class V, class B, class Acc>
inline constexpr int leaves_of<piece_cursor<V, B, Acc>> = most_leaves_in<decltype(piece_cursor<V, B, Acc>::piece)>;

/// f.leaf<I>(cursor) for each leaf that is read, I its number, and f.coordinate(cursor).
template <int First, class T, class F>
INLAY_FN INLAY_INLINE void each_leaf(row_cursor<T>& c, F& f) {
    f.template leaf<First>(c);
}
template <int First, class Acc, class F>
INLAY_FN INLAY_INLINE void each_leaf(gate_cursor<Acc>& c, F& f) {
    if constexpr (requires { f.gate(c); }) f.gate(c);
}
template <int First, class F>
INLAY_FN INLAY_INLINE void each_leaf(coord_cursor& c, F& f) {
    f.coordinate(c);
}
template <int First, class F>
INLAY_FN INLAY_INLINE void each_leaf(no_cursor&, F&) {}
template <int First, class F>
INLAY_FN INLAY_INLINE void each_leaf(row_number_cursor&, F&) {}
template <int First, class V, class B, class Acc, class F>
INLAY_FN INLAY_INLINE void each_leaf(piece_cursor<V, B, Acc>& c, F& f);
template <int First, class F_, class B, class Acc, class F>
INLAY_FN INLAY_INLINE void each_leaf(Cursors<F_, B, Acc>& c, F& f);
template <int First, class... C, class F, int... I>
INLAY_FN INLAY_INLINE void each_leaf_of(pack<C...>& p, F& f, std::integer_sequence<int, I...>) {
    constexpr int leaves[] = {leaves_of<C>...};
    constexpr auto before = [](const int* n, int i) {
        int sum = 0;
        for (int k = 0; k < i; ++k) sum += n[k];
        return sum;
    };
    (each_leaf<First + before(leaves, I)>(get<I>(p), f), ...);
}
template <int First, class F_, class B, class Acc, class F>
INLAY_FN INLAY_INLINE void each_leaf(Cursors<F_, B, Acc>& c, F& f) {
    using P = decltype(c.cursor);
    each_leaf_of<First>(c.cursor, f, std::make_integer_sequence<int, P::size>{});
}
template <int First, class... C, class F, int... I>
INLAY_FN INLAY_INLINE void each_leaf_of_piece(pack<C...>& p, int active, F& f, std::integer_sequence<int, I...>) {
    ((active == I ? each_leaf<First>(get<I>(p), f) : void()), ...);
}
template <int First, class V, class B, class Acc, class F>
INLAY_FN INLAY_INLINE void each_leaf(piece_cursor<V, B, Acc>& c, F& f) {
    using P = decltype(c.piece);
    each_leaf_of_piece<First>(c.piece, c.active, f, std::make_integer_sequence<int, P::size>{});
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
