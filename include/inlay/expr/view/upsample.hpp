// SPDX-License-Identifier: Apache-2.0
/// Upsample: nearest-neighbour by an integer factor along some axes; `upsample2x` doubles H and W of an NHWC tensor.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <class E, index_t Factor, index_t... Axes>
struct Upsample : view<E> {
    static_assert(Factor >= 1, "inlay: Upsample needs a factor of at least 1");
    static_assert(sizeof...(Axes) >= 1, "inlay: Upsample needs an axis");
    using key = std::conditional_t<((Axes < 0) && ...), Upsample<detail::any_child, Factor, Axes...>, Upsample>;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = detail::are_axes<Axes...>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Upsample names an axis that its operand does not have, or one twice");
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment&, Extents<R> in) {
        for (int a : {normal_axis<Upsample>(Axes, R)...}) in[a] = checked_product(in[a], Factor);
        return in;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const NoState&, Walk<R> w) {
        (shrink(w, detail::axis_of<Axes, R>()), ...);
        return w;
    }

private:
    template <int R>
    INLAY_FN static void shrink(Walk<R>& w, int axis) {
        if (w.moves(axis)) {
            w.limit(Factor - w.c[axis] % Factor);
            w.axis = -1;
        }
        w.c[axis] /= Factor;
    }
};

}  // namespace node

template <class E, auto Factor, auto... Axes>
using Upsample = node::Upsample<E, detail::index<Factor>, detail::index<Axes>...>;
template <class E>
using Upsample2x = Upsample<E, 2, -3, -2>;

template <auto Factor, auto... Axes, Expr E>
INLAY_FN constexpr Upsample<E, Factor, Axes...> upsample(E) {
    return {};
}
template <Expr E>
INLAY_FN constexpr Upsample2x<E> upsample2x(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
