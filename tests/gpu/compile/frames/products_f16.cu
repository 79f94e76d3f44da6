// SPDX-License-Identifier: Apache-2.0
// sass: WgmmaGemmBody HGMMA UTMALDG
// no loop over HGMMA: WgmmaGemmBody R2UR S2UR
/// Products for sm_90a's engine that neither frames.hpp nor Stable Diffusion has: inputs that are evaluated, of rows
/// and under windows.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

using Bias = Add<Out, Buf<1>>;
struct silu_linear : Linear<Silu<Buf<0>>, Add<Bias, Buf<2>>> {};
struct geglu_linear : Linear<Mul<Slice<Buf<0>, -1, 0, 64>, Gelu<Slice<Buf<0>, -1, 64, 64>>>, Bias> {};
struct sum_linear : Linear<Silu<Add<Buf<0>, Buf<2>>>, Bias> {};
struct normed : Conv2D<Filter<3>, Silu<Add<Mul<Buf<0>, Buf<2>>, Buf<3>>>, Bias> {};

void run(Cuda& gpu, const Tensor<fp16, 1>& c, const Tensor<fp16, 2>& m, const Tensor<fp16, 3>& x,
         const Tensor<fp16, 4>& image) {
    prepare<silu_linear>(x, m, x, c, x).run(gpu);
    prepare<geglu_linear>(m, m, m, c).run(gpu);
    prepare<sum_linear>(m, m, m, c, m).run(gpu);
    prepare<normed>(image, image, image, c, image, image).run(gpu);
}
