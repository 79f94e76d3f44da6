// SPDX-License-Identifier: Apache-2.0
// expect: inlay: an operation of the dataflow does not take its operands: LDS copies from global memory, WGMMA
#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/dataflow/optimum.hpp>

using namespace inlay::dataflow;

using Tiles = AttentionTiles<128, 128, 64>;
using wrong = inlay::egraph::Term<Wgmma, Tiles::q, Tiles::v>;  // [128, 64] by [128, 64]
static_assert(optima<wrong>.total > 0);
