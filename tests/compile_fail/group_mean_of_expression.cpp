// SPDX-License-Identifier: Apache-2.0
// expect: inlay: GroupMean and GroupRstd read the statistics of WithStats as they lie, a tensor slot that
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<float, 4> y, Tensor<const float, 3> stats, Tensor<const fp16, 4> x) {
    prepare<Elementwise<GroupMean<Neg<Buf<0>>, Buf<1>, 8>>>(y, stats, x);
}
