// SPDX-License-Identifier: Apache-2.0
// sass: WgmmaGemmBody HGMMA UTMALDG
// no loop over HGMMA: WgmmaGemmBody R2UR S2UR
// no loop over UTMALDG: 11CopiedInput R2UR S2UR
// sass: WgmmaAttentionBody HGMMA UTMALDG
#include "frames.hpp"

template void frames::all(inlay::Cuda&, const inlay::Tensor<inlay::fp16, 1>&, const inlay::Tensor<inlay::fp16, 2>&,
                          const inlay::Tensor<inlay::fp16, 3>&, const inlay::Tensor<inlay::fp16, 4>&,
                          const inlay::Tensor<float, 3>&, const inlay::Tensor<std::int32_t, 1>&);
