// SPDX-License-Identifier: Apache-2.0
/// Scatter: elements of an axis of the result to places that an integer tensor names, as they are when the kernel runs:
/// keys and values of new tokens into a cache, at positions that a recorded program reads from the device's memory.
#pragma once

#include <inlay/expr/sink.hpp>
#include <inlay/expr/view/gather.hpp>

namespace inlay::inline INLAY_ABI {

namespace node {

/// Element i of an axis of the result at index[i] of the output, or at index[b, i] for element b of the first axis; the
/// result has as many as the index. An index outside the axis stores at the nearest place, on every target: a kernel
/// cannot throw. Of several elements with one index any is kept.
template <class S, class Index, index_t Axis>
struct Scatter : stateless_sink<S> {
    using index = Index;
    /// The tensor of indices, without its type: the batch's step is 0 where all have the same.
    struct State {
        const std::int32_t* places;
        index_t batch, step, extent;
    };
    template <int R>
    static constexpr bool accepts = detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: a scatter names an axis that its output does not have");
    }
    template <bool Ok>
    static constexpr void demand_index() {
        static_assert(Ok, "inlay: the index of Scatter is a tensor slot that holds int32, of rank 1, or of rank 2 for "
                          "an axis behind the first");
    }
    template <int R, class Environment>
    static constexpr bool fits() {
        if constexpr (detail::is_int32_slot<Index, Environment>) {
            constexpr int rank = std::remove_cvref_t<type_at<Index::slot, typename Environment::tensors>>::rank;
            return rank == 1 || (rank == 2 && detail::axis_of<Axis, R>() > 0);
        } else {
            return false;
        }
    }
    template <class Environment, int R>
    static State bind_slots(const Environment& env, const Extents<R>& stored) {
        demand_index<fits<R, Environment>()>();
        if constexpr (fits<R, Environment>()) {
            const auto& t = env.template tensor<Index::slot>();
            return {t.data, t.rank == 2 ? t.strides[0] : 0, t.strides.back(0), stored[detail::axis_of<Axis, R>()]};
        } else {
            return {};
        }
    }
    template <class Environment, int R>
    static Extents<R> extents_with(const Environment& env, Extents<R> stored) {
        if constexpr (fits<R, Environment>()) {
            constexpr int axis = detail::axis_of<Axis, R>();
            const auto places = env.template tensor<Index::slot>().extents;
            require(places.rank == 1 || places[0] == stored[0], name<Scatter>(), ": the index ", text(places), " has ",
                    places[0], " rows, the output ", text(stored), " has ", stored[0]);
            require(stored[axis] > 0 || places.back(0) == 0, name<Scatter>(), ": the output ", text(stored),
                    " has nothing along axis ", axis, " that an index could name");
            stored[axis] = places.back(0);
        }
        return stored;
    }
    template <int R>
    INLAY_FN static int piece(const State&, Walk<R>& w) {
        constexpr int axis = detail::axis_of<Axis, R>();
        if (w.moves(axis)) w.limit(1);
        if constexpr (axis > 0)
            if (w.moves(0)) w.limit(1);
        return 0;
    }
    template <int K, int R>
    INLAY_FN static Walk<R> enter(const State& s, Walk<R> w) {
        constexpr int axis = detail::axis_of<Axis, R>();
        const index_t to = s.places[w.c[0] * s.batch + w.c[axis] * s.step];
        w.c[axis] = to < 0 ? 0 : to >= s.extent ? s.extent - 1 : to;
        return w;
    }
};

}  // namespace node

template <class S, class Index, auto Axis>
using Scatter = node::Scatter<S, Index, detail::index<Axis>>;

template <auto Axis, Sink S, Expr Index>
INLAY_FN constexpr Scatter<S, Index, Axis> scatter(S, Index) {
    return {};
}

namespace detail {

/// The slot of its index is one of the kernel's.
template <class S, class Index, index_t Axis>
struct all_nodes_of<node::Scatter<S, Index, Axis>> {
    using type = unite_types<typename all_nodes_of<S>::type, types<Index, node::Scatter<S, Index, Axis>>>;
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
