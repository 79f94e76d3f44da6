// SPDX-License-Identifier: Apache-2.0
// code: gfx90a,gfx942 GemmBody<Tile<MfmaAtom v_mfma_f32_16x16x4_?f32 global_load_dwordx4 ds_read_b128
// code: gfx90a,gfx942 GatherBody<Tile<MfmaAtom v_mfma_f32_16x16x4_?f32 ds_read_b128
// code: gfx1100 GemmBody<Tile<WmmaAtom v_fmac_f32_dpp global_load_b128 ds_load_b128
// code: gfx1100 GatherBody<Tile<WmmaAtom v_fmac_f32_dpp ds_load_b128
/// Matrix products of fp32.
#include "products.hpp"

template void products(Hip&, const Tensor<float, 2>&, const Tensor<float, 2>&, const Tensor<float, 2>&,
                       const Tensor<float, 1>&, const Tensor<float, 4>&, const Tensor<float, 4>&,
                       const Tensor<float, 4>&);
