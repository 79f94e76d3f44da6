// SPDX-License-Identifier: Apache-2.0
#include "frames.hpp"

template void frames::all(inlay::Cuda&, const inlay::Tensor<float, 1>&, const inlay::Tensor<float, 2>&,
                          const inlay::Tensor<float, 3>&, const inlay::Tensor<float, 4>&,
                          const inlay::Tensor<float, 3>&, const inlay::Tensor<std::int32_t, 1>&);
