// SPDX-License-Identifier: Apache-2.0
/// Slice: Size elements of an axis from Start. Axis, start and size are numbers or scalar slots.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

template <class E, auto Axis, auto Start, auto Size>
struct Slice : view<E> {
    static_assert(detail::at_least<Start>(0) && detail::at_least<Size>(0),
                  "inlay: Slice takes Size elements from Start, both at least 0");
    using key =
        std::conditional_t<detail::counts_from_last<Axis>(), Slice<detail::any_child, Axis, Start, Size>, Slice>;
    template <int R>
    static constexpr int rank = R;
    template <int R>
    static constexpr bool accepts = detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Slice names an axis that its operand does not have");
    }
    struct State {
        int axis;
        index_t start;
    };

    template <class Environment, int R>
    static State bind(const Environment& env, const Extents<R>&) {
        return {normal_axis<Slice>(argument_value<Axis>(env), R), argument_value<Start>(env)};
    }
    template <class Environment, int R>
    static Extents<R> extents(const Environment& env, Extents<R> in) {
        const State s = bind(env, in);
        const index_t size = argument_value<Size>(env);
        if (s.start < 0 || size < 0)
            fail(name<Slice>() + ": takes " + decimal_text(size) + " elements from " + decimal_text(s.start) +
                 ", expected numbers that are not negative");
        if (checked_sum(s.start, size) > in[s.axis])
            fail(name<Slice>() + ": [" + decimal_text(s.start) + ", " + decimal_text(checked_sum(s.start, size)) +
                 ") is outside axis " + decimal_text(s.axis) + " of " + text(in));
        in[s.axis] = size;
        return in;
    }
    template <int K, class B, int R>
    INLAY_FN static Walk<R> enter(const B&, const State& s, Walk<R> w) {
        w.c[detail::axis_of<Axis, R>(s.axis)] += s.start;
        return w;
    }
};

}  // namespace node

template <class E, auto Axis, auto Start, auto Size>
using Slice = node::Slice<E, detail::normal<Axis>::value, detail::normal<Start>::value, detail::normal<Size>::value>;
template <class E, auto Start, auto Size>
using SliceLast = Slice<E, -1, Start, Size>;

template <auto Axis, auto Start, auto Size, Expr E>
INLAY_FN constexpr Slice<E, Axis, Start, Size> slice(E) {
    return {};
}
template <auto Start, auto Size, Expr E>
INLAY_FN constexpr SliceLast<E, Start, Size> slice_last(E) {
    return {};
}

}  // namespace inlay::inline INLAY_ABI
