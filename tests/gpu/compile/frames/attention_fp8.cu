// SPDX-License-Identifier: Apache-2.0
// sass: Fp8HeadAtom F2FP.F16.E4M3.UNPACK_B HMMA.16816.F32 LDGSTS
/// Attention over K and V in fp8, with a scale for each head: few queries convert them behind shared memory.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct attend : Attention<64, Buf<0>, Mul<Buf<1>, Buf<3>>, Mul<Buf<2>, Buf<4>>> {};

void run(Cuda& gpu, const Tensor<bf16, 4>& y, const Tensor<const bf16, 4>& q, const Tensor<const fp8, 4>& cache,
         const Tensor<const float, 3>& scales) {
    prepare<attend>(y, q, cache, cache, scales, scales).run(gpu);
}
