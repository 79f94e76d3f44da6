// SPDX-License-Identifier: Apache-2.0
#include <inlay/rewrite/dataflow/placement.hpp>

namespace {

using namespace inlay;
using namespace inlay::dataflow;

static_assert(std::is_same_v<exact_rules, types<ExplicitLoad>>);
// Q in registers; by exact rules the scale is left at the scores, by the hoisting rule alone it is on Q, and by both
// rules either is an optimum.
static_assert(attention_placement<> == AttentionPlacement{true, false});
static_assert(attention_placement<AttentionTiles<>, types<HoistElementwise>> == AttentionPlacement{true, true});
static_assert(attention_placement<AttentionTiles<>, dataflow::rules> == AttentionPlacement{true, false});
static_assert(attention_placement<AttentionTiles<>, types<>> == AttentionPlacement{false, false});
// Of any tiles in two iterations or more.
static_assert(attention_placement<AttentionTiles<16, 8, 512, 1, 2>> == AttentionPlacement{true, false});
static_assert(attention_placement<AttentionTiles<1, 4096, 8, 4, 100000>> == AttentionPlacement{true, false});
static_assert(attention_placement<AttentionTiles<128, 128, 64, 2, 1>> == AttentionPlacement{false, false});

}  // namespace
