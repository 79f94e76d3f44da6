// SPDX-License-Identifier: Apache-2.0
/// The copy engine of sm_90: boxes of a tensor to shared memory, and shared memory of one block to that of another. One
/// thread starts a copy; the barrier at `bar` counts the bytes of the whole box, zeros outside the tensor included.
#pragma once

#include <inlay/tile/cuda/isa/copy.hpp>

#include <cuda.h>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The engine's descriptor of a tensor. A parameter of a kernel, `__grid_constant__`.
using TensorMap = CUtensorMap;

/// Elects one thread of a converged warp, to start copies. The compiler can prove that it is one; under any other
/// condition each copy becomes a loop over the threads that might be active.
__device__ INLAY_INLINE bool elect_thread() {
    std::uint32_t elected = 0;
    asm volatile("{\n .reg .b32 lane;\n .reg .pred p;\n elect.sync lane|p, 0xffffffff;\n @p mov.u32 %0, 1;\n}"
                 : "+r"(elected));
    return elected != 0;
}

__device__ INLAY_INLINE void prefetch_map(const TensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// The box whose first element is (c0, c1, c2, c3), innermost first; any of them may lie outside the tensor.
__device__ INLAY_INLINE void copy_box(std::uint32_t to, const TensorMap& map, std::uint32_t bar, int c0, int c1, int c2,
                                      int c3) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
        "%6}], "
        "[%2];" ::"r"(to),
        "l"(&map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
        : "memory");
}
/// The same of a map of rank 5.
__device__ INLAY_INLINE void copy_box(std::uint32_t to, const TensorMap& map, std::uint32_t bar, int c0, int c1, int c2,
                                      int c3, int c4) {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
        "%7}], [%2];" ::"r"(to),
        "l"(&map), "r"(bar), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
        : "memory");
}
/// Pixels of images (channel, x, y, image), one after the other in the order of a convolution's output, from the one
/// whose window begins at (x, y) on, each under the tap (right, down).
__device__ INLAY_INLINE void copy_pixels(std::uint32_t to, const TensorMap& map, std::uint32_t bar, int channel, int x,
                                         int y, int image, std::uint16_t right, std::uint16_t down) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
        "%6}], [%2], {%7, %8};" ::"r"(to),
        "l"(&map), "r"(bar), "r"(channel), "r"(x), "r"(y), "r"(image), "h"(right), "h"(down)
        : "memory");
}

/// `bytes` of this block's shared memory, a multiple of 16, to `to` in that of block `rank` of the cluster, whose
/// barrier at `bar` counts them.
__device__ INLAY_INLINE void copy_to_block(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t bar,
                                           std::uint32_t rank) {
    asm volatile(
        "{\n .reg .b32 t, b;\n mapa.shared::cluster.u32 t, %0, %4;\n mapa.shared::cluster.u32 b, %3, %4;\n"
        " cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [t], [%1], %2, [b];\n}" ::"r"(to),
        "r"(from), "r"(bytes), "r"(bar), "r"(rank)
        : "memory");
}

}  // namespace inlay::inline INLAY_ABI::on_gpu
