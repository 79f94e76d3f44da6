// SPDX-License-Identifier: Apache-2.0
/// The dataflow of an attention, rearranged by the compiler: all dataflows that two rules make of it, and those that
/// move the fewest bytes, are found while this file is compiled. Prints a summary, or with `json` or `dot` as the first
/// argument the e-graph; `written` after it stands for the dataflow as it is written.
#include <inlay/report/egraph/dot.hpp>
#include <inlay/report/egraph/json.hpp>
#include <inlay/report/egraph/tile.hpp>
#include <inlay/rewrite/dataflow/optimum.hpp>

#include <cstdio>
#include <string>

using namespace inlay;
using namespace inlay::dataflow;

/// Q of 128 × 64, K of 64 × 128 and V of 128 × 64 in fp16, 8 iterations over the keys, and the score Q·K / √64.
using tiles = AttentionTiles<128, 128, 64, 2, 8>;
using attend = naive_attention<tiles, Mul<Out, Const<0.125>>>;

static_assert(total_traffic<attend, Stores::once> == 737'280);
static_assert(optima<attend, Stores::once>.total == 622'592 && optima<attend, Stores::once>.count == 2);

template <class Rules>
egraph::Picture picture_by() {
    const auto& found = saturated<attend, Rules>;
    return egraph::picture(found.graph, found.root, Traffic{Stores::once}, tile_label);
}

int main(int argc, char** argv) {
    const std::string form = argc > 1 ? argv[1] : "";
    const bool written = argc > 2 && argv[2] == std::string("written");
    const egraph::Picture picture = written ? picture_by<types<>>() : picture_by<dataflow::rules>();
    if (form == "json") std::fputs(egraph::json(picture).c_str(), stdout);
    else if (form == "dot") std::fputs(egraph::dot(picture, " B").c_str(), stdout);
    else
        std::printf("as written  %lld bytes\nrearranged  %lld bytes, by %d dataflows\nnext best   %lld bytes\n",
                    static_cast<long long>(total_traffic<attend, Stores::once>),
                    static_cast<long long>(picture.total), picture.optima,
                    static_cast<long long>(next_total<attend, Stores::once>));
}
