// SPDX-License-Identifier: Apache-2.0
/// Rules of planned layers with attention.
#pragma once

#include <inlay/rewrite/planner/rules/query_key_value.hpp>
#include <inlay/rewrite/planner/rules/score.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::nn {

/// One product for Q, K and V, and the scale of scores of 16 bits in Q's columns, whose engines gain by powers of two.
/// Q of fp32 would be rounded once more for nothing. D: the width of a head, as in the layer.
template <Storage T, auto D, class... Option>
using attention_rules =
    std::conditional_t<sizeof(T) == 2,
                       join_types<planner::rules::joined_products, planner::rules::score_rules<D, Option...>>,
                       planner::rules::joined_products>;

}  // namespace inlay::inline INLAY_ABI::nn
