// SPDX-License-Identifier: Apache-2.0
// expect: inlay: a tile has at least one row, column, byte and iteration
#include <inlay/expr/binary.hpp>
#include <inlay/rewrite/dataflow/optimum.hpp>

using namespace inlay::dataflow;

static_assert(total_traffic<AttentionTiles<128, 0, 64>::k> == 0);
