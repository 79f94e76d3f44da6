// SPDX-License-Identifier: Apache-2.0
/// Matrix instructions of a warp: `ldmatrix` from shared memory, and the products of `mma.sync` in fp32.
/// `tile/cuda/mma/atom.hpp` describes the layout of registers.
#pragma once

#include <inlay/core/dtype.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// Four 8×8 matrices of 16-bit elements (or 8×4 of 32-bit ones): lane i names row i % 8 of matrix i / 8, 16 bytes each.
/// Register j then holds the place `Atom::place` of matrix j: row lane / 4, 32 bits at column lane % 4.
__device__ INLAY_INLINE void load_matrices(std::uint32_t (&r)[4], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
}
/// Two matrices: lanes 0 to 15 name the rows.
__device__ INLAY_INLINE void load_matrices(std::uint32_t (&r)[2], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(row)
                 : "memory");
}
/// Four of 16-bit elements, each transposed.
__device__ INLAY_INLINE void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
}
/// Two of 16-bit elements, each transposed: lanes 0 to 15 name the rows.
__device__ INLAY_INLINE void load_matrices_transposed(std::uint32_t (&r)[2], std::uint32_t row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(row)
                 : "memory");
}

/// C[16, 8] += A[16, 16] · B[16, 8] of fp16 or bf16.
template <class T>
__device__ INLAY_INLINE void mma_m16n8k16(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    if constexpr (std::is_same_v<T, fp16>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
/// Its first half, C[16, 8] += A[16, 8] · B[8, 8]: registers 0 and 1 of A, register 0 of B.
template <class T>
__device__ INLAY_INLINE void mma_m16n8k8(float (&c)[4], const std::uint32_t* a, std::uint32_t b) {
    if constexpr (std::is_same_v<T, fp16>)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
    else
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
}
/// C[16, 8] += A[16, 8] · B[8, 8] of TF32.
__device__ INLAY_INLINE void mma_m16n8k8_tf32(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Begins and ends a burst of products, during which a vendor's scheduler may prefer this warp. Nothing on CUDA.
__device__ INLAY_INLINE void raise_priority() {}
__device__ INLAY_INLINE void lower_priority() {}

}  // namespace inlay::inline INLAY_ABI::on_gpu
