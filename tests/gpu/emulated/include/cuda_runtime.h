// SPDX-License-Identifier: Apache-2.0
/// CUDA's language for a host compiler: keywords, variables and functions of device code. nvcc includes it by itself;
/// here it is the compiler's `-include`.
#pragma once

// A block's shared memory belongs to the host thread that runs the block.
#define __shared__ thread_local
#define __device__
#define __host__
#define __global__
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)

#include <cuda_runtime_api.h>
#include <emulator/lanes.hpp>
#include <emulator/machine.hpp>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
inline const bool emulated_image_is_sm90a = (emulator::image_is_sm90a(), true);
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

extern __thread uint3 threadIdx;
extern __thread uint3 blockIdx;
extern __thread dim3 blockDim, gridDim;

inline void __syncthreads() { emulator::barrier("__syncthreads", 0, 0, false); }
inline int __syncthreads_and(int x) {
    const auto v = emulator::barrier("__syncthreads_and", 0, 0, x != 0);
    return v.yes == v.all;
}
inline int __syncthreads_or(int x) { return emulator::barrier("__syncthreads_or", 0, 0, x != 0).yes > 0; }
inline int __syncthreads_count(int x) { return emulator::barrier("__syncthreads_count", 0, 0, x != 0).yes; }
inline void __threadfence() {}
inline void __threadfence_block() {}

inline void __syncwarp(unsigned mask = ~0u) { emulator::combined<emulator::Or>("__syncwarp", mask, 0); }
template <class T>
T __shfl_sync(unsigned mask, T x, int from, int width = 32) {
    const int first = emulator::lane() / width * width;
    return emulator::shuffle("__shfl_sync", mask, x, first + (from & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T x, int by, int = 32) {
    return emulator::shuffle("__shfl_xor_sync", mask, x, emulator::lane() ^ by);
}
template <class T>
T __shfl_down_sync(unsigned mask, T x, unsigned by, int width = 32) {
    const int to = emulator::lane() % width + static_cast<int>(by);
    return emulator::shuffle("__shfl_down_sync", mask, x, emulator::lane() + (to < width ? static_cast<int>(by) : 0));
}
template <class T>
T __shfl_up_sync(unsigned mask, T x, unsigned by, int width = 32) {
    const int to = emulator::lane() % width - static_cast<int>(by);
    return emulator::shuffle("__shfl_up_sync", mask, x, emulator::lane() - (to >= 0 ? static_cast<int>(by) : 0));
}
inline unsigned __ballot_sync(unsigned mask, int x) {
    return emulator::combined<emulator::Or>("__ballot_sync", mask, x ? 1u << emulator::lane() : 0u);
}
inline int __any_sync(unsigned mask, int x) {
    return emulator::combined<emulator::Or>("__any_sync", mask, x != 0) != 0;
}
inline int __all_sync(unsigned mask, int x) {
    return emulator::combined<emulator::And>("__all_sync", mask, x != 0) != 0;
}
inline unsigned __activemask() { emulator::fail("__activemask says nothing that a kernel may rely on"); }
inline unsigned __reduce_or_sync(unsigned mask, unsigned x) {
    return emulator::combined<emulator::Or>("__reduce_or_sync", mask, x);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned x) {
    return emulator::combined<emulator::And>("__reduce_and_sync", mask, x);
}
template <class T>
T __reduce_add_sync(unsigned mask, T x) {
    return static_cast<T>(emulator::combined<emulator::Plus>("__reduce_add_sync", mask, static_cast<unsigned>(x)));
}
template <class T>
T __reduce_min_sync(unsigned mask, T x) {
    return static_cast<T>(emulator::combined<emulator::Least<T>>("__reduce_min_sync", mask, static_cast<unsigned>(x)));
}
template <class T>
T __reduce_max_sync(unsigned mask, T x) {
    return static_cast<T>(
        emulator::combined<emulator::Greatest<T>>("__reduce_max_sync", mask, static_cast<unsigned>(x)));
}

template <class T>
T emulated_atomic_add(T* p, T x) {
    emulator::give_way(x == T(0));
    const T before = *p;
    *p = before + x;
    if (x != T(0)) emulator::progress();
    return before;
}
inline unsigned atomicAdd(unsigned* p, unsigned x) { return emulated_atomic_add(p, x); }
inline int atomicAdd(int* p, int x) { return emulated_atomic_add(p, x); }
inline unsigned long long atomicAdd(unsigned long long* p, unsigned long long x) { return emulated_atomic_add(p, x); }
template <class T>
T atomicExch(T* p, T x) {
    emulator::give_way(false);
    const T before = *p;
    *p = x;
    emulator::progress();
    return before;
}
template <class T>
T atomicCAS(T* p, T expected, T x) {
    emulator::give_way(true);
    const T before = *p;
    if (before == expected) *p = x, emulator::progress();
    return before;
}

template <class T>
T __ldcg(const T* p) {
    emulator::check_global(p, sizeof(T), alignof(T), "__ldcg");
    return *p;
}
template <class T>
T __ldg(const T* p) {
    emulator::check_global(p, sizeof(T), alignof(T), "__ldg");
    return *p;
}
template <class T>
void __stcg(T* p, const T& x) {
    emulator::check_global(p, sizeof(T), alignof(T), "__stcg");
    *p = x;
}

inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(unsigned x) { return std::countl_zero(x); }
inline int __ffs(unsigned x) { return x ? std::countr_zero(x) + 1 : 0; }
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline std::uint64_t __umul64hi(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline float rsqrtf(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmul_rn(float a, float b) { return a * b; }

#define EMULATOR_MIN_MAX(T)                               \
    inline T min(T a, T b) { return a < b ? a : b; }      \
    inline T max(T a, T b) { return a > b ? a : b; }
EMULATOR_MIN_MAX(int)
EMULATOR_MIN_MAX(unsigned)
EMULATOR_MIN_MAX(long)
EMULATOR_MIN_MAX(unsigned long)
EMULATOR_MIN_MAX(long long)
EMULATOR_MIN_MAX(unsigned long long)
#undef EMULATOR_MIN_MAX
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
