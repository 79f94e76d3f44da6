// SPDX-License-Identifier: Apache-2.0
/// Permuted: the axes of the result in another order.
#pragma once

#include <inlay/expr/node.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// Axis i of what is stored is axis P[i] of the result.
template <class S, index_t... P>
struct Permuted : stateless_sink<S> {
    static_assert(detail::is_permutation<P...>, "inlay: the arguments of a permuted sink are not a permutation");
    template <int R>
    static constexpr bool accepts = R == sizeof...(P);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: a permuted sink names as many axes as its output has");
    }
    /// Extents of the result, from those of the sink below.
    template <int R>
    static Extents<R> extents(const Extents<R>& stored) {
        constexpr int p[] = {static_cast<int>(P)...};
        Extents<R> e;
        for (int i = 0; i < R; ++i) e[p[i]] = stored[i];
        return e;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const NoState&, const Walk<R>& w) {
        constexpr int p[] = {static_cast<int>(P)...};
        Walk<R> r;
        r.run = w.run;
        for (int i = 0; i < R; ++i) {
            r.c[i] = w.c[p[i]];
            if (w.axis == p[i]) r.axis = i;
        }
        return r;
    }
};

}  // namespace node

template <class S, auto... P>
using Permuted = node::Permuted<S, detail::index<P>...>;

template <auto... P, Sink S>
INLAY_FN constexpr Permuted<S, P...> permuted(S) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
