// SPDX-License-Identifier: Apache-2.0
/// The analysis of a layer's e-graph: rank, extents and phase of each class, under lengths of the layer's axes.
#pragma once

#include <inlay/expr/view/broadcast.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/im2col.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/expr/view/upsample.hpp>
#include <inlay/rewrite/planner/facts.hpp>
#include <inlay/rewrite/planner/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner {

inline constexpr int most_axes = 5;

/// Of a class: a tensor's extents, the phase from which on it is known, its placement by hand, and `fp32` for a tensor
/// that is stored in fp32 in every layer: statistics of rows, and what is computed of them alone.
struct ClassData {
    int rank = 0;
    index_t extents[most_axes] = {};
    Phase phase = Phase::load;
    Pin pin = Pin::none;
    bool fp32 = false;

    constexpr index_t& back(int i) { return extents[rank - 1 - i]; }
    constexpr index_t back(int i) const { return extents[rank - 1 - i]; }
    constexpr index_t size() const {
        index_t n = 1;
        for (int i = 0; i < rank; ++i) n *= extents[i];
        return n;
    }
    friend constexpr bool operator==(const ClassData& a, const ClassData& b) {
        return a.phase == b.phase && a.pin == b.pin && a.fp32 == b.fp32 && same_extents(a, b);
    }
    friend constexpr bool same_extents(const ClassData& a, const ClassData& b) {
        if (a.rank != b.rank) return false;
        for (int i = 0; i < a.rank; ++i)
            if (a.extents[i] != b.extents[i]) return false;
        return true;
    }
};

namespace detail {

/// Of extents, which are 0 where nothing is known of them or a tensor is empty.
constexpr index_t quotient(index_t a, index_t b) { return b == 0 ? 0 : a / b; }
constexpr int axis_from(index_t axis, int rank) { return static_cast<int>(axis < 0 ? axis + rank : axis); }
/// Of two extents that NumPy broadcasts.
constexpr index_t wider(index_t a, index_t b) { return a == 1 ? b : b == 1 || a > b ? a : b; }
/// The operand's, of as many axes and the latest phase of all.
constexpr ClassData like(const ClassData* operand, int n) {
    ClassData d = operand[0];
    d.pin = Pin::none;
    d.fp32 = false;
    for (int i = 1; i < n; ++i) d.phase = later(d.phase, operand[i].phase);
    return d;
}
constexpr ClassData broadcast_data(const ClassData* operand, int n) {
    ClassData d;
    for (int i = 0; i < n; ++i) {
        d.phase = later(d.phase, operand[i].phase);
        if (operand[i].rank > d.rank) {
            ClassData longer = like(operand + i, 1);
            longer.phase = d.phase;
            for (int axis = 0; axis < d.rank; ++axis) longer.back(axis) = wider(longer.back(axis), d.back(axis));
            d = longer;
        } else {
            for (int axis = 0; axis < operand[i].rank; ++axis)
                d.back(axis) = wider(d.back(axis), operand[i].back(axis));
        }
    }
    return d;
}

/// Of fp32 where all tensors among the operands are.
constexpr ClassData pointwise_data(const ClassData* operand, int n) {
    ClassData d = broadcast_data(operand, n);
    d.fp32 = d.rank > 0;
    for (int i = 0; i < n; ++i) d.fp32 = d.fp32 && (operand[i].rank == 0 || operand[i].fp32);
    return d;
}

/// Data of symbol S over operands, under lengths of the layer's axes. Views of the library are those of which a plan
/// has the extents.
template <class S>
struct data_of;

template <Dim... D>
constexpr ClassData leaf_data(Phase phase, const Lengths& lengths) {
    static_assert(sizeof...(D) <= most_axes, "inlay: a tensor of a layer has at most 5 axes");
    return {static_cast<int>(sizeof...(D)), {length_of(D, lengths)...}, phase};
}
template <int I, Phase P, Dim... D>
struct data_of<InputSymbol<I, P, D...>> {
    static constexpr ClassData make(const ClassData*, const Lengths& lengths) {
        return leaf_data<D...>(P, lengths);
    }
};
template <class Text, Field F, Layout L, Dim... D>
struct data_of<WeightSymbol<Text, F, L, D...>> {
    static constexpr ClassData make(const ClassData*, const Lengths& lengths) {
        return leaf_data<D...>(Phase::load, lengths);
    }
};

template <class E>
struct view_data {
    static_assert(sizeof(E) == 0,
                  "inlay: a plan does not know the extents of this view: planner/class_data.hpp has those of the "
                  "library's");
};
template <class E, auto Axis, auto Start, auto Size>
struct view_data<node::Slice<E, Axis, Start, Size>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        d.extents[axis_from(static_cast<index_t>(Axis), d.rank)] = static_cast<index_t>(Size);
        return d;
    }
};
template <auto Axis, class... E>
struct view_data<node::Concat<Axis, E...>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        const int axis = axis_from(static_cast<index_t>(Axis), d.rank);
        for (int i = 1; i < n; ++i) d.extents[axis] += c[i].extents[axis];
        return d;
    }
};
template <class E, index_t... P>
struct view_data<node::Permute<E, P...>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        int i = 0;
        ((d.extents[i++] = c[0].extents[P]), ...);
        return d;
    }
};
template <class E, index_t A, index_t B>
struct view_data<node::Transpose<E, A, B>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        const int a = axis_from(A, d.rank), b = axis_from(B, d.rank);
        d.extents[a] = c[0].extents[b];
        d.extents[b] = c[0].extents[a];
        return d;
    }
};
template <class E, auto... N>
struct view_data<node::Reshape<E, N...>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d{static_cast<int>(sizeof...(N)), {static_cast<index_t>(N)...}, like(c, n).phase};
        index_t known = 1;
        for (int i = 0; i < d.rank; ++i) known *= d.extents[i] < 0 ? 1 : d.extents[i];
        for (int i = 0; i < d.rank; ++i)
            if (d.extents[i] < 0) d.extents[i] = quotient(c[0].size(), known);
        return d;
    }
};
template <class E, index_t Factor, index_t... Axes>
struct view_data<node::Upsample<E, Factor, Axes...>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        ((d.extents[axis_from(Axes, d.rank)] *= Factor), ...);
        return d;
    }
};
template <class E, index_t R, index_t S, index_t Stride, index_t PadRows, index_t PadCols>
struct view_data<node::Im2col<E, R, S, Stride, PadRows, PadCols>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        d.extents[1] = (d.extents[1] + 2 * PadRows - R) / Stride + 1;
        d.extents[2] = (d.extents[2] + 2 * PadCols - S) / Stride + 1;
        d.extents[3] *= R * S;
        return d;
    }
};
template <class E, auto Axis, auto Before, auto After, inlay::detail::Real Value>
struct view_data<node::Pad<E, Axis, Before, After, Value>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        ClassData d = like(c, n);
        d.extents[axis_from(static_cast<index_t>(Axis), d.rank)] +=
            static_cast<index_t>(Before) + static_cast<index_t>(After);
        return d;
    }
};
template <class E, class Ids, auto Axis>
struct view_data<node::Gather<E, Ids, Axis>> {
    static constexpr ClassData make(const ClassData* c, int n) {
        const int axis = axis_from(static_cast<index_t>(Axis), c[0].rank);
        ClassData d{c[0].rank - 1 + c[1].rank, {}, like(c, n).phase};
        int to = 0;
        for (int i = 0; i < axis; ++i) d.extents[to++] = c[0].extents[i];
        for (int i = 0; i < c[1].rank; ++i) d.extents[to++] = c[1].extents[i];
        for (int i = axis + 1; i < c[0].rank; ++i) d.extents[to++] = c[0].extents[i];
        return d;
    }
};
template <class E, class Like>
struct view_data<node::Broadcast<E, Like>> {
    static constexpr ClassData make(const ClassData* c, int n) { return broadcast_data(c, n); }
};

template <class E>
struct data_of<Expression<E>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        constexpr int n = E::children::size;
        if constexpr (n == 0) return {};
        else if constexpr (E::kind == NodeKind::pointwise) return pointwise_data(c, n);
        else return view_data<E>::make(c, n);
    }
};

template <Pin P>
struct data_of<PinSymbol<P>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = c[0];
        d.pin = P;
        return d;
    }
};
template <auto D>
struct data_of<Heads<D>> {
    static constexpr ClassData make(const ClassData* c, const Lengths& lengths) {
        const index_t wide = c[0].back(0), tokens = quotient(c[0].size(), c[0].extents[0] * wide),
                      width = length_of(as_dim(D), lengths);
        return {4, {c[0].extents[0], quotient(wide, width), tokens, width}, c[0].phase};
    }
};
template <Dim D>
struct data_of<QueryFactor<D>> {
    static constexpr ClassData make(const ClassData*, const Lengths&) { return {}; }
};
template <>
struct data_of<Tokens> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        const index_t wide = c[0].back(0);
        return {3, {c[0].extents[0], quotient(c[0].size(), c[0].extents[0] * wide), wide}, c[0].phase};
    }
};
template <Dim H, Dim W>
struct data_of<Image<H, W>> {
    static constexpr ClassData make(const ClassData* c, const Lengths& lengths) {
        return {4, {c[0].extents[0], length_of(H, lengths), length_of(W, lengths), c[0].back(0)}, c[0].phase};
    }
};
template <>
struct data_of<MergedHeads> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        return {3, {c[0].extents[0], c[0].extents[2], c[0].extents[1] * c[0].extents[3]}, c[0].phase};
    }
};
template <int I, int N>
struct data_of<Part<I, N>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 1);
        d.back(0) /= N;
        return d;
    }
};
template <>
struct data_of<Twice> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 1);
        d.extents[0] *= 2;
        return d;
    }
};
template <>
struct data_of<core::Linear> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 2);
        d.back(0) = c[1].back(1);
        return d;
    }
};
template <class Window>
struct data_of<core::Conv2D<Window>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 2);
        d.extents[1] = Window::extent(d.extents[1], Window::rows);
        d.extents[2] = Window::extent(d.extents[2], Window::cols);
        d.extents[3] = c[1].extents[0];
        return d;
    }
};
template <int Groups, double Eps>
struct data_of<core::GroupNorm<Groups, Eps>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) { return like(c, 3); }
};
template <double Eps>
struct data_of<core::LayerNorm<Eps>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) { return like(c, 3); }
};
template <auto D, class... Option>
struct data_of<core::Attention<D, Option...>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 3 + option_tensors<Option...>);
        d.back(0) = c[2].back(0);
        return d;
    }
};
template <class Op, int... A>
struct data_of<core::Reduce<Op, Axes<A...>>> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) {
        ClassData d = like(c, 1);
        ((d.extents[axis_from(A, d.rank)] = 1), ...);
        return d;
    }
};
template <>
struct data_of<core::Softmax> {
    static constexpr ClassData make(const ClassData* c, const Lengths&) { return like(c, 1); }
};

}  // namespace detail

}  // namespace inlay::inline INLAY_ABI::planner
