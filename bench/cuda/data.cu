// SPDX-License-Identifier: Apache-2.0
/// Random normals, copies and the comparison of results, on the device.
#include "bench.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

namespace inlay_bench {

namespace {

using inlay::on_gpu::check;

__device__ std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
__device__ void put(__half& to, float x) {
    to = __float2half_rn(x);
}
__device__ void put(__nv_bfloat16& to, float x) {
    to = __float2bfloat16_rn(x);
}
__device__ void put(inlay::fp8& to, float x) {
    to = inlay::fp8(x);
}
__device__ void put(float& to, float x) {
    to = x;
}

/// Pairs of normals by Box and Muller.
template <class T>
__global__ void normals(T* to, index_t n, std::uint64_t seed, float deviation) {
    const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
    for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; 2 * i < n; i += step) {
        const std::uint64_t h = mix(seed + static_cast<std::uint64_t>(i));
        const float u = (static_cast<float>(h >> 40) + 0.5f) * 0x1p-24f,
                    angle = static_cast<float>(h & 0xffffff) * 0x1p-23f;
        const float r = deviation * sqrtf(-2 * __logf(u));
        float s, c;
        sincospif(angle, &s, &c);
        put(to[2 * i], r * c);
        if (2 * i + 1 < n) put(to[2 * i + 1], r * s);
    }
}

/// 16 bytes a load, all loads of a thread before its first store.
constexpr int copy_loads = 4;
__global__ void copy_kernel(uint4* to, const uint4* from, index_t n) {
    const index_t first = static_cast<index_t>(blockIdx.x) * blockDim.x * copy_loads + threadIdx.x;
    uint4 v[copy_loads];
#pragma unroll
    for (int i = 0; i < copy_loads; ++i)
        if (const index_t at = first + i * blockDim.x; at < n) v[i] = __ldcs(from + at);
#pragma unroll
    for (int i = 0; i < copy_loads; ++i)
        if (const index_t at = first + i * blockDim.x; at < n) __stcs(to + at, v[i]);
}

struct Sums {
    double squared_difference, squared;
    unsigned long long nans;
};
template <class T>
__global__ void compare_kernel(const T* a, const T* b, index_t n, Sums* sums) {
    double difference = 0, squared = 0;
    unsigned long long nans = 0;
    const index_t step = static_cast<index_t>(gridDim.x) * blockDim.x;
    for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        const double x = static_cast<float>(a[i]), y = static_cast<float>(b[i]);
        difference += (x - y) * (x - y);
        squared += y * y;
        nans += isnan(x);
    }
    atomicAdd(&sums->squared_difference, difference);
    atomicAdd(&sums->squared, squared);
    if (nans) atomicAdd(&sums->nans, nans);
}

/// f(pointer of the device's type for `type`).
template <class P, class F>
void with_type(DType type, P* p, F&& f) {
    using Half = std::conditional_t<std::is_const_v<P>, const __half, __half>;
    using Bf16 = std::conditional_t<std::is_const_v<P>, const __nv_bfloat16, __nv_bfloat16>;
    using Float = std::conditional_t<std::is_const_v<P>, const float, float>;
    if (type == DType::f16) f(static_cast<Half*>(p));
    else if (type == DType::bf16) f(static_cast<Bf16*>(p));
    else f(static_cast<Float*>(p));
}

}  // namespace

void fill_normals(cudaStream_t stream, void* to, index_t n, DType type, std::uint64_t seed, float deviation) {
    const auto fill = [&](auto* p) { normals<<<1024, 256, 0, stream>>>(p, n, seed << 40, deviation); };
    if (type == DType::f8) fill(static_cast<inlay::fp8*>(to));
    else with_type(type, to, fill);
    check(cudaGetLastError(), "normals");
}

void copy(cudaStream_t stream, void* to, const void* from, std::size_t bytes) {
    constexpr index_t threads = 256, tile = threads * copy_loads;
    const index_t n = static_cast<index_t>(bytes / sizeof(uint4));
    copy_kernel<<<static_cast<unsigned>((n + tile - 1) / tile), threads, 0, stream>>>(
        static_cast<uint4*>(to), static_cast<const uint4*>(from), n);
    check(cudaGetLastError(), "copy_kernel");
}

Distance distance(cudaStream_t stream, const void* ours, const void* theirs, index_t n, DType type) {
    static const inlay::DeviceMemory memory(sizeof(Sums));
    auto* sums = static_cast<Sums*>(memory.data());
    check(cudaMemsetAsync(sums, 0, sizeof(Sums), stream), "cudaMemsetAsync");
    with_type(type, ours,
              [&](auto* p) { compare_kernel<<<264, 256, 0, stream>>>(p, static_cast<decltype(p)>(theirs), n, sums); });
    check(cudaGetLastError(), "compare_kernel");
    Sums s;
    check(cudaMemcpyAsync(&s, sums, sizeof s, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    return {std::sqrt(s.squared_difference / s.squared), static_cast<index_t>(s.nans)};
}

}  // namespace inlay_bench
