// SPDX-License-Identifier: Apache-2.0
/// Dilate: Factor − 1 zeros between neighbours along some axes, [n] → [(n − 1)·Factor + 1], as the input of a
/// transposed convolution.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <class E, index_t Factor, index_t... Axes>
struct Dilate : view<E> {
    static_assert(Factor >= 1, "inlay: Dilate needs a factor of at least 1");
    static_assert(sizeof...(Axes) >= 1, "inlay: Dilate needs an axis");
    using key = Dilate;
    static constexpr bool piecewise = true;
    static constexpr int pieces = 1;
    static constexpr double fill = 0;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = detail::are_axes<Axes...>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Dilate names an axis that its operand does not have, or one twice");
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment&, Extents<R> in) {
        for (int a : {normal_axis<Dilate>(Axes, R)...})
            in[a] = in[a] > 0 ? checked_sum(checked_product(in[a] - 1, Factor), 1) : 0;
        return in;
    }
    /// An element or a zero; along a dilated axis a run is one step.
    template <int R>
    INLAY_FN static int piece(const NoState&, Walk<R>& w) {
        if ((w.moves(detail::axis_of<Axes, R>()) || ...) && Factor > 1) w.limit(1);
        return ((w.c[detail::axis_of<Axes, R>()] % Factor != 0) || ...) ? -1 : 0;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const NoState&, Walk<R> w) {
        ((w.c[detail::axis_of<Axes, R>()] /= Factor), ...);
        return w;
    }
};

}  // namespace node

template <class E, auto Factor, auto... Axes>
using Dilate = node::Dilate<E, detail::index<Factor>, detail::index<Axes>...>;

template <auto Factor, auto... Axes, Expr E>
INLAY_FN constexpr Dilate<E, Factor, Axes...> dilate(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
