// SPDX-License-Identifier: Apache-2.0
/// Concat: operands one after the other along an axis. Piecewise: each row finds its operand, each run stays in one.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <auto Axis, class... E>
struct Concat : view<E...> {
    static_assert(sizeof...(E) >= 1, "inlay: Concat needs at least one operand");
    using key = Concat;
    static constexpr bool piecewise = true;
    static constexpr int pieces = static_cast<int>(sizeof...(E));
    template <int R, int... Rest>
    static constexpr int rank = R;
    template <int R, int... Rest>
    static constexpr bool accepts = ((Rest == R) && ...) && detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: the operands of Concat have one rank, and its axis is one of theirs");
    }
    struct State {
        int axis;
        index_t end[room_for<pieces>];
    };

    template <class Environment, int R, int... Rest>
    static State bind(const Environment& env, const Extents<R>& first, const Extents<Rest>&... rest) {
        demand<accepts<R, Rest...>>();
        State s{normal_axis<Concat>(argument_value<Axis>(env), R), {}};
        index_t n = first[s.axis];
        int i = 0;
        s.end[i++] = n;
        ((s.end[i++] = n = checked_sum(n, rest[s.axis])), ...);
        return s;
    }
    template <class Environment, int R, int... Rest>
    static Extents<R> extents(const Environment& env, Extents<R> out, const Extents<Rest>&... rest) {
        const State s = bind(env, out, rest...);
        [[maybe_unused]] const auto agree = [&](const Extents<R>& e) {
            for (int i = 0; i < R; ++i)
                if (i != s.axis && e[i] != out[i])
                    fail(name<Concat>() + ": operands " + text(out) + " and " + text(e) + " differ off axis " +
                         decimal_text(s.axis));
        };
        (agree(rest), ...);
        out[s.axis] = s.end[pieces - 1];
        return out;
    }
    /// The operand that holds the walk's start; the run ends where it ends.
    template <int R>
    INLAY_FN static int piece(const State& s, Walk<R>& w) {
        const int axis = detail::axis_of<Axis, R>(s.axis);
        int k = 0;
        while (k + 1 < pieces && w.c[axis] >= s.end[k]) ++k;
        if (w.moves(axis)) w.limit(s.end[k] - w.c[axis]);
        return k;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const State& s, Walk<R> w) {
        if constexpr (K > 0) w.c[detail::axis_of<Axis, R>(s.axis)] -= s.end[K - 1];
        return w;
    }
};

}  // namespace node

template <auto Axis, class... E>
using Concat = node::Concat<detail::normal<Axis>::value, E...>;

template <auto Axis, Expr... E>
INLAY_FN constexpr Concat<Axis, E...> concat(E...) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
