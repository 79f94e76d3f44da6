// SPDX-License-Identifier: Apache-2.0
/// Walks along the rows of an expression. A walk is a coordinate that moves along one axis; every view maps it to a
/// walk of its child and narrows its run, the number of steps for which the mapping stays affine. So each leaf is
/// reached as a pointer and a step, whatever views lie above it, and general views only make runs short.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/core/types.hpp>

namespace inlay::inline INLAY_ABI {

template <int R>
struct Walk {
    Extents<R> c{};     ///< coordinate at the start of the run
    int axis = -1;      ///< the axis that moves; -1: the coordinate stays
    index_t run = 1;    ///< steps for which this holds, at least 1

    /// True if `a` is the axis that moves. Tests that it is not negative, so that compilers do not warn of c[-1].
    INLAY_FN constexpr bool moves(int a) const { return axis >= 0 && axis == a; }
    INLAY_FN constexpr void limit(index_t n) { run = n < run ? n : run; }
};

/// The walk of an operand of extents `e`: leading axes dropped, axes of extent 1 pinned to 0.
template <int R, int Q>
INLAY_FN constexpr Walk<Q> clamped_walk(const Walk<R>& w, const Extents<Q>& e) {
    static_assert(Q <= R, "inlay: an operand has a higher rank than the expression that reads it");
    Walk<Q> r;
    r.run = w.run;
    r.axis = w.axis - (R - Q);
    if (w.axis < 0 || r.axis < 0) r.axis = -1;
    for (int i = 0; i < Q; ++i) {
        r.c[i] = e[i] == 1 ? 0 : w.c[i + (R - Q)];
        if (e[i] == 1 && r.axis == i) r.axis = -1;
    }
    return r;
}

/// One view on the way from the root to a leaf: into child K of V.
template <class V, int K>
struct path_step {};

namespace detail {

template <class B, int R>
INLAY_FN constexpr auto follow(const B&, const Walk<R>& w, types<>) {
    return w;
}
/// The walk below a path of views, outermost first.
template <class B, int R, class V, int K, class... S>
INLAY_FN constexpr auto follow(const B& bound, const Walk<R>& w, types<path_step<V, K>, S...>) {
    const auto& s = bound.template state_of<V>();
    return follow(bound, V::template enter<K>(bound, s.state, clamped_walk(w, s.extents)), types<S...>{});
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
