// SPDX-License-Identifier: Apache-2.0
/// An e-graph of four classes: a sum of one value with itself, which is twice the value, or a shift of it.
#pragma once

#include <inlay/report/egraph/picture.hpp>

namespace inlay_test {

namespace shared_graph {

using namespace inlay::egraph;

template <char Letter>
struct Named {
    static constexpr char letter[] = {Letter, 0};
    static constexpr const char* name = letter;
};
struct Language {
    using symbols = inlay::types<Named<'x'>, Named<'f'>, Named<'+'>, Named<'<'>, Named<'*'>>;
    struct Data {
        constexpr bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G&, const Node&) {
        return {};
    }
    static constexpr bool join(Data&, const Data&) { return true; }
};
using Shared = inlay::egraph::Graph<Language, 16>;

/// f(x) + f(x) = f(x) < f(x) = f(x) * f(x); the last one must not be chosen.
inline Shared graph() {
    Shared g;
    const Id x = g.add({0, 0, {}});
    const Id f = g.add({1, 1, {x}});
    const Id sum = g.add({2, 2, {f, f}}), shift = g.add({3, 1, {f}}), product = g.add({4, 2, {f, f}});
    g.merge(sum, shift);
    g.merge(sum, product);
    g.rebuild();
    return g;
}
inline const auto price = [](const auto& g, Id n) {
    const int symbol = g.node(n).symbol;
    return symbol == 4 ? never : symbol == 1 ? std::int64_t{12345} : std::int64_t{symbol > 1};
};
inline const auto label = [](const auto&, Id c) { return c == 2 ? std::string("a \"value\"\n") : std::string(); };

}  // namespace shared_graph

}  // namespace inlay_test
