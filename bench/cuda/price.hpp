// SPDX-License-Identifier: Apache-2.0
/// One entry of the fusion price list: a fused kernel, the plain kernel without the fusion, and the plain kernel with
/// the same work as a pass of its own. The fusion pays where `fused_over_separate` is below 1.
#pragma once

#include "target.hpp"

namespace inlay_bench {

/// The result of a kernel before, as any input: no kernel is instantiated a second time for it.
template <int R>
inlay::Tensor<const inlay::fp16, R> read(const inlay::Tensor<inlay::fp16, R>& t) {
    return t;
}

/// fused, plain(i): kernels; separate...: the kernels that do the work in passes, in order, into the same output.
template <class Fused, class Plain, class... Separate>
void price(Case& c, Fused fused, Plain plain, Separate... separate) {
    c.ours(fused);
    c.unfused("own pass", separate...);
    c.time("plain_us", plain);
    c.measure();
    c.number("fused_over_plain", c.us() / c.us("plain_us"));
    c.number("fused_over_separate", c.us() / c.us("unfused_us"));
}

void price_convolutions(Bench& bench);
void price_linears(Bench& bench);

}  // namespace inlay_bench
