// SPDX-License-Identifier: Apache-2.0
/// Products of which only the rows matter: those read and write matrices [rows, C] whatever the rank of the layer's
/// tensors, so that linear layers of every rank are one kernel.
#pragma once

#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/nn/build.hpp>
#include <inlay/rewrite/planner/emit.hpp>
#include <inlay/rewrite/planner/symbol_facts.hpp>

namespace inlay::inline INLAY_ABI::nn::detail {

/// True of a node that maps rows to rows, whatever axes number them.
template <class S>
inline constexpr bool keeps_rows = false;
template <class E>
inline constexpr bool keeps_rows<planner::Expression<E>> = E::kind == NodeKind::pointwise;
template <int I>
inline constexpr bool keeps_rows<planner::Expression<Param<I>>> = true;
template <inlay::detail::Real V>
inline constexpr bool keeps_rows<planner::Expression<node::Const<V>>> = true;
template <planner::Dim D>
inline constexpr bool keeps_rows<planner::QueryFactor<D>> = true;
template <auto Axis, class... E>
inline constexpr bool keeps_rows<planner::Expression<node::Concat<Axis, E...>>> = static_cast<index_t>(Axis) == -1;
template <class E, auto Axis, auto Start, auto Size>
inline constexpr bool keeps_rows<planner::Expression<node::Slice<E, Axis, Start, Size>>> =
    static_cast<index_t>(Axis) == -1;
template <class E>
inline constexpr bool keeps_rows<planner::Expression<PublishedMean<E>>> = true;
template <class E, inlay::detail::Real Eps>
inline constexpr bool keeps_rows<planner::Expression<node::PublishedRstd<E, Eps>>> = true;
template <int I, int N>
inline constexpr bool keeps_rows<planner::Part<I, N>> = true;
template <>
inline constexpr bool keeps_rows<planner::core::Linear> = true;

/// True if the tensor has the rows of `rows`, or is a vector over the columns.
constexpr bool has_rows(const planner::ValueFacts& v, const planner::ValueFacts& rows) {
    if (v.rank == 1) return true;
    bool same = v.rank == rows.rank;
    for (int i = 0; same && i + 1 < v.rank; ++i) same = v.extents[i] == rows.extents[i];
    return same;
}

/// True if the rows of a tensor lie equally far apart in memory: those of heads by strides do not.
template <class Plan>
constexpr bool has_even_rows(int value) {
    for (int v = value; Plan::list.arranged_by[v] >= 0; v = Plan::facts.node[Plan::list.arranged_by[v]].operand[0])
        if (Plan::facts.node[Plan::list.arranged_by[v]].symbol.gaps & planner::detail::gaps_of_heads) return false;
    return true;
}

template <class Plan, int K>
constexpr bool is_of_rows() {
    constexpr planner::Kernel kernel = Plan::kernels[K];
    if constexpr (kernel.core < 0) return false;
    else {
        constexpr const auto& facts = Plan::facts;
        if (facts.node[kernel.core].symbol.core != planner::Core::linear) return false;
        if (planner::records_channels(facts, kernel)) return false;     // of each item of the batch
        bool rows = [&]<int... I>(std::integer_sequence<int, I...>) {
            return (keeps_rows<planner::detail::symbol_at<Plan, kernel.inside[I].node>> && ...);
        }(std::make_integer_sequence<int, kernel.inner>{});
        for (int i = 0; i < kernel.slots; ++i)
            rows = rows && has_rows(facts.value[kernel.slot[i]], facts.value[kernel.output[0]]) &&
                   has_even_rows<Plan>(kernel.slot[i]);
        return rows;
    }
}

/// The matrix [rows, C] of a tensor [..., C] whose rows lie equally far apart, as those of a part of columns do. Throws
/// where they do not.
template <Storage T, int R>
Tensor<T, 2> rows_of(const Tensor<T, R>& t) {
    index_t rows = 1;
    for (int i = 0; i + 1 < R; ++i) rows *= t.extents[i];
    for (int i = 0; i + 2 < R; ++i)
        require(t.extents[i] <= 1 || t.strides[i] == t.strides[i + 1] * t.extents[i + 1], "rows of the tensor ",
                text(t.extents), " do not lie equally far apart");
    Tensor<T, 2> matrix(t.data, {{rows, t.extents.back(0)}});
    matrix.strides = {{t.strides.back(1), t.strides.back(0)}};
    return matrix;
}

/// A tensor as kernel K reads or writes it.
template <class Plan, int K, Storage T, int R>
auto as_bound(const Tensor<T, R>& t) {
    if constexpr (R > 2 && is_of_rows<Plan, K>()) return rows_of(t);
    else return t;
}

}  // namespace inlay::inline INLAY_ABI::nn::detail
