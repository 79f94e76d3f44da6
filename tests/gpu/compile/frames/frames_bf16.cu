// SPDX-License-Identifier: Apache-2.0
// sass: wgmma_kernel HGMMA UTMALDG
// no loop over HGMMA: wgmma_kernel R2UR S2UR
// no loop over UTMALDG: 11CopiedInput R2UR S2UR
// sass: wgmma_attention_kernel HGMMA UTMALDG
#include "frames.hpp"

template void frames::all(inlay::Cuda&, const inlay::Tensor<inlay::bf16, 1>&, const inlay::Tensor<inlay::bf16, 2>&,
                          const inlay::Tensor<inlay::bf16, 3>&, const inlay::Tensor<inlay::bf16, 4>&,
                          const inlay::Tensor<float, 3>&, const inlay::Tensor<std::int32_t, 1>&);
