// SPDX-License-Identifier: Apache-2.0
/// Frames without a product, of elements of bf16.
#include "rows.hpp"

template void frames::rows_and_maps(WithoutProducts&, const Tensor<bf16, 1>&, const Tensor<bf16, 2>&,
                                    const Tensor<bf16, 3>&, const Tensor<float, 3>&);
template void frames::group_norms(WithoutProducts&, const Tensor<bf16, 1>&, const Tensor<bf16, 4>&);
