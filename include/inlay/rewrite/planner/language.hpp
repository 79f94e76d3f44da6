// SPDX-License-Identifier: Apache-2.0
/// The language of a layer's e-graph: the symbols of the layer and of rules, and the extents of each class under given
/// lengths of the layer's axes.
#pragma once

#include <inlay/rewrite/egraph/language.hpp>
#include <inlay/rewrite/planner/class_data.hpp>

namespace inlay::inline INLAY_ABI::planner {

namespace detail {

using MakeData = ClassData (*)(const ClassData* operands, const Lengths& lengths);
template <class Symbols>
inline constexpr MakeData make_data[1] = {nullptr};
template <class... S>
    requires(sizeof...(S) > 0)
inline constexpr MakeData make_data<types<S...>>[sizeof...(S)] = {&data_of<S>::make...};

}  // namespace detail

template <class Symbols, class LayerShape>
struct LayerLanguage {
    using symbols = Symbols;
    using Data = ClassData;

    template <class G>
    static constexpr ClassData make(const G& graph, const egraph::Node& node) {
        ClassData operands[egraph::max_arity];
        for (int i = 0; i < node.arity; ++i) operands[i] = graph.data(node.child[i]);
        return detail::make_data<Symbols>[node.symbol](operands, LayerShape::lengths);
    }
    /// Equal terms have equal extents; the earlier phase, a placement by hand and fp32 hold for both.
    static constexpr bool join(ClassData& a, const ClassData& b) {
        if (!same_extents(a, b)) return false;
        a.phase = earlier(a.phase, b.phase);
        a.fp32 = a.fp32 || b.fp32;
        if (a.pin == Pin::none) a.pin = b.pin;
        return b.pin == Pin::none || a.pin == b.pin;
    }
};

}  // namespace inlay::inline INLAY_ABI::planner
