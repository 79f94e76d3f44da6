// SPDX-License-Identifier: Apache-2.0
// expect: inlay: PublishedMean and PublishedRstd read the records of WithRowStats as they lie, a tensor slot that
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<fp16, 2> y, Tensor<const fp16, 2> x) {
    prepare<Linear<Buf<0>, Sub<Out, PublishedMean<Buf<1>>>>>(y, x, x, x);
}
