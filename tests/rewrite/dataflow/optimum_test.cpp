// SPDX-License-Identifier: Apache-2.0
/// Dataflows of attention that the two rules find, and the cheapest of them.
#include <inlay/expr/ternary.hpp>
#include <inlay/rewrite/dataflow/optimum.hpp>

namespace {

using namespace inlay;
using namespace inlay::dataflow;
using egraph::Share;
using egraph::Term;

using Tiles = AttentionTiles<>;
using Scale = Mul<Out, Const<0.125>>;
using Scaled = naive_attention<Tiles, Scale>;
using Plain = naive_attention<Tiles, Out>;

template <class T, class Rules = dataflow::rules>
constexpr bool closed = saturated<T, Rules>.saturation.saturated && !saturated<T, Rules>.graph.limit_reached() &&
                        saturated<T, Rules>.graph.conflict().a == egraph::none;
template <class T, Stores stores, class Rules = dataflow::rules>
constexpr bool finds(std::int64_t total, int count) {
    return closed<T, Rules> && optima<T, stores, Rules>.total == total && optima<T, stores, Rules>.count == count &&
           optima<T, stores, Rules>.complete;
}

// The scaled attention: two optimal structures, 114,688 bytes less than as it is written.
static_assert(finds<Scaled, Stores::each_iteration>(1'081'344, 2) && finds<Scaled, Stores::once>(622'592, 2));
static_assert(total_traffic<Scaled> - 1'081'344 == 114'688);
static_assert(total_traffic<rearranged_attention<Tiles, Scale>> == 1'081'344);

/// The share of a term in the optima, its arguments being as optima have them.
template <class T, class Rules = dataflow::rules>
constexpr Share share() {
    auto found = saturated<Scaled, Rules>;
    const int before = found.graph.size();
    egraph::add_term<T>(found.graph);
    if (found.graph.size() != before) return Share::in_none;
    egraph::Node node{static_cast<std::uint16_t>(found.graph.template symbol_index<typename T::symbol>), 0, {}};
    [&]<class... Args>(types<Args...>) {
        ((node.child[node.arity++] = egraph::add_term<Args>(found.graph)), ...);
    }(typename T::arguments{});
    for (egraph::Id n = 1; n <= before; ++n)
        if (found.graph.live(n) && found.graph.node(n) == node) return optima<Scaled, Stores::once, Rules>.share(n);
    return Share::in_none;
}
// The scale stands on the scores or on Q; Q is in registers in both.
using InRegisters = Term<Ldr, Tiles::q>;
static_assert(share<InRegisters>() == Share::in_all);
static_assert(share<Term<Elementwise<Scale>, InRegisters>>() == Share::in_some);
static_assert(share<Term<Wgmma, Term<Elementwise<Scale>, InRegisters>, Tiles::k>>() == Share::in_some);
static_assert(share<Term<Wgmma, InRegisters, Tiles::k>>() == Share::in_some);
static_assert(share<Term<Elementwise<Scale>, Term<Wgmma, Tiles::q, Tiles::k>>>() == Share::in_some);
static_assert(share<Term<Wgmma, Tiles::q, Tiles::k>>() == Share::in_none);
static_assert(share<Term<Ldr, InRegisters>>() == Share::in_none);
static_assert(share<Tiles::v>() == Share::in_all && share<Scaled>() == Share::in_all);
// The dataflow next best copies Q within registers once more.
static_assert(next_total<Scaled> == 1'081'344 + 16'384);

/// A copy within registers for nothing. The hoisting rule makes WGMMA(Elementwise(LDR(LDR(Q))), K) of the other rule's
/// result, and that would be a third optimum.
struct FreeCopies {
    template <class Graph>
    constexpr std::int64_t operator()(const Graph& graph, egraph::Id n) const {
        const egraph::Node& node = graph.node(n);
        const bool copies = node.symbol == Graph::template symbol_index<Ldr> &&
                            graph.data(node.child[0]).region == Region::registers;
        return copies ? 0 : Traffic{}(graph, n);
    }
};
static_assert(egraph::all_optimal(saturated<Scaled>.graph, saturated<Scaled>.root, FreeCopies{}).count == 3);

// Each rule alone: both find the same saving, with one optimum each.
using Hoist = types<HoistElementwise>;
using Load = types<ExplicitLoad>;
static_assert(finds<Scaled, Stores::once, Hoist>(622'592, 1) && finds<Scaled, Stores::once, Load>(622'592, 1));
static_assert(finds<Scaled, Stores::once, types<>>(737'280, 1));

// Without the scale only the explicit load finds it: one optimum, the same saving.
static_assert(finds<Plain, Stores::each_iteration>(1'081'344, 1) && finds<Plain, Stores::once>(622'592, 1));
static_assert(finds<Plain, Stores::once, Load>(622'592, 1) && finds<Plain, Stores::once, Hoist>(737'280, 1));
static_assert(total_traffic<Plain> == 1'196'032 && saturated<Plain>.saturation.applied[0] == 0);

// A scale of a scalar of the run is hoisted; a function that is no scale is not, and the explicit load remains.
using ByParam = naive_attention<Tiles, Mul<Param<0>, Neg<Out>>>;
static_assert(finds<ByParam, Stores::once>(622'592, 2));
template <class E>
using only_loads = naive_attention<Tiles, E>;
static_assert(finds<only_loads<Exp<Out>>, Stores::once>(622'592, 1));
static_assert(finds<only_loads<Add<Out, Const<1>>>, Stores::once, Hoist>(737'280, 1));
static_assert(finds<only_loads<Mul<Out, Coord<3>>>, Stores::once, Hoist>(737'280, 1));
static_assert(finds<only_loads<Mul<Out, Out>>, Stores::once, Hoist>(737'280, 1));
static_assert(finds<only_loads<Mul<Out, Buf<0>>>, Stores::once, Hoist>(737'280, 1));
static_assert(scales_out<Div<Mul<Const<2>, Out>, Param<0>>> && !scales_out<Div<Const<2>, Out>> &&
              !scales_out<Const<2>>);

// A left operand in registers is not loaded again: the condition of the explicit load fails.
using Loaded = Term<Wgmma, InRegisters, Tiles::k>;
static_assert(saturated<Loaded, Load>.saturation.applied[0] == 0 && saturated<Loaded, Load>.saturation.iterations == 1);
static_assert(saturated<Term<Wgmma, Tiles::q, Tiles::k>, Load>.saturation.applied[0] == 1);

// Other tiles: 64 queries, heads of 128, blocks of 32 keys, fp8 and fp32, 1 to 1000 iterations.
template <class T>
constexpr std::int64_t saving = total_traffic<T> - optima<T>.total;
template <int Rows, int Keys, int Depth, int Bytes, int Iterations>
constexpr bool saves = saving<naive_attention<AttentionTiles<Rows, Keys, Depth, Bytes, Iterations>, Scale>> ==
                       std::int64_t{Rows} * Depth * Bytes * (Iterations - 1);
static_assert(saves<64, 32, 128, 2, 16> && saves<128, 128, 64, 1, 8> && saves<192, 80, 40, 4, 1000> &&
              saves<1, 8, 8, 2, 3>);
// In one iteration a load costs as much as the product's own: nothing is saved, and three dataflows are equal.
static_assert(saves<128, 128, 64, 2, 1>);
static_assert(optima<naive_attention<AttentionTiles<128, 128, 64, 2, 1>, Scale>>.count == 3);

}  // namespace
