// SPDX-License-Identifier: Apache-2.0
// code: gfx90a,gfx942 GemmBody<Tile<MfmaWideAtom v_mfma_f32_32x32x8_?bf16(_1k)? global_load_dwordx4 ds_read_b128
// code: gfx90a,gfx942 GemmBody<Tile<MfmaAtom v_mfma_f32_16x16x16_?bf16(_1k)? global_load_dwordx4 ds_read_b128
// code: gfx90a,gfx942 GatherBody<Tile<MfmaAtom v_mfma_f32_16x16x16_?bf16(_1k)? ds_read_b128
// code: gfx1100 GemmBody<Tile<WmmaAtom v_wmma_f32_16x16x16_bf16 global_load_b128 ds_load_b128
// code: gfx1100 GatherBody<Tile<WmmaAtom v_wmma_f32_16x16x16_bf16 ds_load_b128
/// Matrix products of bf16.
#include "products.hpp"

template void products(Hip&, const Tensor<bf16, 2>&, const Tensor<bf16, 2>&, const Tensor<bf16, 2>&,
                       const Tensor<bf16, 1>&, const Tensor<bf16, 4>&, const Tensor<bf16, 4>&, const Tensor<bf16, 4>&);
