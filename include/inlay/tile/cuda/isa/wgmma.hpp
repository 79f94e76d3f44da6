// SPDX-License-Identifier: Apache-2.0
/// Products of a warpgroup, four warps: C[64, N] += A[64, 16] · B[N, 16]ᵀ of fp16 or bf16 in fp32, in the background. A
/// and B lie in shared memory in rows of 128 bytes, 64 elements along the sum, the 16-byte chunks of row r at place
/// chunk ^ r % 8; A may come from registers. Warp w of the four holds rows 16·w + lane / 4 and 8 further: registers 4·j
/// and 4·j + 1 of C are columns 8·j + 2·(lane % 4) and the next of the first, 4·j + 2 and 4·j + 3 of the second row.
#pragma once

#include <inlay/core/half.hpp>

#include <type_traits>

namespace inlay::inline INLAY_ABI::on_gpu {

/// A tile of groups of 8 rows, which begin every `stride` bytes from `address` on: any row of a buffer that is aligned
/// to 1024 bytes. 16 elements further along the sum are 2 further in the descriptor, a row 8.
__device__ INLAY_INLINE std::uint64_t matrix_descriptor(std::uint32_t address, std::uint32_t stride = 1024) {
    return static_cast<std::uint64_t>((address & 0x3ffffu) >> 4) | std::uint64_t(1) << 16 |
           static_cast<std::uint64_t>(stride >> 4) << 32 | std::uint64_t(1) << 62;
}

/// B as it lies in rows along N, an element of the sum each: rows of 64 columns, the next 64 columns `columns` bytes
/// behind. 16 elements further along the sum are 128 further in the descriptor.
__device__ INLAY_INLINE std::uint64_t rows_descriptor(std::uint32_t address, std::uint32_t columns) {
    return static_cast<std::uint64_t>((address & 0x3ffffu) >> 4) | static_cast<std::uint64_t>(columns >> 4) << 16 |
           std::uint64_t(1024 >> 4) << 32 | std::uint64_t(1) << 62;
}

/// Called before the first product after registers of C or A were written.
__device__ INLAY_INLINE void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// Closes the group of products issued since the last one.
__device__ INLAY_INLINE void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most N groups are under way.
template <int N>
__device__ INLAY_INLINE void products_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
/// Keeps reads of C behind the wait before this.
template <int N>
__device__ INLAY_INLINE void products_keep(float (&c)[N]) {
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) asm volatile("" : "+f"(c[i])::"memory");
}
/// Discards C for the compiler, where the first product begins at 0: it would keep the last sums for it.
template <int N>
__device__ INLAY_INLINE void products_forget(float (&c)[N]) {
    INLAY_UNROLL
    for (int i = 0; i < N; ++i) asm volatile("" : "=f"(c[i]));
}

/// Keeps loads from memory on their side of this for the compiler.
__device__ INLAY_INLINE void loads_keep() { asm volatile("" ::: "memory"); }

/// The low half of a descriptor as if it changed here, so that values computed from it are not hoisted out of a loop.
__device__ INLAY_INLINE void descriptor_keep(std::uint32_t& low) { asm volatile("" : "+r"(low)); }

/// `product<N, T>::run(c, a, b, add)`: a and b descriptors, or a four registers as `load_matrices` gives them. Without
/// `add` C begins at 0. `run_rows`: B by a `rows_descriptor`.
template <int N, class T>
struct product;

#define INLAY_C16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define INLAY_C20 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19"
#define INLAY_C32 \
    INLAY_C20 \
    ", %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define INLAY_C40 \
    INLAY_C32 \
    ", %32, %33, %34, %35, %36, %37, %38, %39"
#define INLAY_C48 \
    INLAY_C40 \
    ", %40, %41, %42, %43, %44, %45, %46, %47"
#define INLAY_C64 \
    INLAY_C48 \
    ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define INLAY_C80 \
    INLAY_C64 \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79"
#define INLAY_C128 \
    INLAY_C80 \
    ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, " \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, " \
    "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define INLAY_4(i) "+f"(c[i]), "+f"(c[i + 1]), "+f"(c[i + 2]), "+f"(c[i + 3])
#define INLAY_8(i) INLAY_4(i), INLAY_4(i + 4)
#define INLAY_16(i) INLAY_8(i), INLAY_8(i + 8)
#define INLAY_32(i) INLAY_16(i), INLAY_16(i + 16)

/// Registers of C are operands 0 to N / 2 - 1; those after them have numbers that depend on N.
#define INLAY_PRODUCT_SS(N, TYPE, C, A, B, ADD, ROWS, ...)                                                             \
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %" #ADD ", 0;\n wgmma.mma_async.sync.aligned.m64n" #N             \
                 "k16.f32." TYPE "." TYPE " {" C "}, %" #A ", %" #B ", p, 1, 1, 0, " #ROWS ";\n}"                      \
                 : __VA_ARGS__                                                                                         \
                 : "l"(a), "l"(b), "r"(static_cast<int>(add)))
#define INLAY_PRODUCT_RS(N, TYPE, C, A0, A1, A2, A3, B, ADD, ROWS, ...)                                                \
    asm volatile("{\n .reg .pred p;\n setp.ne.b32 p, %" #ADD ", 0;\n wgmma.mma_async.sync.aligned.m64n" #N             \
                 "k16.f32." TYPE "." TYPE " {" C "}, {%" #A0 ", %" #A1 ", %" #A2 ", %" #A3 "}, %" #B                   \
                 ", p, 1, 1, " #ROWS ";\n}"                                                                            \
                 : __VA_ARGS__                                                                                         \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(add)))
#define INLAY_PRODUCT(N, C, X0, X1, X2, X3, X4, X5, ...)                                                               \
    template <class T>                                                                                                 \
    struct product<N, T> {                                                                                             \
        __device__ INLAY_INLINE static void run(float (&c)[N / 2], std::uint64_t a, std::uint64_t b, bool add) {       \
            if constexpr (std::is_same_v<T, fp16>) INLAY_PRODUCT_SS(N, "f16", C, X0, X1, X2, 0, __VA_ARGS__);          \
            else INLAY_PRODUCT_SS(N, "bf16", C, X0, X1, X2, 0, __VA_ARGS__);                                           \
        }                                                                                                              \
        __device__ INLAY_INLINE static void run_rows(float (&c)[N / 2], std::uint64_t a, std::uint64_t b, bool add) {  \
            if constexpr (std::is_same_v<T, fp16>) INLAY_PRODUCT_SS(N, "f16", C, X0, X1, X2, 1, __VA_ARGS__);          \
            else INLAY_PRODUCT_SS(N, "bf16", C, X0, X1, X2, 1, __VA_ARGS__);                                           \
        }                                                                                                              \
        __device__ INLAY_INLINE static void run(float (&c)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b,       \
                                                bool add) {                                                            \
            if constexpr (std::is_same_v<T, fp16>)                                                                     \
                INLAY_PRODUCT_RS(N, "f16", C, X0, X1, X2, X3, X4, X5, 0, __VA_ARGS__);                                 \
            else INLAY_PRODUCT_RS(N, "bf16", C, X0, X1, X2, X3, X4, X5, 0, __VA_ARGS__);                               \
        }                                                                                                              \
        __device__ INLAY_INLINE static void run_rows(float (&c)[N / 2], const std::uint32_t (&a)[4], std::uint64_t b,  \
                                                     bool add) {                                                       \
            if constexpr (std::is_same_v<T, fp16>)                                                                     \
                INLAY_PRODUCT_RS(N, "f16", C, X0, X1, X2, X3, X4, X5, 1, __VA_ARGS__);                                 \
            else INLAY_PRODUCT_RS(N, "bf16", C, X0, X1, X2, X3, X4, X5, 1, __VA_ARGS__);                               \
        }                                                                                                              \
    }

INLAY_PRODUCT(32, INLAY_C16, 16, 17, 18, 19, 20, 21, INLAY_16(0));
INLAY_PRODUCT(40, INLAY_C20, 20, 21, 22, 23, 24, 25, INLAY_16(0), INLAY_4(16));
INLAY_PRODUCT(64, INLAY_C32, 32, 33, 34, 35, 36, 37, INLAY_32(0));
INLAY_PRODUCT(80, INLAY_C40, 40, 41, 42, 43, 44, 45, INLAY_32(0), INLAY_8(32));
INLAY_PRODUCT(96, INLAY_C48, 48, 49, 50, 51, 52, 53, INLAY_32(0), INLAY_16(32));
INLAY_PRODUCT(128, INLAY_C64, 64, 65, 66, 67, 68, 69, INLAY_32(0), INLAY_32(32));
INLAY_PRODUCT(160, INLAY_C80, 80, 81, 82, 83, 84, 85, INLAY_32(0), INLAY_32(32), INLAY_16(64));
INLAY_PRODUCT(256, INLAY_C128, 128, 129, 130, 131, 132, 133, INLAY_32(0), INLAY_32(32), INLAY_32(64), INLAY_32(96));

#undef INLAY_PRODUCT
#undef INLAY_PRODUCT_RS
#undef INLAY_PRODUCT_SS
#undef INLAY_32
#undef INLAY_16
#undef INLAY_8
#undef INLAY_4
#undef INLAY_C16
#undef INLAY_C20
#undef INLAY_C32
#undef INLAY_C40
#undef INLAY_C48
#undef INLAY_C64
#undef INLAY_C80
#undef INLAY_C128

}  // namespace inlay::inline INLAY_ABI::on_gpu
