// SPDX-License-Identifier: Apache-2.0
/// Weights that several plans of a layer load once, by what they are: a weight of the file, or computed from others.
#pragma once

#include <inlay/rewrite/planner/emit.hpp>

#include <vector>

namespace inlay::inline INLAY_ABI::nn::detail {

/// An address for each symbol: plans number values by themselves, and symbols are the same types in all.
template <class S>
inline constexpr char symbol_mark = 0;
template <class Symbols>
struct symbol_marks;
template <class... S>
struct symbol_marks<types<S...>> {
    static constexpr const char* of[] = {&symbol_mark<S>...};
};

/// The symbols of a value's term, each before its operands.
using TermKey = std::vector<const char*>;
template <class Plan>
void add_term(TermKey& key, int value) {
    const int node = Plan::facts.first[value];
    key.push_back(symbol_marks<typename Plan::symbols>::of[Plan::symbol_of(node)]);
    const planner::NodeFacts& n = Plan::facts.node[node];
    for (int i = 0; i < n.operands; ++i) add_term<Plan>(key, n.operand[i]);
}
template <class Plan>
TermKey term_key(int value) {
    TermKey key;
    add_term<Plan>(key, value);
    return key;
}

}  // namespace inlay::inline INLAY_ABI::nn::detail
