// SPDX-License-Identifier: Apache-2.0
/// Compiler facts. The only header outside `tile/` and `exec/` that tests for a vendor or an architecture.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "inlay: a C++20 compiler is needed (-std=c++20)"
#endif

// nvcc's front end defines __GNUC__ as the host compiler behind it does.
#if defined(__clang__) ? __clang_major__ < 18 : defined(__GNUC__) && __GNUC__ < 11
#error "inlay: a compiler whose template arguments may be of double is needed: g++ 12 or clang 19"
#endif

#if !defined(__cpp_exceptions)
#error "inlay: exceptions are needed: compile without -fno-exceptions the files that include Inlay; its errors are thrown"
#endif

// Kernels break the assumptions of these flags: NaN and infinity are results, and exp, log and means rely on the order
// of their operations. clang has no macro for flags that reorder; `INLAY_ORDERED_BEGIN` is for those.
#if defined(__FAST_MATH__)
#error "inlay: -ffast-math (-Ofast) makes kernels wrong; drop it or add -fno-finite-math-only -fno-associative-math"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "inlay: -ffinite-math-only makes kernels wrong where a value is NaN or infinite; add -fno-finite-math-only"
#elif defined(__ASSOCIATIVE_MATH__)
#error "inlay: -fassociative-math (or -funsafe-math-optimizations) makes exp wrong; add -fno-associative-math"
#endif

#include <version>  // facts of the standard library

#if defined(__CUDACC__) || defined(__HIP__)
#define INLAY_FN __host__ __device__
#else
#define INLAY_FN
#endif

/// 1 where `Vec` is the compiler's vector type, which device code cannot use.
#if defined(__CUDACC__) || defined(__HIP__)
#define INLAY_NATIVE_VECTORS 0
#else
#define INLAY_NATIVE_VECTORS 1
#endif

/// Compilers' own types of 16 bits. nvcc's front end has no __bf16 of its own; clang has no macro for it.
#if defined(__FLT16_MANT_DIG__)
#define INLAY_HAS_FLOAT16 1
#else
#define INLAY_HAS_FLOAT16 0
#endif
#if defined(__STDCPP_BFLOAT16_T__) ||                  \
    (!defined(__NVCC__) && (defined(__BFLT16_MANT_DIG__) || (defined(__clang__) && defined(__SSE2__))))
#define INLAY_HAS_BFLOAT16 1
#else
#define INLAY_HAS_BFLOAT16 0
#endif

/// 1 where there is a type `hip_bfloat16`. clang's HIP has it as a struct that may be declared early; hip_bfloat16.h
/// gives other compilers a name of an unnamed struct, which may not.
#if defined(__HIP__)
#define INLAY_HAS_HIP_BFLOAT16 1
struct hip_bfloat16;
#elif defined(_HIP_BFLOAT16_H_) || defined(_HIP_INCLUDE_HIP_AMD_DETAIL_HIP_BFLOAT16_H_)
#define INLAY_HAS_HIP_BFLOAT16 1
#else
#define INLAY_HAS_HIP_BFLOAT16 0
#endif

/// Marks a type through which host code may read memory that was written as another type of the same layout.
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
#define INLAY_MAY_ALIAS __attribute__((may_alias))
#else
#define INLAY_MAY_ALIAS
#endif

/// Unrolls the loop that follows, whose arrays device code must not index at run time. The host compiler behind nvcc
/// warns of the pragma.
#if defined(__CUDA_ARCH__) || defined(__HIP__)
#define INLAY_UNROLL _Pragma("unroll")
#else
#define INLAY_UNROLL
#endif

/// Functions of float where the last bits do not matter; `core/math.hpp` states their errors.
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

/// A function of device code that kernels share. Not on HIP: a call needs a stack in memory, and gives its kernel the
/// registers of the worst function.
#if defined(__HIP__)
#define INLAY_DEVICE_CALL INLAY_INLINE
#else
#define INLAY_DEVICE_CALL INLAY_OUTLINE
#endif

/// Inlines a function that fills cursors. clang for AMD would else inline it later than it looks for variables that fit
/// registers, choose between the cursors of two operands by an address, and keep them in memory.
#if defined(__HIP__)
#define INLAY_WITH_CALLER INLAY_INLINE
#else
#define INLAY_WITH_CALLER
#endif

/// Brackets arithmetic whose values depend on its order. g++ has a macro for flags that reorder, which are refused
/// above.
#if defined(__clang__) && !defined(__HIP__)
#define INLAY_ORDERED_BEGIN _Pragma("float_control(push)") _Pragma("clang fp reassociate(off) reciprocal(off)")
#define INLAY_ORDERED_END _Pragma("float_control(pop)")
#else
#define INLAY_ORDERED_BEGIN
#define INLAY_ORDERED_END
#endif

/// The inline namespace keeps units of other flags apart: templates are weak symbols, of which a program has one of
/// each name. It lists the architectures of device code, since kernel stubs are local to a unit, and has a digit for
/// each four of the host's flags that change code or layout.
#define INLAY_CAT2(a, b) a##b
#define INLAY_CAT(a, b) INLAY_CAT2(a, b)

// 1 for a macro that is defined as 1, else 0: only INLAY_FLAG_1 brings the comma that shifts the 1 into second place.
#define INLAY_FLAG(macro) INLAY_FLAG_OF(macro)
#define INLAY_FLAG_OF(value) INLAY_FLAG_FROM(INLAY_FLAG_##value)
#define INLAY_FLAG_FROM(maybe_comma) INLAY_SECOND(maybe_comma 1, 0, )
#define INLAY_FLAG_1 ,
#define INLAY_SECOND(a, b, ...) b

#define INLAY_DIGIT(a, b, c, d) INLAY_DIGIT_OF(INLAY_FLAG(a), INLAY_FLAG(b), INLAY_FLAG(c), INLAY_FLAG(d))
#define INLAY_DIGIT_OF(a, b, c, d) INLAY_DIGIT_FROM(a, b, c, d)
#define INLAY_DIGIT_FROM(a, b, c, d) INLAY_DIGIT_##a##b##c##d
#define INLAY_DIGIT_0000 0
#define INLAY_DIGIT_0001 1
#define INLAY_DIGIT_0010 2
#define INLAY_DIGIT_0011 3
#define INLAY_DIGIT_0100 4
#define INLAY_DIGIT_0101 5
#define INLAY_DIGIT_0110 6
#define INLAY_DIGIT_0111 7
#define INLAY_DIGIT_1000 8
#define INLAY_DIGIT_1001 9
#define INLAY_DIGIT_1010 a
#define INLAY_DIGIT_1011 b
#define INLAY_DIGIT_1100 c
#define INLAY_DIGIT_1101 d
#define INLAY_DIGIT_1110 e
#define INLAY_DIGIT_1111 f

// Flags of the language and the standard library whose macros are not 1, or only there without them.
#if !defined(__GXX_RTTI)
#define INLAY_NO_RTTI 1
#endif
#if __FLT_EVAL_METHOD__ != 0
#define INLAY_EXCESS_PRECISION 1
#endif
#if defined(_GLIBCXX_DEBUG)
#define INLAY_DEBUG_CONTAINERS 1
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define INLAY_OLD_STRINGS 1
#endif
#if defined(_LIBCPP_VERSION)
#define INLAY_LIBCPP 1
#endif

#define INLAY_ABI_JOIN(prefix, a, b, c, d, e, f, g, h, i, j) prefix##a##b##c##d##e##f##g##h##i##j
#define INLAY_ABI_OF(...) INLAY_ABI_JOIN(__VA_ARGS__)
#define INLAY_ABI_FLAGS(prefix)                                                                           \
    INLAY_ABI_OF(prefix, INLAY_DIGIT(__SSE3__, __SSSE3__, __SSE4_1__, __SSE4_2__),                        \
                 INLAY_DIGIT(__POPCNT__, __AVX__, __F16C__, __FMA__),                                     \
                 INLAY_DIGIT(__AVX2__, __BMI__, __BMI2__, __LZCNT__),                                     \
                 INLAY_DIGIT(__MOVBE__, __SSE4A__, __FMA4__, __XOP__),                                    \
                 INLAY_DIGIT(__AVX512F__, __AVX512CD__, __AVX512BW__, __AVX512DQ__),                      \
                 INLAY_DIGIT(__AVX512VL__, __AVX512VBMI__, __AVX512VBMI2__, __AVX512IFMA__),              \
                 INLAY_DIGIT(__AVX512VNNI__, __AVX512BITALG__, __AVX512VPOPCNTDQ__, __AVX512BF16__),      \
                 INLAY_DIGIT(__AVX512FP16__, __AVXVNNI__, __GFNI__, __APX_F__),                           \
                 INLAY_DIGIT(__NO_SIGNED_ZEROS__, __RECIPROCAL_MATH__, INLAY_EXCESS_PRECISION, __clang__),\
                 INLAY_DIGIT(INLAY_DEBUG_CONTAINERS, INLAY_OLD_STRINGS, INLAY_LIBCPP, INLAY_NO_RTTI))

#define INLAY_ABI_LIST(a, b, c, d, e, f, g, h, ...) abi_##a##b##c##d##e##f##g##h##_
#define INLAY_ABI_FROM(...) INLAY_ABI_LIST(__VA_ARGS__, , , , , , , , )
#if defined(__CUDACC__) && defined(__CUDA_ARCH_LIST__)
#define INLAY_ABI INLAY_ABI_FLAGS(INLAY_ABI_FROM(__CUDA_ARCH_LIST__))
#elif defined(__HIP__)
#define INLAY_ABI INLAY_ABI_FLAGS(abi_hip_)
#else
#define INLAY_ABI INLAY_ABI_FLAGS(abi_)
#endif

/// Exceptions cross units, so units of all flags have the same; but -fno-rtti leaves the type out of a class, which
/// `typeid` and `dynamic_cast` of another unit would look up.
#if defined(INLAY_NO_RTTI)
#define INLAY_EXCEPTIONS inlay::inline abi_no_rtti
#else
#define INLAY_EXCEPTIONS inlay
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

/// The instruction set of this build of the host executor, as `explain` names it. Its first word is that of the path
/// which a portable program has for it (`exec/host/paths.hpp`).
#if defined(__AVX512F__) && defined(__AVX512BF16__)
inline constexpr const char* host_isa = "avx512 with BF16";
#elif defined(__AVX512F__)
inline constexpr const char* host_isa = "avx512";
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr const char* host_isa = "avx2";
#else
inline constexpr const char* host_isa = "baseline";
#endif

/// True if this build of the host executor multiplies bf16 by bf16, with sums in fp32; else it widens them to fp32.
#if defined(__AVX512BF16__)
inline constexpr bool host_multiplies_bf16 = true;
#else
inline constexpr bool host_multiplies_bf16 = false;
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

/// Marks a function template whose argument is a function of the caller's: host functions only called on the host,
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
