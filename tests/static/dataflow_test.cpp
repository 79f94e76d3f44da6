// SPDX-License-Identifier: Apache-2.0
/// An attention's dataflow, rearranged by the compiler: bytes of each operation, totals, and the number of optima.
#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/dataflow/optimum.hpp>

namespace {

using namespace inlay::dataflow;
using inlay::egraph::Term;

using Tiles = AttentionTiles<128, 128, 64, 2, 8>;
using Scale = inlay::Mul<inlay::Out, inlay::Const<0.125>>;

using Q = Tiles::q;
using K = Tiles::k;
using V = Tiles::v;
using Scores = Term<Wgmma, Q, K>;
using Scaled = Term<Elementwise<Scale>, Scores>;
using Result = Term<Wgmma, Scaled, V>;
using Shared = Term<Sts, Result>;
using Naive = Term<Stg, Shared>;

// As it is written, per operation: with the result stored in each iteration, and once.
static_assert(traffic_of<Q> == 16'384 && traffic_of<K> == 131'072 && traffic_of<V> == 131'072);
static_assert(traffic_of<Scores> == 262'144 && traffic_of<Scaled> == 0 && traffic_of<Result> == 131'072);
static_assert(traffic_of<Shared> == 262'144 && traffic_of<Naive> == 262'144 && total_traffic<Naive> == 1'196'032);
static_assert(traffic_of<Shared, Stores::once> == 32'768 && traffic_of<Naive, Stores::once> == 32'768 &&
              total_traffic<Naive, Stores::once> == 737'280);

// Rearranged.
using InRegisters = Term<Ldr, Q>;
using ScaledQ = Term<Elementwise<Scale>, InRegisters>;
using ScaledScores = Term<Wgmma, ScaledQ, K>;
using Rearranged = Term<Stg, Term<Sts, Term<Wgmma, ScaledScores, V>>>;
static_assert(traffic_of<InRegisters> == 16'384 && traffic_of<ScaledQ> == 0 && traffic_of<ScaledScores> == 131'072);
static_assert(total_traffic<Rearranged> == 1'081'344 && total_traffic<Rearranged, Stores::once> == 622'592);

// Found.
static_assert(std::is_same_v<Naive, naive_attention<Tiles, Scale>>);
static_assert(optima<Naive>.total == 1'081'344 && optima<Naive>.count == 2 && optima<Naive>.complete);
static_assert(optima<Naive, Stores::once>.total == 622'592 && optima<Naive, Stores::once>.count == 2);
static_assert(total_traffic<Naive> - optima<Naive>.total == 114'688);
static_assert(saturated<Naive>.saturation.saturated && !saturated<Naive>.graph.limit_reached());

// Without the scale by the explicit load alone.
using Plain = naive_attention<Tiles, inlay::Out>;
static_assert(optima<Plain>.total == 1'081'344 && optima<Plain>.count == 1);
static_assert(optima<Plain, Stores::each_iteration, inlay::types<HoistElementwise>>.total == 1'196'032);
static_assert(optima<Plain, Stores::each_iteration, inlay::types<ExplicitLoad>>.total == 1'081'344);

}  // namespace
