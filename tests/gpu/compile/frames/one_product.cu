// SPDX-License-Identifier: Apache-2.0
// sass: WgmmaGemmBody HGMMA UTMALDG
/// One fused Linear that sm_90a's engine takes, bias and residual in its epilogue. Its price to the compiler is a
/// promise.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct out_proj : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};

void run(Cuda& gpu, const Tensor<fp16, 3>& y, const Tensor<fp16, 2>& w, const Tensor<fp16, 3>& x,
         const Tensor<fp16, 1>& bias, const Tensor<fp16, 3>& residual) {
    prepare<out_proj>(y, w, x, bias, residual).run(gpu);
}
