// SPDX-License-Identifier: Apache-2.0
/// Broadcast: an operand stretched to the extents of another expression, of which only the shape is read.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <class E, class Like>
struct Broadcast : view<E, Like> {
    using key = Broadcast<detail::any_child, detail::any_child>;
    template <int R, int Q>
    static constexpr int rank = Q > R ? Q : R;
    template <int R, int Q>
    static constexpr bool accepts = R <= Q;
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Broadcast stretches an operand to an expression of at least its rank");
    }
    template <class Environment, int R, int Q>
    static auto extents(const Environment&, const Extents<R>& in, const Extents<Q>& like) {
        const auto r = broadcast_extents(in, like);
        bool ok = R <= Q;
        for (int i = 0; ok && i < Q; ++i) ok = r[i] == like[i];
        if (!ok) fail(name<Broadcast>() + ": cannot broadcast " + text(in) + " to " + text(like));
        return r;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const NoState&, const Walk<R>& w) {
        return w;
    }
};

}  // namespace node

using node::Broadcast;

template <Expr E, Expr Like>
INLAY_FN constexpr Broadcast<E, Like> broadcast(E, Like) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
