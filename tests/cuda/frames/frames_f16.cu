// SPDX-License-Identifier: Apache-2.0
// sass: hopper_kernel HGMMA UTMALDG
// sass: hopper_attention_kernel HGMMA UTMALDG
#include "frames.hpp"

template void frames::all(inlay::Cuda&, const inlay::Tensor<inlay::half, 1>&, const inlay::Tensor<inlay::half, 2>&,
                          const inlay::Tensor<inlay::half, 3>&, const inlay::Tensor<inlay::half, 4>&,
                          const inlay::Tensor<float, 3>&);
