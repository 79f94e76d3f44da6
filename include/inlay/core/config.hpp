// SPDX-License-Identifier: Apache-2.0
/// Compiler facts. The only header outside `tile/` and `exec/` that tests for a vendor or an architecture.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "inlay: a C++20 compiler is needed (-std=c++20)"
#endif

// nvcc's front end says __GNUC__ of the host compiler behind it.
#if defined(__clang__) ? __clang_major__ < 18 : defined(__GNUC__) && __GNUC__ < 11
#error "inlay: a compiler whose template arguments may be of double is needed: g++ 12 or clang 19"
#endif

#if defined(__CUDACC__) || defined(__HIP__)
#define INLAY_FN __host__ __device__
#else
#define INLAY_FN
#endif

/// Whether `Vec` is the compiler's vector type: device code cannot use it.
#if defined(__CUDACC__) || defined(__HIP__)
#define INLAY_NATIVE_VECTORS 0
#else
#define INLAY_NATIVE_VECTORS 1
#endif

/// Before a loop whose body device code must not index at run time. The host compiler behind nvcc warns of the pragma.
#if defined(__CUDA_ARCH__) || defined(__HIP__)
#define INLAY_UNROLL _Pragma("unroll")
#else
#define INLAY_UNROLL
#endif

/// Functions of float where the last bits do not matter: `core/math.hpp` says how exact they are.
#if defined(__CUDA_ARCH__)
#define INLAY_QUOTIENT(a, b) ((a) * inlay::detail::special_function_reciprocal(b))
#define INLAY_QUICK_EXP(x) inlay::detail::special_function_exp2((x) * 1.44269504f)
#define INLAY_QUICK_EXP2(x) inlay::detail::special_function_exp2(x)
#define INLAY_COARSE_TANH(x) inlay::detail::special_function_tanh(x)
#else
#define INLAY_QUOTIENT(a, b) ((a) / (b))
#define INLAY_QUICK_EXP(x) std::exp(x)
#define INLAY_QUICK_EXP2(x) std::exp2(x)
#define INLAY_COARSE_TANH(x) std::tanh(x)
#endif

#if defined(__GNUC__)
#define INLAY_INLINE inline __attribute__((always_inline))
#define INLAY_OUTLINE inline __attribute__((noinline))
#else
#define INLAY_INLINE inline
#define INLAY_OUTLINE inline
#endif

/// Kernel stubs are local to a translation unit but host templates are weak, so two units compiled for different
/// architectures would share one at link. The inline namespace keeps them apart.
#define INLAY_CAT2(a, b) a##b
#define INLAY_CAT(a, b) INLAY_CAT2(a, b)
#define INLAY_ABI_LIST(a, b, c, d, ...) abi_cuda_##a##_##b##_##c##_##d
#define INLAY_ABI_FROM(...) INLAY_ABI_LIST(__VA_ARGS__, 0, 0, 0, 0)
#if defined(__CUDACC__) && defined(__CUDA_ARCH_LIST__)
#define INLAY_ABI INLAY_ABI_FROM(__CUDA_ARCH_LIST__)
#elif defined(__HIP__)
#define INLAY_ABI abi_hip
#else
#define INLAY_ABI abi_host
#endif

namespace inlay::inline INLAY_ABI {

/// Bytes of the widest vector register of this build of the host executor.
#if defined(__AVX512F__)
inline constexpr int host_vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int host_vector_bytes = 32;
#else
inline constexpr int host_vector_bytes = 16;
#endif

#if defined(__CUDA_ARCH__)
namespace detail {
/// One instruction each.
__device__ INLAY_INLINE float special_function_reciprocal(float x) {
    asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}
__device__ INLAY_INLINE float special_function_exp2(float x) {
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}
__device__ INLAY_INLINE float special_function_tanh(float x) {
    asm("tanh.approx.f32 %0, %0;" : "+f"(x));
    return x;
}
}  // namespace detail
#endif

}  // namespace inlay::inline INLAY_ABI

/// Before a function template whose argument is a function of the caller's: host functions only called on the host,
/// device functions only on the device. nvcc would warn of each.
#if defined(__CUDACC__) && defined(__NVCC__)
#define INLAY_CALLS_BACK _Pragma("nv_exec_check_disable")
#else
#define INLAY_CALLS_BACK
#endif

/// nvcc only warns when a __host__ __device__ template calls a host function, and the kernel becomes an empty `ret`.
/// Between these two markers it is an error.
#if defined(__CUDACC__) && defined(__NVCC__)
#define INLAY_STRICT_DEVICE_BEGIN                                                                     \
    _Pragma("nv_diagnostic push") _Pragma("nv_diag_error 20011") _Pragma("nv_diag_error 20013")       \
        _Pragma("nv_diag_error 20014") _Pragma("nv_diag_error 20015")
#define INLAY_STRICT_DEVICE_END _Pragma("nv_diagnostic pop")
#else
#define INLAY_STRICT_DEVICE_BEGIN
#define INLAY_STRICT_DEVICE_END
#endif
