// SPDX-License-Identifier: Apache-2.0
/// Gather: rows of a table chosen by an integer tensor, along an axis of the table; an embedding is axis 0.
/// [a…, N, b…] gathered by [i…] along axis |a| gives [a…, i…, b…]. An index outside the axis reads the nearest row, on
/// every target: a kernel cannot throw. Indices from untrusted data are to be checked first. An axis of extent
/// 0 has no nearest row: `prepare` refuses it where there is anything to gather.
#pragma once

#include <inlay/expr/bind.hpp>
#include <inlay/expr/walk.hpp>

namespace inlay::inline INLAY_ABI {

namespace detail {

/// True if Index is a slot bound to an int32 tensor.
template <class Index, class Environment>
inline constexpr bool is_int32_slot = [] {
    if constexpr (is_buf<Index>) {
        if constexpr (Index::slot < Environment::tensors::size) {
            using T = typename type_at<Index::slot, typename Environment::tensors>::value_type;
            return std::is_same_v<std::remove_const_t<T>, std::int32_t>;
        }
    }
    return false;
}();

}  // namespace detail

namespace node {

template <class Table, class Index, index_t Axis>
struct Gather : view<Table, Index> {
    using key = Gather;
    template <int R, int Q>
    static constexpr int rank = R + Q - 1;
    template <int R, int Q>
    static constexpr bool accepts = detail::is_axis<Axis>(R);
    template <bool Ok>
    static constexpr void demand() {
        static_assert(Ok, "inlay: Gather names an axis that its table does not have");
    }
    /// The index is read as it is, while cursors are set.
    template <class Environment>
    static constexpr bool reads_int32() {
        return detail::is_int32_slot<Index, Environment>;
    }
    template <bool Ok>
    static constexpr void demand_index() {
        static_assert(Ok, "inlay: the index of Gather is a tensor slot that holds int32");
    }
    template <int R>
    struct State {
        Extents<R> in;
    };

    template <class Environment, int R, int Q>
    static State<R> bind(const Environment&, const Extents<R>& in, const Extents<Q>&) {
        demand_index<reads_int32<Environment>()>();
        return {in};
    }
    template <class Environment, int R, int Q>
    static Extents<R + Q - 1> extents(const Environment& env, const Extents<R>& in, const Extents<Q>& index) {
        bind(env, in, index);
        const int axis = normal_axis<Gather>(Axis, R);
        Extents<R + Q - 1> out;
        for (int i = 0; i < R + Q - 1; ++i)
            out[i] = i < axis ? in[i] : i < axis + Q ? index[i - axis] : in[i - Q + 1];
        if (in[axis] == 0 && has_elements(out))
            fail(name<Gather>() + ": the table " + text(in) + " has nothing along axis " + decimal_text(axis) +
                 " that an index could name");
        return out;
    }
    template <int K, class B, int R, int W>
    INLAY_FN static Walk<R> enter(const B& bound, const State<R>& s, const Walk<W>& w) {
        constexpr int Q = W - R + 1, axis = static_cast<int>(Axis < 0 ? Axis + R : Axis);
        Extents<Q> i;
        for (int d = 0; d < Q; ++d) i[d] = w.c[axis + d];
        index_t row = bound.env.template tensor<Index::slot>()(i);
        row = row < 0 ? 0 : row >= s.in[axis] ? s.in[axis] - 1 : row;
        Walk<R> r;
        r.run = w.run;
        for (int d = 0; d < R; ++d) r.c[d] = d < axis ? w.c[d] : d == axis ? row : w.c[d + Q - 1];
        if (w.axis >= 0 && w.axis < axis) r.axis = w.axis;
        else if (w.axis >= axis + Q) r.axis = w.axis - Q + 1;
        else if (w.axis >= 0) r.limit(1);
        return r;
    }
};

}  // namespace node

template <class Table, class Index, auto Axis = 0>
using Gather = node::Gather<Table, Index, detail::index<Axis>>;

template <auto Axis = 0, Expr Table, Expr Index>
INLAY_FN constexpr Gather<Table, Index, Axis> gather(Table, Index) {
    return {};
}

namespace detail {

/// True if a step of a path, or any of its steps, follows an index: that is read on the way.
template <class S>
inline constexpr bool gathers = false;
template <class T, class I, index_t A, int K>
inline constexpr bool gathers<path_step<node::Gather<T, I, A>, K>> = true;
template <class... S>
constexpr bool path_gathers(types<S...>) {
    return (gathers<S> || ...);
}

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI
