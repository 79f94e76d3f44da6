// SPDX-License-Identifier: Apache-2.0
/// Saturation in constant expressions: 60 nodes with ten rules, within half of each compiler's default limits.
#include "../rewrite/egraph/rules.hpp"

#include <inlay/rewrite/egraph/saturate.hpp>

namespace {

using namespace inlay_test::algebra;

/// N levels of h = −(h · wₙ + 0) + 1 · bₙ, with weights of their own.
template <int N>
struct layers {
    using below = typename layers<N - 1>::type;
    using type = plus<minus<plus<times<below, Term<Unknown<2 * N>>>, number<0>>>,
                      times<Term<Unknown<2 * N + 1>>, number<1>>>;
};
template <>
struct layers<0> {
    using type = x;
};

using ten_rules = types<PlusCommutes, TimesCommutes, TimesOne, PlusZero, TimesZero, MinusMinus, MinusPlus, MinusTimes,
                        Fused, Doubled>;
using term = layers<8>::type;
using Planned = Language<symbols_of<term, ten_rules>>;

constexpr auto graph = [] {
    Graph<Planned> g;
    add_term<term>(g);
    return g;
}();
static_assert(graph.size() == 59);

struct Saturated {
    Graph<Planned> graph;
    Saturation<10> result;
};
constexpr Saturated saturated = [] {
    Saturated s{graph, {}};
    s.result = saturate<ten_rules>(s.graph);
    return s;
}();
static_assert(saturated.result.saturated && saturated.graph.conflict().a == none);

}  // namespace
