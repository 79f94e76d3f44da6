// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Attention takes no tensor: expected a mask, a score, a row, an epilogue over Out, a sink or a schedule after V
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, mask::Causal, Tensor<float, 4>>>(y4, x4, x4, x4);
}
