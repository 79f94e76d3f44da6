// SPDX-License-Identifier: Apache-2.0
/// Reduce: sum, mean, minimum, maximum or product along any axes, which keep extent 1. Groups of an axis are a Reshape
/// of the input first. NaN passes through minimum and maximum, as in PyTorch; of no elements they are an error, a sum
/// is 0, a product 1 and a mean NaN.
///
/// Holes: input expression; epilogue over Out; sink. Moves the input once.
#pragma once

#include <inlay/core/math.hpp>
#include <inlay/frame/base.hpp>

#include <limits>

namespace inlay::inline INLAY_ABI {

/// A reduction is an associative `combine` with its `identity`, and `finish(total, number of elements)`. One that
/// `needs_elements` has no value of none.
namespace reduction {
struct Sum {
    static constexpr double identity = 0;
    template <class T>
    INLAY_FN static T combine(const T& a, const T& b) {
        return a + b;
    }
    template <class T>
    INLAY_FN static T finish(const T& a, double) {
        return a;
    }
};
struct Mean : Sum {
    template <class T>
    INLAY_FN static T finish(const T& a, double n) {
        return a / T(static_cast<float>(n));
    }
};
struct Product {
    static constexpr double identity = 1;
    template <class T>
    INLAY_FN static T combine(const T& a, const T& b) {
        return a * b;
    }
    template <class T>
    INLAY_FN static T finish(const T& a, double) {
        return a;
    }
};
struct Max {
    static constexpr bool needs_elements = true;
    static constexpr double identity = -std::numeric_limits<double>::infinity();
    template <class T>
    INLAY_FN static T combine(const T& a, const T& b) {
        return (math::max)(a, b);
    }
    template <class T>
    INLAY_FN static T finish(const T& a, double) {
        return a;
    }
};
struct Min {
    static constexpr bool needs_elements = true;
    static constexpr double identity = std::numeric_limits<double>::infinity();
    template <class T>
    INLAY_FN static T combine(const T& a, const T& b) {
        return (math::min)(a, b);
    }
    template <class T>
    INLAY_FN static T finish(const T& a, double) {
        return a;
    }
};
}  // namespace reduction

/// The axes a Reduce runs over; negative ones count from the last.
template <int... A>
struct Axes {
    static_assert(sizeof...(A) >= 1, "inlay: Reduce needs an axis");
    template <int R>
    static constexpr bool has(int axis) {
        return ((axis == (A < 0 ? A + R : A)) || ...);
    }
    template <int R>
    static constexpr bool valid = ((A >= -R && A < R) && ...);
    template <int R>
    static constexpr bool distinct = detail::are_axes<A...>(R);
};

template <class Op, class Over = Axes<-1>, class In = Buf<0>, class Epilogue = Out, class S = Store<0>,
          class Schedule = Auto>
struct Reduce : frame_tag {
    static_assert(requires { Op::identity; }, "inlay: the first argument of Reduce is a reduction, such as reduction::Sum");
    static_assert(requires { Over::template valid<1>; }, "inlay: the second argument of Reduce is its axes: Axes<-1>");
    using prologues = types<In>;
    using epilogue = Epilogue;
    using sink = S;
    using schedule = Schedule;
    static constexpr int weights = 0;
    static constexpr const char* kind = "reduce";
    using calls = reduce_member;

    template <int R>
    struct Work : Problem<R> {
        Extents<R> in, reduced;  // `reduced`: extents along the reduced axes, 1 elsewhere
    };

    template <int R>
    static auto shape(const Extents<R>& in) {
        static_assert(Over::template valid<R>, "inlay: Reduce names an axis its input does not have");
        static_assert(!Over::template valid<R> || Over::template distinct<R>, "inlay: Reduce names an axis twice");
        Work<R> p{{in, static_cast<double>(count(in))}, in, in};
        for (int i = 0; i < R; ++i) (Over::template has<R>(i) ? p.out[i] : p.reduced[i]) = 1;
        if constexpr (requires { requires bool(Op::needs_elements); })
            require(has_elements(p.reduced) || !has_elements(p.out), name<Reduce>(), ": the input ", text(in),
                    " has no elements along the reduced axes, of which there would be a maximum or minimum");
        return p;
    }
    using frame_tag::run;
    template <class Target, class P>
    static void run(Target& target, const P& p) {
        constexpr int R = decltype(p.problem.in)::rank;
        const double n = static_cast<double>(count(p.problem.reduced));
        target.template reduce<Op, Over::template has<R>(R - 1)>(p.problem.out, p.problem.reduced, n, get<0>(p.in),
                                                                  p.epilogue, p.sink);
        target.publish_stats(p.sink);
    }
};

}  // namespace inlay::inline INLAY_ABI
