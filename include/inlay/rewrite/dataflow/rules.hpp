// SPDX-License-Identifier: Apache-2.0
/// Two rules that move a product's left operand to registers.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/rewrite/dataflow/operations.hpp>
#include <inlay/rewrite/egraph/rule.hpp>

namespace inlay::inline INLAY_ABI::dataflow {

namespace detail {

template <class Nodes>
inline constexpr bool all_numbers = false;
template <class... N>
inline constexpr bool all_numbers<types<N...>> =
    ((N::kind == NodeKind::pointwise || inlay::detail::is_const<N> || inlay::detail::is_param<N>) && ...);

}  // namespace detail

/// True if E is Out times a number that is the same for all elements: of constants and of scalars of the run.
template <class E>
inline constexpr bool scales_out = false;
template <>
inline constexpr bool scales_out<Out> = true;
template <class E>
inline constexpr bool scales_out<Neg<E>> = scales_out<E>;
template <class A, class B>
inline constexpr bool scales_out<Mul<A, B>> = (scales_out<A> && detail::all_numbers<nodes_of<B>>) ||
                                              (scales_out<B> && detail::all_numbers<nodes_of<A>>);
template <class A, class B>
inline constexpr bool scales_out<Div<A, B>> = scales_out<A> && detail::all_numbers<nodes_of<B>>;

namespace detail {

template <class Symbol>
inline constexpr bool is_scale = false;
template <class E>
inline constexpr bool is_scale<Elementwise<E>> = scales_out<E>;

}  // namespace detail

/// Elementwise operations that are a scale.
struct Scales {
    template <class Symbol>
    static constexpr bool is = detail::is_scale<Symbol>;
};

/// Elementwise(WGMMA(a, b)) = WGMMA(Elementwise(LDR(a)), b).
///
/// Proof: Elementwise is x ↦ s · x with one number s, and s · Σₖ aᵢₖ bₖⱼ = Σₖ (s · aᵢₖ) bₖⱼ. LDR changes no value. The
/// scaled operand is rounded once more to its own type, without an error where s is a power of two.
/// Condition: the operation is a scale (`scales_out`). exp(Σₖ aᵢₖ bₖⱼ) is no product of exp(a) and b.
struct HoistElementwise {
    using operation = egraph::AnySymbol<0, Scales>;
    using a = egraph::Var<0>;
    using b = egraph::Var<1>;
    using from = egraph::Term<operation, egraph::Term<Wgmma, a, b>>;
    using to = egraph::Term<Wgmma, egraph::Term<operation, egraph::Term<Ldr, a>>, b>;
    static constexpr const char* name = "hoist elementwise";
    static constexpr bool rounds = true;
};

/// WGMMA(a, b) = WGMMA(LDR(a), b).
///
/// Proof: LDR changes no value.
/// Condition: a lies in shared memory. The instruction reads its left operand from there or from registers; without the
/// condition, LDR(a) would match again, and LDR(LDR(a)), without end.
struct ExplicitLoad {
    using a = egraph::Var<0>;
    using b = egraph::Var<1>;
    using from = egraph::Term<Wgmma, a, b>;
    using to = egraph::Term<Wgmma, egraph::Term<Ldr, a>, b>;
    static constexpr const char* name = "explicit load";
    static constexpr bool rounds = false;
    template <class Graph>
    static constexpr bool holds(const Graph& graph, const egraph::Match& match) {
        return graph.data(match.var[0]).region == Region::shared;
    }
};

using rules = types<HoistElementwise, ExplicitLoad>;

}  // namespace inlay::inline INLAY_ABI::dataflow
