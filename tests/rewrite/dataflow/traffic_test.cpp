// SPDX-License-Identifier: Apache-2.0
/// Bytes of each operation of an attention, as it is written down.
#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/dataflow/attention.hpp>

namespace {

using namespace inlay::dataflow;
using inlay::egraph::Term;

using Tiles = AttentionTiles<>;
using Scale = inlay::Mul<inlay::Out, inlay::Const<0.125>>;

// Each operation of the naive dataflow, and of the rearranged one.
using Q = Tiles::q;
using K = Tiles::k;
using V = Tiles::v;
using Scores = Term<Wgmma, Q, K>;
using Scaled = Term<Elementwise<Scale>, Scores>;
using Result = Term<Wgmma, Scaled, V>;
using Shared = Term<Sts, Result>;
using Naive = Term<Stg, Shared>;
static_assert(std::is_same_v<Naive, naive_attention<Tiles, Scale>>);
static_assert(traffic_of<Q> == 16'384 && traffic_of<K> == 131'072 && traffic_of<V> == 131'072);
static_assert(traffic_of<Scores> == 262'144 && traffic_of<Scaled> == 0 && traffic_of<Result> == 131'072);
static_assert(traffic_of<Shared> == 262'144 && traffic_of<Naive> == 262'144);
static_assert(traffic_of<Shared, Stores::once> == 32'768 && traffic_of<Naive, Stores::once> == 32'768);

using InRegisters = Term<Ldr, Q>;
using ScaledQ = Term<Elementwise<Scale>, InRegisters>;
using ScaledScores = Term<Wgmma, ScaledQ, K>;
using Rearranged = rearranged_attention<Tiles, Scale>;
static_assert(std::is_same_v<Rearranged, Term<Stg, Term<Sts, Term<Wgmma, ScaledScores, V>>>>);
static_assert(traffic_of<InRegisters> == 16'384 && traffic_of<ScaledQ> == 0 && traffic_of<ScaledScores> == 131'072);
static_assert(traffic_of<Term<Wgmma, ScaledScores, V>> == 131'072 && traffic_of<Rearranged> == 262'144);

// In total. A copy of a tile in registers costs its bytes.
static_assert(total_traffic<Naive> == 1'196'032 && total_traffic<Rearranged> == 1'081'344);
static_assert(total_traffic<Naive, Stores::once> == 737'280 && total_traffic<Rearranged, Stores::once> == 622'592);
static_assert(traffic_of<Term<Ldr, InRegisters>> == 16'384);
static_assert(total_traffic<Term<Wgmma, Q, Term<Lds, Term<GlobalTile<'Q', 128, 64, 2, 1>>>>> == 3 * 16'384);  // Q once

}  // namespace
