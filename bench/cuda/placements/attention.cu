// SPDX-License-Identifier: Apache-2.0
/// `cuda_placements_attention`: self-attention of SD1.5's transformers, of images of 512 and 768 pixels.
#include "placements.hpp"
#include "transformer.hpp"

namespace inlay_bench {

const char* const suite = "placements_attention";

namespace {

using enum placed::RowsPlace;
using joined = planner::rules::joined_products;

struct Rows {
    index_t batch, tokens, c;

    auto take(Arena& a) const { return std::make_tuple(Temporary<fp16, 3>(a, {{batch, tokens, c}})); }
};

template <int D>
Pair self(index_t batch, index_t tokens) {
    constexpr int c = 8 * D;
    using attention = nn::transformer_layers::self_attention<D>;
    using rules = nn::attention_rules<fp16, D>;
    return PairOf("self_attention_" + std::to_string(D), shape_text(batch, tokens, c),
                  planner::Lengths{5, {batch, tokens, c, 77, 768}}, Rows{batch, tokens, c})
        .template add<placed::rows_plan<attention, rules, c>>("planned")
        .template add<placed::rows_plan<attention, planner::rules::score_rules<D>, c>>("products apart")
        .template add<placed::rows_plan<attention, joined, c>>("scale in the score")
        .template add<placed::rows_plan<placed::self_attention<residual_apart, D>, rules, c>>("residual apart");
}

}  // namespace

std::vector<Pair> pairs() {
    return {self<40>(2, 4096), self<40>(2, 9216), self<40>(1, 4096), self<40>(8, 4096), self<80>(2, 1024),
            self<80>(2, 2304), self<80>(1, 1024), self<80>(8, 1024), self<160>(2, 256), self<160>(2, 64)};
}

}  // namespace inlay_bench
