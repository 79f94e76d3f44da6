// SPDX-License-Identifier: Apache-2.0
/// Pad: Before and After elements of a constant around an axis. Nest it for several axes.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <class E, auto Axis, auto Before, auto After, detail::Real Value>
struct Pad : view<E> {
    static_assert(detail::at_least<Before>(0) && detail::at_least<After>(0),
                  "inlay: Pad pads by at least 0; negative padding is a Slice");
    using key = Pad;
    static constexpr bool piecewise = true;
    static constexpr int pieces = 1;
    static constexpr double fill = detail::value_of(Value);
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Pad names an axis that its operand does not have");
    }
    struct State {
        int axis;
        index_t before, size;
    };

    template <class Environment, int R>
    static State bind(const Environment& env, const Extents<R>& in) {
        const int axis = normal_axis<Pad>(argument_value<Axis>(env), R);
        return {axis, argument_value<Before>(env), in[axis]};
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment& env, Extents<R> in) {
        const State s = bind(env, in);
        const index_t after = argument_value<After>(env);
        require(s.before >= 0 && after >= 0, name<Pad>(), ": pads by ", s.before, " and ", after,
                "; negative padding is a Slice");
        in[s.axis] = checked_sum(in[s.axis], checked_sum(s.before, after));
        return in;
    }
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        const int axis = detail::axis_of<Axis, R>(s.axis);
        const index_t i = w.c[axis] - s.before;
        const bool inside = i >= 0 && i < s.size;
        if (w.moves(axis) && i < s.size) w.limit(inside ? s.size - i : -i);
        return inside ? 0 : -1;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const State& s, Walk<R> w) {
        w.c[detail::axis_of<Axis, R>(s.axis)] -= s.before;
        return w;
    }
};

}  // namespace node

template <class E, auto Axis, auto Before, auto After, auto Value = 0>
using Pad = node::Pad<E, detail::normal<Axis>::value, detail::normal<Before>::value, detail::normal<After>::value,
                      detail::real_of<Value>()>;

template <auto Axis, auto Before, auto After, auto Value = 0, Expr E>
INLAY_FN constexpr Pad<E, Axis, Before, After, Value> pad(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
