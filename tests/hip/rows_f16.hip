// SPDX-License-Identifier: Apache-2.0
/// Frames without a product, of elements of fp16.
#include "rows.hpp"

// code: gfx90a,gfx942 detail::RowsBody< v_add_f32_dpp ds_swizzle_b32 ds_bpermute_b32
// code: gfx1100 detail::RowsBody< v_add_f32_dpp v_permlanex16_b32

template void frames::rows_and_maps(WithoutProducts&, const Tensor<fp16, 1>&, const Tensor<fp16, 2>&,
                                    const Tensor<fp16, 3>&, const Tensor<float, 3>&);
template void frames::group_norms(WithoutProducts&, const Tensor<fp16, 1>&, const Tensor<fp16, 4>&);
