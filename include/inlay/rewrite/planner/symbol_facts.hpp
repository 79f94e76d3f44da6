// SPDX-License-Identifier: Apache-2.0
/// The facts of each symbol of a layer.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/view/published.hpp>
#include <inlay/rewrite/planner/facts.hpp>
#include <inlay/rewrite/planner/symbols.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

/// True of an operation that a processor computes by a special function or by many instructions.
template <class E>
inline constexpr bool is_arithmetic = false;
template <class A, class B>
inline constexpr bool is_arithmetic<Add<A, B>> = true;
template <class A, class B>
inline constexpr bool is_arithmetic<Sub<A, B>> = true;
template <class A, class B>
inline constexpr bool is_arithmetic<Mul<A, B>> = true;

constexpr SymbolFacts core_facts(Core core, int expressions, int weights) {
    SymbolFacts f;
    f.role = Role::core;
    f.core = core;
    f.expressions = static_cast<std::uint8_t>((1 << expressions) - 1);
    f.weights = static_cast<std::uint8_t>(((1 << weights) - 1) << expressions);
    return f;
}
constexpr SymbolFacts role_facts(Role role) {
    SymbolFacts f;
    f.role = role;
    return f;
}
/// Arrangements of a result: a sink of the kernel that computes it, or strides of the tensor that holds it.
constexpr SymbolFacts layout_facts(bool strides = true) {
    SymbolFacts f = role_facts(Role::view);
    f.sink = true;
    f.strides = strides;
    return f;
}

/// Gaps in memory: between the parts of a row, between the rows of a head.
inline constexpr std::uint8_t gaps_of_parts = 1, gaps_of_heads = 2;
/// Axes of a dense tensor taken together or apart.
constexpr SymbolFacts dense_layout_facts() {
    SymbolFacts f = layout_facts();
    f.refuses = gaps_of_parts | gaps_of_heads;
    return f;
}

template <class S>
struct facts_of {
    static_assert(sizeof(S) == 0, "inlay: a symbol of a layer has no facts: planner/symbol_facts.hpp has those of the "
                                  "library's");
};
template <class E>
struct facts_of<Expression<E>> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = role_facts(E::kind == NodeKind::leaf   ? Role::constant
                                   : E::kind == NodeKind::view ? Role::view
                                                               : Role::pointwise);
        f.specials = f.role == Role::pointwise && !is_arithmetic<E>;
        f.reads_record = inlay::detail::is_published<E>;
        return f;
    }();
};
template <int I, Phase P, Dim... D>
struct facts_of<InputSymbol<I, P, D...>> {
    static constexpr SymbolFacts value = role_facts(Role::input);
};
template <class Text, Field F, Layout L, Dim... D>
struct facts_of<WeightSymbol<Text, F, L, D...>> {
    static constexpr SymbolFacts value = role_facts(Role::weight);
};
template <Dim D>
struct facts_of<QueryFactor<D>> {
    static constexpr SymbolFacts value = role_facts(Role::constant);
};
template <auto D>
struct facts_of<Heads<D>> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = layout_facts();
        f.sink_rank = 3;
        f.gaps = f.refuses = gaps_of_heads;
        return f;
    }();
};
template <>
struct facts_of<MergedHeads> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = layout_facts(false);  // pixels lie between the heads of one
        f.sink_rank = 4;
        return f;
    }();
};
template <>
struct facts_of<Tokens> {
    static constexpr SymbolFacts value = dense_layout_facts();
};
template <Dim H, Dim W>
struct facts_of<Image<H, W>> {
    static constexpr SymbolFacts value = dense_layout_facts();
};
template <>
struct facts_of<Twice> {
    static constexpr SymbolFacts value = role_facts(Role::view);
};
template <Pin P>
struct facts_of<PinSymbol<P>> {
    static constexpr SymbolFacts value = role_facts(Role::view);
};
template <int I, int N>
struct facts_of<Part<I, N>> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = layout_facts();
        f.part = I;
        f.parts = N;
        f.gaps = gaps_of_parts;
        return f;
    }();
};
template <>
struct facts_of<core::Linear> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = core_facts(Core::linear, 1, 1);
        f.gates = true;
        return f;
    }();
};
template <class Window>
struct facts_of<core::Conv2D<Window>> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = core_facts(Core::conv, 1, 1);
        f.rows = static_cast<std::uint8_t>(Window::rows);
        f.cols = static_cast<std::uint8_t>(Window::cols);
        f.stride = static_cast<std::uint8_t>(Window::stride);
        f.groups = Window::groups;
        return f;
    }();
};
template <int Groups, double Eps>
struct facts_of<core::GroupNorm<Groups, Eps>> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = core_facts(Core::group_norm, 1, 2);
        f.groups = Groups;
        return f;
    }();
};
template <double Eps>
struct facts_of<core::LayerNorm<Eps>> {
    static constexpr SymbolFacts value = core_facts(Core::layer_norm, 1, 2);
};
template <auto D, class... Option>
struct facts_of<core::Attention<D, Option...>> {
    static constexpr SymbolFacts value = [] {
        SymbolFacts f = core_facts(Core::attention, 3, 0);
        f.views = static_cast<std::uint8_t>(((1 << option_tensors<Option...>) - 1) << 3);
        f.binary = (false || ... || std::is_same_v<Option, score::Base2>);
        return f;
    }();
};
template <class Op, class Over>
struct facts_of<core::Reduce<Op, Over>> {
    static constexpr SymbolFacts value = core_facts(Core::reduce, 1, 0);
};
template <>
struct facts_of<core::Softmax> {
    static constexpr SymbolFacts value = core_facts(Core::softmax, 1, 0);
};

}  // namespace detail

template <class S>
inline constexpr SymbolFacts symbol_facts = detail::facts_of<S>::value;

}  // namespace inlay::inline INLAY_ABI::planner
