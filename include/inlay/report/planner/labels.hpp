// SPDX-License-Identifier: Apache-2.0
/// Names of a layer's symbols and values in reports.
#pragma once

#include <inlay/expr/print.hpp>
#include <inlay/rewrite/planner/plan.hpp>

#include <string>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

template <class S>
struct label_of {
    static std::string text() { return S::name; }
};
template <class E>
struct label_of<Expression<E>> {
    static std::string text() {
        if constexpr (E::children::size == 0) return std::string(inlay::name<E>());
        else return std::string(inlay::detail::template_name<E>());
    }
};
template <int I, Phase P, Dim... D>
struct label_of<InputSymbol<I, P, D...>> {
    static std::string text() { return "input " + std::to_string(I); }
};
template <class Text, Field F, Layout L, Dim... D>
struct label_of<WeightSymbol<Text, F, L, D...>> {
    static std::string text() { return std::string(Text::view()) + std::string(suffix(F)); }
};
template <class Symbols>
struct labels_of;
template <class... S>
struct labels_of<types<S...>> {
    static constexpr std::string (*text[])() = {&label_of<S>::text...};
};

inline std::string extents_text(const ValueFacts& v) {
    std::string out = "[";
    for (int i = 0; i < v.rank; ++i) out += (i == 0 ? "" : ", ") + std::to_string(v.extents[i]);
    return out + "]";
}

}  // namespace detail

/// A symbol: "conv2d"; of a weight or an input its name; of an expression the template's, "Add".
template <class Plan>
std::string label(int node) {
    return detail::labels_of<typename Plan::symbols>::text[Plan::symbol_of(node)]();
}

}  // namespace inlay::inline INLAY_ABI::planner
