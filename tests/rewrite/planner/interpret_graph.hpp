// SPDX-License-Identifier: Apache-2.0
/// The interpreter over terms and over e-graphs: all nodes of a class must have one value.
#pragma once

#include "interpret_channels.hpp"
#include "interpret_cores.hpp"
#include "interpret_load.hpp"

#include <inlay/rewrite/egraph/term.hpp>

#include <optional>

namespace inlay_test {

template <class T>
struct interpreted;
template <class S, class... Args>
struct interpreted<inlay::egraph::Term<S, Args...>> {
    static Value of(const Leaves& leaves) {
        const std::vector<Value> values{interpreted<Args>::of(leaves)...};
        Operands operands;
        for (const Value& v : values) operands.push_back(&v);
        return meaning<S>::of(operands, leaves);
    }
};
/// The value of a term.
template <class T>
Value interpret(const Leaves& leaves) {
    return interpreted<T>::of(leaves);
}

template <class Symbols>
struct meanings;
template <class... S>
struct meanings<inlay::types<S...>> {
    static constexpr Value (*of[])(const Operands&, const Leaves&) = {&meaning<S>::of...};
};

/// The greatest difference between two nodes of one class; `nodes`: how many were evaluated.
struct ClassErrors {
    double worst = 0;
    int nodes = 0;
    std::string where;
};
template <class G>
ClassErrors errors_of_classes(const G& graph, const Leaves& leaves) {
    using inlay::egraph::Id;
    using inlay::egraph::none;
    std::vector<std::optional<Value>> value(static_cast<std::size_t>(graph.size()) + 1);
    const auto evaluate = [&](Id n) -> std::optional<Value> {
        const auto& node = graph.node(n);
        Operands operands;
        for (int i = 0; i < node.arity; ++i) {
            const auto& v = value[graph.find(node.child[i])];
            if (!v) return {};
            operands.push_back(&*v);
        }
        return meanings<typename G::symbols>::of[node.symbol](operands, leaves);
    };
    for (bool more = true; more;) {
        more = false;
        for (int i = 1; i <= graph.size(); ++i) {
            const Id n = static_cast<Id>(i);
            if (!graph.live(n) || value[graph.find(n)]) continue;
            if (auto v = evaluate(n)) value[graph.find(n)] = std::move(v), more = true;
        }
    }
    ClassErrors errors;
    for (int i = 1; i <= graph.size(); ++i) {
        const Id n = static_cast<Id>(i);
        if (!graph.live(n)) continue;
        const auto got = evaluate(n);
        const double error = got ? error_of(*got, *value[graph.find(n)]) : HUGE_VAL;
        ++errors.nodes;
        if (error <= errors.worst) continue;
        errors.worst = error;
        errors.where = graph.symbol_name(graph.node(n).symbol);
    }
    return errors;
}

}  // namespace inlay_test
