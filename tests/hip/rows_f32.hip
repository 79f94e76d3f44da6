// SPDX-License-Identifier: Apache-2.0
/// Frames without a product, of elements of float.
#include "rows.hpp"

template void frames::rows_and_maps(WithoutProducts&, const Tensor<float, 1>&, const Tensor<float, 2>&,
                                    const Tensor<float, 3>&, const Tensor<float, 3>&);
template void frames::group_norms(WithoutProducts&, const Tensor<float, 1>&, const Tensor<float, 4>&);
