// SPDX-License-Identifier: Apache-2.0
// code: gfx90a,gfx942 MfmaHeadAtom< v_mfma_f32_16x16x4_?f32
// code: gfx1100 WmmaAtom< v_(dual_)?fmac_f32
/// Attention of fp32: every schedule of the lengths of heads that models have, with and without a mask.
#include <inlay/exec/hip.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

template <int D, class Mask>
struct attend : Attention<D, Buf<0>, Buf<1>, Buf<2>, Mask> {};

template <int D, class Mask = mask::Full>
void attention(Hip& gpu, const Tensor<float, 4>& y, const Tensor<float, 4>& q, const Tensor<float, 4>& k) {
    prepare<attend<D, Mask>>(y, q, k, k).run(gpu);
}

void run(Hip& gpu, const Tensor<float, 4>& y, const Tensor<float, 4>& q, const Tensor<float, 4>& k) {
    attention<40>(gpu, y, q, k);
    attention<64>(gpu, y, q, k);
    attention<64, mask::Causal>(gpu, y, q, k);
    attention<80>(gpu, y, q, k);
    attention<128>(gpu, y, q, k);
    attention<160>(gpu, y, q, k);
    attention<512>(gpu, y, q, k);
}
