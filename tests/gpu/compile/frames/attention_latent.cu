// SPDX-License-Identifier: Apache-2.0
// sass: WgmmaLatentBody HGMMA UTMALDG
/// Latent attention of one query with absorbed projections, whose values are columns of the keys.
#include <inlay/exec/cuda.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct attend : Attention<576, Buf<0>, Buf<1>, Slice<Buf<1>, -1, 0, 512>, ValueColumns<512>> {};

void run(Cuda& gpu, const Tensor<bf16, 4>& y, const Tensor<const bf16, 4>& q, const Tensor<const bf16, 4>& cache) {
    prepare<attend>(y, q, cache).run(gpu);
}
