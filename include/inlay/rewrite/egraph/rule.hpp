// SPDX-License-Identifier: Apache-2.0
/// Rules of an e-graph, and the list of symbols of terms and rules. A rule is a type:
///
///     /// a · (b + c) = a · b + a · c. Proof: …
///     struct Distribute {
///         using from = Term<Times, Var<0>, Term<Plus, Var<1>, Var<2>>>;
///         using to = Term<Plus, Term<Times, Var<0>, Var<1>>, Term<Times, Var<0>, Var<2>>>;
///         static constexpr const char* name = "distribute";
///         static constexpr bool rounds = true;  // weights are rounded once more
///         // Optional side condition, over the data of what matched.
///         template <class G> static constexpr bool holds(const G& graph, const Match& match);
///     };
#pragma once

#include <inlay/rewrite/egraph/language.hpp>

namespace inlay::inline INLAY_ABI::egraph {

inline constexpr int most_variables = 8;
inline constexpr int most_symbol_variables = 4;

/// The classes of a pattern's root and of each Var<I>, and the symbol, by its position in the language's list, of each
/// AnySymbol<I, …>.
struct Match {
    Id root = none;
    Id var[most_variables] = {};
    std::uint16_t symbol[most_symbol_variables] = {};
    bool operator==(const Match&) const = default;
};

namespace detail {

/// Symbols of a rule. Those of terms and lists below are found once for each type, however often it stands in others.
template <class T>
struct symbols_in {
    using type = unite_types<typename symbols_in<typename T::from>::type, typename symbols_in<typename T::to>::type>;
};
template <int I>
struct symbols_in<Var<I>> {
    using type = types<>;
};
template <class S, class... Args>
struct symbols_in<Term<S, Args...>> {
    using type = unite_types<types<>, typename symbols_in<Args>::type..., types<S>>;
};
template <int I, class Kind, class... Args>
struct symbols_in<Term<AnySymbol<I, Kind>, Args...>> {
    using type = unite_types<types<>, typename symbols_in<Args>::type...>;
};
template <class... T>
struct symbols_in<types<T...>> {
    using type = unite_types<types<>, typename symbols_in<T>::type...>;
};

}  // namespace detail

/// The symbols of terms, rules and lists of them, each once. Variables have none.
template <class... TermsAndRules>
using symbols_of = typename detail::symbols_in<types<TermsAndRules...>>::type;

}  // namespace inlay::inline INLAY_ABI::egraph
