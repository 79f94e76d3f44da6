// SPDX-License-Identifier: Apache-2.0
/// Tables of both sides of a rule, written down by hand.
#include "rules.hpp"

#include <inlay/rewrite/egraph/pattern.hpp>

namespace {

using namespace inlay_test::algebra;
using inlay::egraph::detail::Pattern;
using inlay::egraph::detail::Replacement;

using Symbols = types<Plus, Times, Minus, Number<1>>;
template <class T>
constexpr Pattern table = inlay::egraph::detail::pattern<Symbols, T>;
template <class T>
constexpr Replacement built = inlay::egraph::detail::replacement<Symbols, T>;

// a · b + −(a) · c: nodes before those below them; variables of a node are bound before those below it.
constexpr Pattern p = table<plus<times<a, b>, times<minus<a>, c>>>;
static_assert(p.size == 4 && p.variables == 3);
static_assert(p.node[0].symbol == 0 && p.node[0].arity == 2);
static_assert(p.node[0].variable[0] == -1 && p.node[0].variable[1] == -1);
static_assert(p.node[1].symbol == 1 && p.node[1].parent == 0 && p.node[1].position == 0);
static_assert(p.node[1].variable[0] == 0 && p.node[1].binds[0] && p.node[1].variable[1] == 1 && p.node[1].binds[1]);
static_assert(p.node[2].symbol == 1 && p.node[2].parent == 0 && p.node[2].position == 1);
static_assert(p.node[2].variable[0] == -1 && p.node[2].variable[1] == 2 && p.node[2].binds[1]);
static_assert(p.node[3].symbol == 2 && p.node[3].parent == 2 && p.node[3].position == 0 && p.node[3].arity == 1);
static_assert(p.node[3].variable[0] == 0 && !p.node[3].binds[0]);  // a has its class already
static_assert(p.bound[0] && p.bound[1] && p.bound[2] && !p.bound[3]);

// The variable at the side of a term is bound first, the one below it second, and a gap in numbers counts.
constexpr Pattern beside = table<plus<minus<Var<4>>, Var<4>>>;
static_assert(beside.variables == 5 && beside.node[0].binds[1] && !beside.node[1].binds[0] && !beside.bound[0]);
constexpr Pattern twice = table<plus<a, a>>;
static_assert(twice.size == 1 && twice.node[0].binds[0] && !twice.node[0].binds[1]);

// Symbol variables: the first place binds, and the kind says which symbols it takes.
constexpr Pattern any = table<Term<AnySymbol<1, Commutative>, Term<AnySymbol<1, Commutative>, a, b>, number<1>>>;
static_assert(any.size == 3 && any.node[0].symbol == -1 && any.node[0].symbol_variable == 1);
static_assert(any.node[0].binds_symbol && !any.node[1].binds_symbol && any.symbol_bound[1] && !any.symbol_bound[0]);
static_assert(any.node[0].accepts[0] && any.node[0].accepts[1] && !any.node[0].accepts[2] && !any.node[0].accepts[3]);
static_assert(any.node[2].symbol == 3 && any.node[2].arity == 0 && any.node[2].position == 1);

// The other side: arguments before what is over them, classes of variables as ~v.
constexpr Replacement r = built<times<plus<b, number<1>>, minus<a>>>;
static_assert(r.size == 4 && r.result == 3);
static_assert(r.node[0].symbol == 3 && r.node[0].arity == 0);
static_assert(r.node[1].symbol == 0 && r.node[1].child[0] == ~1 && r.node[1].child[1] == 0);
static_assert(r.node[2].symbol == 2 && r.node[2].arity == 1 && r.node[2].child[0] == ~0);
static_assert(r.node[3].symbol == 1 && r.node[3].child[0] == 1 && r.node[3].child[1] == 2);
static_assert(built<c>.size == 0 && built<c>.result == ~2);
constexpr Replacement swapped = built<Term<AnySymbol<1, Commutative>, b, a>>;
static_assert(swapped.node[0].symbol == -1 && swapped.node[0].symbol_variable == 1);

// A right side may have only what the left one binds.
using inlay::egraph::detail::binds_all;
static_assert(binds_all(p, r) && binds_all(p, built<c>) && binds_all(any, swapped));
static_assert(!binds_all(twice, built<b>) && !binds_all(twice, built<minus<b>>) && binds_all(twice, built<minus<a>>));
static_assert(!binds_all(p, swapped));  // no symbol for AnySymbol<1>

}  // namespace
