// SPDX-License-Identifier: Apache-2.0
/// The base of every frame, a kernel with holes for input expressions, an epilogue and a sink, and a schedule.
#pragma once

#include <inlay/core/error.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/expr/print.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/frame/target.hpp>
#include <inlay/tile/shapes.hpp>

#include <concepts>

namespace inlay::inline INLAY_ABI {

/// Tag of every frame. A frame defines
///
///     using prologues = types<In...>;  using epilogue = …;  using sink = …;   // its holes
///     static constexpr int weights;                                           // operands that are not expressions
///     static auto shape(extents of each input…, weights…);                    // its Problem; throws on a misfit.
///         `auto`: what it asserts of ranks is the first error
///     template <class Target, class P> static void run(Target&, const P&);    // in terms of what a target offers
///
/// `frame/target.hpp` has the members of a target, over bound expressions and functors that run on host and device
/// alike. A frame that names the one it calls, as in `using calls = rows_member;`, is refused in a sentence by a target
/// that lacks it.
struct frame_tag {
    /// `kernel{}.run(cpu)` and `kernel{}(y, x)`, refused in a sentence. A frame brings `run` to its own by `using`.
    template <class... T>
        requires(sizeof...(T) != 2)
    static void run(const T&...) {
        refuse<sizeof...(T)>();
    }
    template <class... T>
    void operator()(const T&...) const {
        refuse<sizeof...(T)>();
    }

private:
    template <auto Arguments>
    static void refuse() {
        static_assert(Arguments > 999, "inlay: a kernel is a type, which prepare binds to tensors: "
                                       "prepare<kernel>(outputs, weights, tensors, scalars).run(cpu)");
    }
};

template <class K>
concept Frame = std::derived_from<K, frame_tag>;

/// The work that a frame states. R: rank of the result. `flops`: multiplications and additions of the frame itself,
/// without its expressions.
template <int R>
struct Problem {
    Extents<R> out{};
    double flops = 0;
};

/// Throws unless the weight of a product lies as its kernel reads it: dense, or packed for as many groups.
template <class K, class W>
void check_weight(const W& w, index_t groups = 1) {
    if constexpr (requires { w.groups; })
        require(w.groups == groups, name<K>(), ": the weight ", text(w.extents), " was packed for ", w.groups,
                " groups, the kernel has ", groups);
    else require(w.contiguous(), name<K>(), ": the weight ", text(w.extents), " is not dense");
}

/// The target's table chooses, by extents, at prepare.
struct Auto {};

/// A matrix schedule given by hand: block tile, pipeline stages, split along K. A template argument of Linear or
/// Conv2D.
template <int M, int N, int K, int Stages = 3, int SplitK = 1>
struct Tiled {
    static_assert(M > 0 && N > 0 && K > 0 && Stages >= 1 && SplitK >= 1, "inlay: a schedule's numbers are positive");
    static constexpr int m = M, n = N, k = K, stages = Stages, split_k = SplitK;
};

namespace detail {
template <class Schedule>
inline constexpr bool is_schedule = std::is_same_v<Schedule, Auto> || requires { Schedule::m + Schedule::split_k; };
}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
