// SPDX-License-Identifier: Apache-2.0
// sass: Li128ELi1ELi1ELi4ELi64ELi2E HMMA.16816.F32.BF16 LDGSTS SHFL.IDX
/// One query over keys in pages: a lane finds the address of a row for all, and registers suffice for three blocks on a
/// multiprocessor.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct attend : Attention<128, Buf<0>, Paged<Buf<1>, Buf<3>>, Paged<Buf<2>, Buf<3>>> {};

void run(Cuda& gpu, const Tensor<bf16, 4>& y, const Tensor<const bf16, 4>& q, const Tensor<const bf16, 4>& pool,
         const Tensor<const std::int32_t, 2>& pages) {
    prepare<attend>(y, q, pool, pool, pages).run(gpu);
}
