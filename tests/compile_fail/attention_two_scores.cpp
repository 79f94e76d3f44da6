// SPDX-License-Identifier: Apache-2.0
// expect: inlay: Attention has two scores: expected at most one, such as score::Scaled
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/attention.hpp>

using namespace inlay;

void wrong(Tensor<const float, 4> x4, Tensor<float, 4> y4) {
    prepare<Attention<64, Buf<0>, Buf<1>, Buf<2>, score::Base2, mask::Full, score::Base2>>(y4, x4, x4, x4);
}
