// SPDX-License-Identifier: Apache-2.0
/// The rules that a layer needs: those whose left side its symbols can make, and the symbols that other rules bring in.
#pragma once

#include <inlay/rewrite/planner/rules/gated.hpp>
#include <inlay/rewrite/planner/rules/layer_norm.hpp>
#include <inlay/rewrite/planner/rules/query_key_value.hpp>
#include <inlay/rewrite/planner/rules/recorded_group_norm.hpp>
#include <inlay/rewrite/planner/rules/score.hpp>
#include <inlay/rewrite/planner/rules/shortcut.hpp>
#include <inlay/rewrite/planner/rules/twice.hpp>
#include <inlay/rewrite/planner/rules/upsample_conv.hpp>

namespace inlay::inline INLAY_ABI::planner {

/// Rules of a layer in three stages, and the symbols of the layer and of its rules. Each stage is applied to the end
/// before the next one: halves of a batch that are equal are one before anything is joined, and what is folded into a
/// product is folded into the joined one, not into each that it was made of.
template <class Symbols, class Halves, class Joined, class Folded>
struct RulesFor {
    using symbols = Symbols;
    using halves = Halves;
    using joined = Joined;
    using folded = Folded;
};

namespace rules::detail {

/// Rules that stand for every number that a symbol has.
template <class S>
struct brought {
    using joined = types<>;
    using folded = types<>;
};
template <class Window>
struct brought<core::Conv2D<Window>> {
    using joined = shortcut_rules<Window>;
    using folded = types<>;
};
template <double Eps>
struct brought<core::LayerNorm<Eps>> {
    using joined = types<>;
    using folded = types<FoldLayerNorm<Eps>>;
};
template <int Groups, double Eps>
struct brought<core::GroupNorm<Groups, Eps>> {
    using joined = types<>;
    using folded = recorded_group_rules<Groups, Eps>;
};
template <auto D, class... Option>
struct brought<core::Attention<D, Option...>> {
    using joined = types<>;
    using folded = score_rules<D, Option...>;
};

template <class Symbols>
struct all_rules;
template <class... S>
struct all_rules<types<S...>> {
    using joined = unite_types<types<>, gated_rules, upsample_rules, types<ConvolutionOfOneTap>,
                               typename brought<S>::joined..., joined_products>;
    using folded = unite_types<types<>, typename brought<S>::folded...>;
};

/// True if a pattern's symbols are among those of a list, or can be.
template <class Pattern, class Symbols>
inline constexpr bool can_match = true;
template <class S, class... Args, class Symbols>
inline constexpr bool can_match<Term<S, Args...>, Symbols> =
    inlay::detail::index_in<Symbols, S> >= 0 && (can_match<Args, Symbols> && ...);
template <int I, class Kind, class... Args, class... S>
inline constexpr bool can_match<Term<AnySymbol<I, Kind>, Args...>, types<S...>> =
    (Kind::template is<S> || ...) && (can_match<Args, types<S...>> && ...);

template <class Rules, class Symbols>
struct needed;
template <class... R, class Symbols>
struct needed<types<R...>, Symbols> {
    using type = join_types<types<>, std::conditional_t<can_match<typename R::from, Symbols>, types<R>, types<>>...>;
};

/// Grows the list of symbols until no rule that can match brings a new one.
template <class Symbols>
constexpr auto closed() {
    using all = all_rules<Symbols>;
    using halves = typename needed<twice_rules, Symbols>::type;
    using joined = typename needed<typename all::joined, Symbols>::type;
    using folded = typename needed<typename all::folded, Symbols>::type;
    using grown = egraph::symbols_of<halves, joined, folded>;
    using united = unite_types<Symbols, grown>;
    if constexpr (united::size > Symbols::size) return closed<united>();
    else return std::type_identity<RulesFor<Symbols, halves, joined, folded>>{};
}

}  // namespace rules::detail

/// The rules for a layer of these symbols.
template <class Symbols>
using rules_for = typename decltype(rules::detail::closed<Symbols>())::type;

}  // namespace inlay::inline INLAY_ABI::planner
