// SPDX-License-Identifier: Apache-2.0
/// Symbols of terms, rules and lists of them.
#include "rules.hpp"

namespace {

using namespace inlay_test::algebra;

/// The same symbols, in any order.
template <class List, class... S>
constexpr bool is_list_of = List::size == sizeof...(S) && ((inlay::detail::index_in<List, S> >= 0) && ...);

// Each once; a symbol is one with its arguments in a template, not with those in the term.
static_assert(is_list_of<symbols_of<x>, Unknown<0>>);
static_assert(is_list_of<symbols_of<plus<times<x, y>, times<x, x>>>, Plus, Times, Unknown<0>, Unknown<1>>);
static_assert(is_list_of<symbols_of<plus<number<1>, number<2>>>, Plus, Number<1>, Number<2>>);
// Both sides of a rule, without its variables.
static_assert(is_list_of<symbols_of<Fused>, Plus, Times, Fma>);
static_assert(is_list_of<symbols_of<TimesOne>, Times, Number<1>>);
static_assert(is_list_of<symbols_of<Var<0>>> && is_list_of<symbols_of<>>);
// A symbol variable is none, but what stands below it is.
static_assert(is_list_of<symbols_of<Commutes>>);
static_assert(is_list_of<symbols_of<Term<AnySymbol<0, Commutative>, minus<a>, number<3>>>, Minus, Number<3>>);
// Lists, of lists too.
static_assert(is_list_of<symbols_of<plus<x, y>, types<Fused, types<MinusMinus, Doubled>>>, Plus, Unknown<0>, Unknown<1>,
                         Times, Fma, Minus, Number<2>>);

// Matches are equal by all that they bind.
constexpr Match first{.root = 1, .var = {2, 3}, .symbol = {4}};
static_assert(first == Match{.root = 1, .var = {2, 3}, .symbol = {4}});
static_assert(first != Match{.root = 1, .var = {2, 4}, .symbol = {4}});
static_assert(first != Match{.root = 1, .var = {2, 3}, .symbol = {5}});
static_assert(first != Match{.root = 2, .var = {2, 3}, .symbol = {4}});
static_assert(Match{}.root == none);

}  // namespace
