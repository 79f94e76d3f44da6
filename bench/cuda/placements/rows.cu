// SPDX-License-Identifier: Apache-2.0
/// `cuda_placements_rows`: the feed-forward layers and the ends of SD1.5's transformers, both halves of guidance.
#include "placements.hpp"
#include "transformer.hpp"

namespace inlay_bench {

const char* const suite = "placements_rows";

namespace {

using enum placed::RowsPlace;
using gated = planner::rules::gated_rules;

constexpr index_t batch = 2;

struct Rows {
    index_t tokens, c;

    auto take(Arena& a) const { return std::make_tuple(Temporary<fp16, 3>(a, {{batch, tokens, c}})); }
};
struct Images {
    index_t side, c;

    auto take(Arena& a) const {
        return std::make_tuple(Temporary<fp16, 3>(a, {{batch, side * side, c}}),
                               Temporary<fp16, 4>(a, {{batch, side, side, c}}));
    }
};

Pair feed_forward(index_t tokens, index_t c) {
    return PairOf("feed_forward", shape_text(batch, tokens, c), planner::Lengths{5, {batch, tokens, c, 77, 768}},
                  Rows{tokens, c})
        .add<placed::rows_plan<nn::transformer_layers::feed_forward, gated>>("planned")
        .add<placed::rows_plan<placed::feed_forward<gate_in_product>>>("GEGLU in the second product")
        .add<placed::rows_plan<placed::feed_forward<gate_apart>>>("GEGLU apart")
        .add<placed::rows_plan<placed::feed_forward<residual_apart>, gated>>("residual apart");
}
Pair exit(index_t side, index_t c) {
    return PairOf("transformer_exit", shape_text(batch, side * side, c),
                  planner::Lengths{5, {batch, side, side, c, side * side}}, Images{side, c})
        .add<placed::images_plan<nn::transformer_layers::exit>>("planned")
        .add<placed::images_plan<placed::transformer_exit<residual_apart>>>("residual apart");
}

}  // namespace

std::vector<Pair> pairs() {
    return {feed_forward(4096, 320), feed_forward(1024, 640), feed_forward(256, 1280), feed_forward(64, 1280),
            exit(64, 320),           exit(32, 640),           exit(16, 1280),          exit(8, 1280)};
}

}  // namespace inlay_bench
