// SPDX-License-Identifier: Apache-2.0
// sass: WgmmaGemmBody HGMMA UTMALDG
/// One fused Linear: GEGLU as its prologue, bias and residual in its epilogue. Its price to the compiler is a promise.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

using Geglu = Mul<Slice<Buf<0>, -1, 0, 1280>, Gelu<Slice<Buf<0>, -1, 1280, 1280>>>;
struct proj2 : Linear<Geglu, Add<Add<Out, Buf<1>>, Buf<2>>> {};

void run(Cuda& gpu, const Tensor<fp16, 3>& y, const Tensor<fp16, 2>& w, const Tensor<fp16, 3>& x,
         const Tensor<fp16, 1>& bias, const Tensor<fp16, 3>& residual) {
    prepare<proj2>(y, w, x, bias, residual).run(gpu);
}
