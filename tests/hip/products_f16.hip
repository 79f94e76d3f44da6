// SPDX-License-Identifier: Apache-2.0
// code: gfx90a,gfx942 GemmBody<Tile<MfmaWideAtom v_mfma_f32_32x32x8_?f16(_1k)? global_load_dwordx4 ds_read_b128
// code: gfx90a,gfx942 GemmBody<Tile<MfmaAtom v_mfma_f32_16x16x16_?f16(_1k)? global_load_dwordx4 ds_read_b128
// code: gfx90a,gfx942 GatherBody<Tile<MfmaAtom v_mfma_f32_16x16x16_?f16(_1k)? ds_read_b128
// code: gfx1100 GemmBody<Tile<WmmaAtom v_wmma_f32_16x16x16_f16 global_load_b128 ds_load_b128
// code: gfx1100 GatherBody<Tile<WmmaAtom v_wmma_f32_16x16x16_f16 ds_load_b128
/// Matrix products of fp16.
#include "products.hpp"

template void products(Hip&, const Tensor<fp16, 2>&, const Tensor<fp16, 2>&, const Tensor<fp16, 2>&,
                       const Tensor<fp16, 1>&, const Tensor<fp16, 4>&, const Tensor<fp16, 4>&, const Tensor<fp16, 4>&);
