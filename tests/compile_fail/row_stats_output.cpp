// SPDX-License-Identifier: Apache-2.0
// expect: inlay: WithRowStats publishes to an fp32 output \[..., E\] of the rank of what it stores
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<fp16, 2> y, Tensor<fp16, 2> records, Tensor<const fp16, 2> x) {
    prepare<Elementwise<Silu<Buf<0>>, WithRowStats<Store<0>, 1>>>(y, records, x);
}
