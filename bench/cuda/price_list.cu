// SPDX-License-Identifier: Apache-2.0
/// The cost and the savings of each fusion on the layers of SD1.5: "price/<fusion>/<layer>/<shape>/fp16".
#include "price.hpp"

int main(int argc, char** argv) {
    inlay_bench::Bench bench("price_list", argc, argv);
    inlay_bench::price_convolutions(bench);
    inlay_bench::price_linears(bench);
    return bench.finish();
}
