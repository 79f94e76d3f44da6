// SPDX-License-Identifier: Apache-2.0
/// Kernels of a plan as types: each the frame that a user would have written, over slots in place of the layer's
/// tensors.
///
/// A plan has `symbols` (a list), `facts`, `kernels` (an array of `Kernel`) and `symbol_of(node)`, the position of a
/// node's symbol in the list.
#pragma once

#include <inlay/expr/sink/partition.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/split_last.hpp>
#include <inlay/expr/sink/with_row_stats.hpp>
#include <inlay/expr/sink/with_stats.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/rewrite/planner/kernel.hpp>
#include <inlay/rewrite/planner/prototype.hpp>
#include <inlay/rewrite/planner/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

template <class Plan, int Node>
using symbol_at = type_at<Plan::symbol_of(Node), typename Plan::symbols>;

/// The slot through which kernel K reads a value in a place; −1: it computes the value there.
template <class Plan, int K>
constexpr int slot_in(int value, Place place) {
    const Kernel& kernel = Plan::kernels[K];
    for (int i = 0; i < kernel.inner; ++i)
        if (kernel.inside[i].value == value && (kernel.inside[i].places & place)) return -1;
    return kernel.slot_of(value);
}
/// The node that computes a value inside kernel K; of constants, which no kernel lists, their only one.
template <class Plan, int K>
constexpr int node_in(int value) {
    const int n = Plan::kernels[K].node_of(value);
    return n >= 0 ? n : Plan::facts.first[value];
}

/// Numbers that are values of their own: constants, and those that lengths of the layer's axes give.
template <class S>
inline constexpr bool is_number = false;
template <inlay::detail::Real V>
inline constexpr bool is_number<Expression<node::Const<V>>> = true;
template <class S>
inline constexpr bool is_number_of_lengths = false;
template <Dim D>
inline constexpr bool is_number_of_lengths<QueryFactor<D>> = true;

template <class S>
constexpr double number_of(const Lengths&) {
    return 0;
}
template <class S>
    requires(is_number<S>)
constexpr double number_of(const Lengths&) {
    return S::proto::value;
}
template <class S>
    requires(is_number_of_lengths<S>)
constexpr double number_of(const Lengths& lengths) {
    return []<Dim D>(std::type_identity<QueryFactor<D>>, const Lengths& l) {
        return query_factor(length_of(D, l));
    }(std::type_identity<S>{}, lengths);
}

template <class Symbols>
struct number_marks {
    static constexpr bool constants[1] = {}, of_lengths[1] = {};
};
template <class... S>
    requires(sizeof...(S) > 0)
struct number_marks<types<S...>> {
    static constexpr bool constants[sizeof...(S)] = {is_number<S>...};
    static constexpr bool of_lengths[sizeof...(S)] = {is_number_of_lengths<S>...};
};

/// Numbers that a kernel takes as arguments, Param<I>, by their values: those of lengths, and constants in the epilogue
/// of a kernel with a core. Layers that differ by a constant there are of the same kernels, compiled once.
struct Numbers {
    int count = 0;
    std::uint16_t value[most_inner] = {};

    constexpr int place_of(int v) const {
        for (int i = 0; i < count; ++i)
            if (value[i] == v) return i;
        return -1;
    }
};
template <class Plan>
constexpr bool has_mark(const bool* marks, int value) {
    return marks[Plan::symbol_of(Plan::facts.first[value])];
}
template <class Plan, int K>
constexpr Numbers find_numbers() {
    using marks = number_marks<typename Plan::symbols>;
    Numbers numbers;
    constexpr Kernel kernel = Plan::kernels[K];
    for (int i = 0; i < kernel.inner; ++i) {
        const NodeFacts& n = Plan::facts.node[kernel.inside[i].node];
        bool in_epilogue = (kernel.inside[i].places & epilogue) != 0;
        if constexpr (kernel.core >= 0) in_epilogue = in_epilogue && kernel.inside[i].node != kernel.core;
        else in_epilogue = false;
        for (int o = 0; o < n.operands; ++o)
            if ((has_mark<Plan>(marks::of_lengths, n.operand[o]) ||
                 (in_epilogue && has_mark<Plan>(marks::constants, n.operand[o]))) &&
                numbers.place_of(n.operand[o]) < 0 && numbers.count < most_inner)
                numbers.value[numbers.count++] = static_cast<std::uint16_t>(n.operand[o]);
    }
    return numbers;
}

template <class Plan, int K>
inline constexpr Numbers numbers_of = find_numbers<Plan, K>();
/// The place of a value among the numbers; −1: it is a constant, or none.
template <class Plan, int K>
constexpr int number_in(int value, Place where) {
    using marks = number_marks<typename Plan::symbols>;
    const bool taken = where == epilogue || has_mark<Plan>(marks::of_lengths, value);
    return taken ? numbers_of<Plan, K>.place_of(value) : -1;
}

template <class Plan, int K, int Value, Place Where>
struct value_expression;

/// A symbol over the expressions of its operands.
template <class Symbol, class Plan, int K, int Node, Place Where, class Operands>
struct node_expression;
template <class E, class Plan, int K, int Node, Place Where, int... I>
struct node_expression<Expression<E>, Plan, K, Node, Where, std::integer_sequence<int, I...>> {
    using type = typename substitute<
        E, typename value_expression<Plan, K, Plan::facts.node[Node].operand[I], Where>::type...>::type;
};
template <class Plan, int K, int Node, Place Where>
struct node_expression<Twice, Plan, K, Node, Where, std::integer_sequence<int, 0>> {
    using half = typename value_expression<Plan, K, Plan::facts.node[Node].operand[0], Where>::type;
    using type = Concat<0, half, half>;
};
/// A half of a gated core's columns.
template <int P, int N, class Plan, int K, int Node, Place Where, class Operands>
struct node_expression<Part<P, N>, Plan, K, Node, Where, Operands> {
    static_assert(Plan::kernels[K].gated && N == 2, "inlay: a plan holds a part of columns that no epilogue reads");
    using type = std::conditional_t<P == 0, Out, OutGate>;
};

template <class Plan, int K, int Value, Place Where>
constexpr auto find_expression() {
    constexpr int slot = slot_in<Plan, K>(Value, Where);
    constexpr int number = number_in<Plan, K>(Value, Where);
    if constexpr (slot >= 0) {
        return std::type_identity<Buf<slot>>{};
    } else if constexpr (number >= 0) {
        return std::type_identity<Param<number>>{};
    } else {
        constexpr int node = node_in<Plan, K>(Value);
        if constexpr (node == Plan::kernels[K].core && Where != prologue) return std::type_identity<Out>{};
        else
            return node_expression<symbol_at<Plan, node>, Plan, K, node, Where,
                                   std::make_integer_sequence<int, Plan::facts.node[node].operands>>{};
    }
}
template <class Plan, int K, int Value, Place Where>
struct value_expression {
    using type = typename decltype(find_expression<Plan, K, Value, Where>())::type;
};

/// The sink that stores a value by S, as a sink of the value that a view on write reads.
template <class Symbol, class S>
struct sink_under;
template <auto D, class S>
struct sink_under<Heads<D>, S> {
    using type = SplitLast<Permuted<S, 0, 2, 1, 3>>;
};
template <class S>
struct sink_under<MergedHeads, S> {
    using type = Permuted<S, 0, 2, 1, 3>;  // the output is bound as [B, S, H, D]
};
template <class S>
struct sink_under<Tokens, S> {
    using type = S;  // the output is bound with the extents of the result
};
template <Dim H, Dim W, class S>
struct sink_under<Image<H, W>, S> {
    using type = S;
};
template <int I, int N, class S>
struct sink_under<Part<I, N>, S> {
    using type = S;  // a piece of a partition
};

/// True if kernel K applies a node on write.
template <class Plan, int K>
constexpr bool on_write(int value) {
    const Kernel& kernel = Plan::kernels[K];
    for (int i = 0; i < kernel.inner; ++i)
        if (kernel.inside[i].value == value) return (kernel.inside[i].places & sink) != 0;
    return false;
}
/// The value that the epilogue of kernel K computes for an output, below its views on write.
template <class Plan, int K>
constexpr int computed_for(int output) {
    int v = Plan::kernels[K].output[output];
    while (on_write<Plan, K>(v)) v = Plan::facts.node[node_in<Plan, K>(v)].operand[0];
    return v;
}
template <class Plan, int K, int Value, class S>
constexpr auto find_sink() {
    if constexpr (!on_write<Plan, K>(Value)) return std::type_identity<S>{};
    else {
        constexpr int node = node_in<Plan, K>(Value);
        return find_sink<Plan, K, Plan::facts.node[node].operand[0],
                         typename sink_under<symbol_at<Plan, node>, S>::type>();
    }
}
template <class Plan, int K, int... O>
constexpr auto find_sinks(std::integer_sequence<int, O...>) {
    if constexpr (sizeof...(O) == 1)
        return find_sink<Plan, K, Plan::kernels[K].output[0], Store<0>>();
    else if constexpr (Plan::kernels[K].records)
        return std::conditional_t<records_channels(Plan::facts, Plan::kernels[K]),
                                  std::type_identity<WithStats<Store<0>, 1>>,
                                  std::type_identity<WithRowStats<Store<0>, 1>>>{};
    else
        return std::type_identity<Partition<
            -1, typename decltype(find_sink<Plan, K, Plan::kernels[K].output[O], Store<O>>())::type...>>{};
}

/// A core as kernels have it: an attention is of one width of heads.
template <class Core, int Width>
struct core_of_width {
    using type = Core;
};
template <auto D, class... Option, int Width>
struct core_of_width<core::Attention<D, Option...>, Width> {
    using type = typename core::Attention<D, Option...>::template of_width<Width>;
};

template <class Plan, int K, int Width, int Core, class Sink, int... I>
constexpr auto find_frame(std::integer_sequence<int, I...>) {
    using epilogue_type = typename value_expression<Plan, K, computed_for<Plan, K>(0), epilogue>::type;
    if constexpr (Core < 0) return std::type_identity<Elementwise<epilogue_type, Sink>>{};
    else
        return std::type_identity<typename core_of_width<symbol_at<Plan, Core>, Width>::type::template frame<
            epilogue_type, Sink,
            typename value_expression<Plan, K, Plan::facts.node[Core].operand[I], prologue>::type...>>{};
}
template <class Plan, int K, int Width>
constexpr auto make_kernel() {
    constexpr Kernel kernel = Plan::kernels[K];
    using sinks = typename decltype(find_sinks<Plan, K>(std::make_integer_sequence<int, kernel.outputs>{}))::type;
    constexpr int operands = kernel.core < 0 ? 0 : Plan::facts.node[kernel.core < 0 ? 0 : kernel.core].operands;
    return find_frame<Plan, K, Width, kernel.core, sinks>(
        std::make_integer_sequence<int, kernel.core < 0 ? 0 : operands - kernel.weights>{});
}

/// The width of heads that a kernel's attention reads in the shape of the plan; 0: it has no attention.
template <class Plan, int K>
constexpr int planned_width() {
    constexpr int core = Plan::kernels[K].core;
    if constexpr (core < 0) return 0;
    else {
        constexpr NodeFacts node = Plan::facts.node[core];
        if constexpr (node.symbol.core != Core::attention) return 0;
        else return static_cast<int>(Plan::facts.value[node.operand[0]].extents[3]);
    }
}

}  // namespace detail

/// Kernel K of a plan, of an attention for heads of Width. Its arguments are its outputs, its weights, its slots and
/// its numbers.
template <class Plan, int K, int Width = detail::planned_width<Plan, K>()>
using kernel_type = typename decltype(detail::make_kernel<Plan, K, Width>())::type;

/// The count of numbers that kernel K takes, and the one of Param<I> under lengths of the layer's axes.
template <class Plan, int K>
inline constexpr int kernel_numbers = detail::numbers_of<Plan, K>.count;
template <class Plan, int K, int I>
constexpr double kernel_number(const Lengths& lengths = Plan::shape::lengths) {
    return detail::number_of<detail::symbol_at<Plan, Plan::facts.first[detail::numbers_of<Plan, K>.value[I]]>>(lengths);
}

}  // namespace inlay::inline INLAY_ABI::planner
