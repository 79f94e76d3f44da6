// SPDX-License-Identifier: Apache-2.0
/// Targets: the members that a frame may call to have its work done. Each is a template that returns void and takes any
/// expression, sink, operation and rank; a call of it is looked for, not compiled.
#pragma once

#include <inlay/core/extents.hpp>
#include <inlay/tile/shapes.hpp>

namespace inlay::inline INLAY_ABI {

/// In place of an expression, a sink, a weight, a row map or an operation.
struct any_argument {};

// A struct a member: `in<T>` is true of a target that has it, `demand` is the sentence for one that has not. A frame
// names the one it calls as `calls`.

/// An expression at every coordinate: Elementwise.
struct map_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.map(Extents<2>{}, a, a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "map(extents, in, sink), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};
/// A row operation on every row: Softmax, LayerNorm, RMSNorm.
struct rows_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.rows(Extents<2>{}, a, a, a, a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "rows(extents, in, op, epilogue, sink), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};
/// GroupNorm.
struct group_norm_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.template group_norm<1>(Extents<2>{}, 0.0, a, a, a, a, a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "group_norm<Groups>(extents, eps, gamma, beta, in, epilogue, sink), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};
/// Reduce. `Rows`: the last axis is among the reduced ones. `n`: elements of each result.
struct reduce_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.template reduce<void, true>(Extents<2>{}, Extents<2>{}, 0.0, a, a, a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "reduce<Op, Rows>(out, reduced, n, in, epilogue, sink), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};
/// Linear, Conv2D, UpsampledConv2D. `rows`: a row map; `place`: a call that maps a row of the result to the coordinate
/// of its first column.
struct matmul_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.template matmul<void>(MatmulShape{}, a, a, a, a, a, a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "matmul<Schedule>(shape, weight, in, rows, epilogue, sink, place), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};
/// Attention. `scores`: the environment of the score, of the extents [B, heads, Sq, Skv].
struct attention_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.template attention<void>(AttentionShape{}, a, a, a, a, a, a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "attention<Form>(shape, q, k, v, scores, epilogue, sink), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};
/// Behind every frame: statistics of what was stored, for a `WithStats` or `WithRowStats` sink.
struct publish_stats_member {
    template <class T>
    static constexpr bool in = requires(T& target, const any_argument& a) {
        target.publish_stats(a);
    };
    template <bool ok>
    static constexpr void demand() {
        static_assert(ok, "inlay: the target of run has no "
                          "publish_stats(sink), "
                          "which this frame calls; frame/target.hpp has all members of a target");
    }
};

/// A target of every frame. One with some of the members runs the frames that call those.
template <class T>
concept Target = map_member::in<T> && rows_member::in<T> && group_norm_member::in<T> && reduce_member::in<T> &&
                 matmul_member::in<T> && attention_member::in<T> && publish_stats_member::in<T>;

}  // namespace inlay::inline INLAY_ABI
