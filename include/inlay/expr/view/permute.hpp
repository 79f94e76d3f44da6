// SPDX-License-Identifier: Apache-2.0
/// Permute and Transpose: axes in another order.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {
template <index_t... P>
inline constexpr bool is_permutation = [] {
    const index_t p[] = {P..., 0};
    constexpr int n = static_cast<int>(sizeof...(P));
    for (int want = 0; want < n; ++want) {
        int seen = 0;
        for (int i = 0; i < n; ++i) seen += p[i] == want;
        if (seen != 1) return false;
    }
    return true;
}();
}  // namespace detail

namespace node {

/// Axis i of the result is axis P[i] of E.
template <class E, index_t... P>
struct Permute : view<E> {
    static_assert(detail::is_permutation<P...>, "inlay: the arguments of Permute are not a permutation of 0 … rank-1");
    using key = Permute<detail::any_child, P...>;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = R == sizeof...(P);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Permute names as many axes as its operand has");
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment&, const Extents<R>& in) {
        demand<accepts<R>>();
        constexpr int p[] = {static_cast<int>(P)...};
        Extents<R> out;
        for (int i = 0; i < R; ++i) out[i] = in[p[i]];
        return out;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const NoState&, const Walk<R>& w) {
        constexpr int p[] = {static_cast<int>(P)...};
        Walk<R> r;
        r.run = w.run;
        for (int i = 0; i < R; ++i) {
            r.c[p[i]] = w.c[i];
            if (w.axis == i) r.axis = p[i];
        }
        return r;
    }
};

/// Axes A and B swapped.
template <class E, index_t A, index_t B>
struct Transpose : view<E> {
    using key = std::conditional_t<(A < 0 && B < 0), Transpose<detail::any_child, A, B>, Transpose>;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = detail::is_axis<A>(R) && detail::is_axis<B>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Transpose names an axis that its operand does not have");
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment&, Extents<R> in) {
        const int a = normal_axis<Transpose>(A, R), b = normal_axis<Transpose>(B, R);
        const index_t t = in[a];
        in[a] = in[b];
        in[b] = t;
        return in;
    }
    template <int K, class Bnd, int R>
    INLAY_FN static Walk<R> enter(const Bnd&, const NoState&, Walk<R> w) {
        constexpr int a = detail::axis_of<A, R>(), b = detail::axis_of<B, R>();
        const index_t t = w.c[a];
        w.c[a] = w.c[b];
        w.c[b] = t;
        w.axis = w.moves(a) ? b : w.moves(b) ? a : w.axis;
        return w;
    }
};

}  // namespace node

template <class E, auto... P>
using Permute = node::Permute<E, detail::index<P>...>;
template <class E, auto A, auto B>
using Transpose = node::Transpose<E, detail::index<A>, detail::index<B>>;

template <auto... P, Expr E>
INLAY_FN constexpr Permute<E, P...> permute(E) {
    return {};
}
template <auto A, auto B, Expr E>
INLAY_FN constexpr Transpose<E, A, B> transpose(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
