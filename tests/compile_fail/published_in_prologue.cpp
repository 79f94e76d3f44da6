// SPDX-License-Identifier: Apache-2.0
// expect: inlay: PublishedMean and PublishedRstd stand in an epilogue
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>

using namespace inlay;

void wrong(Tensor<float, 2> y, Tensor<const float, 2> x) {
    prepare<Linear<Sub<Buf<0>, PublishedMean<Buf<1>>>>>(y, x, x, x);
}
