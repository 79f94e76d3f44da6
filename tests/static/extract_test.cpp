// SPDX-License-Identifier: Apache-2.0
/// Extraction from a graph as large as a layer's may become, 60 classes of three nodes, is a constant within the limits.
#include <inlay/rewrite/egraph/extract.hpp>
#include <inlay/rewrite/egraph/graph.hpp>

namespace {

using namespace inlay::egraph;

template <int>
struct Named {
    static constexpr const char* name = "f";
};
struct Plain {
    using symbols = inlay::types<Named<0>, Named<1>, Named<2>, Named<3>>;
    struct Data {
        constexpr bool operator==(const Data&) const = default;
    };
    template <class G>
    static constexpr Data make(const G&, const Node&) {
        return {};
    }
    static constexpr bool join(Data&, const Data&) { return true; }
};

struct Ladder {
    Graph<Plain, 256> graph;
    Id root = none;

    /// Each class is a function of the one before, of the two before, or of that four before.
    constexpr Ladder() {
        Id at[60] = {};
        for (int c = 0; c < 60; ++c) {
            at[c] = graph.add({0, static_cast<std::uint8_t>(c > 0), {c > 0 ? at[c - 1] : none}});
            if (c > 3) {
                graph.merge(at[c], graph.add({1, 2, {at[c - 1], at[c - 2]}}));
                graph.merge(at[c], graph.add({2, 1, {at[c - 4]}}));
                at[c] = graph.find(at[c]);
            }
        }
        graph.rebuild();
        root = at[59];
    }
};
constexpr Ladder ladder;
constexpr auto price = [](const auto& graph, Id n) {
    const int symbol = graph.node(n).symbol;
    return std::int64_t{symbol == 0 ? 10 + n % 3 : symbol == 1 ? 9 : 38 + n % 5};
};
constexpr auto best = extract(ladder.graph, ladder.root, price);
static_assert(best.found() && best.exact && best.total == 548 && best.bound == 548);
constexpr auto all = all_optimal(ladder.graph, ladder.root, price);
static_assert(all.complete && all.total == best.total && all.count == 1);
static_assert(runner_up(ladder.graph, ladder.root, price) == 549);

}  // namespace
