// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <inlay/exec/gpu/memory.hpp>
#include <inlay/tile/cuda/runtime/error.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace inlay_bench {

namespace {

__device__ std::uint64_t mix(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
struct Sums {
    double difference, squared;
    unsigned long long nans, worst;     // worst: the bits of the largest error, which order as it does
    long long m, n;
};

/// An element of the input, rounded as an input that is evaluated is.
template <class T>
__device__ double value(const Reference& r, T x, index_t k) {
    if (!r.scale) return static_cast<float>(x);
    const double v = static_cast<double>(r.scale[k]) * static_cast<double>(static_cast<float>(x)) +
                     static_cast<double>(r.shift[k]);
    return static_cast<float>(T(static_cast<float>(v / (1 + exp(-v)))));
}

/// A warp for each place.
template <class T>
__global__ void compare(Reference r, index_t samples, Sums* sums) {
    const T* const x = static_cast<const T*>(r.x);
    const T* const w = static_cast<const T*>(r.w);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const index_t step = static_cast<index_t>(gridDim.x) * (blockDim.x / 32), places = r.m * r.n;
    for (index_t i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < samples; i += step) {
        const index_t place =
            samples == places
                ? i
                : static_cast<index_t>(mix(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(places));
        const index_t m = place / r.n, n = place - m * r.n;
        const index_t image = m / (r.out_height * r.out_width), py = m / r.out_width % r.out_height,
                      px = m % r.out_width;
        const index_t row = r.pairs ? n / 16 * 32 + n % 16 : n;
        const auto sum_of = [&](index_t of_row, index_t of_bias) {
            double sum = 0;
            for (int t = 0; t < r.taps * r.taps; ++t) {
                const index_t yy = py * r.stride - r.before + t / r.taps, xx = px * r.stride - r.before + t % r.taps;
                if (yy < 0 || xx < 0 || yy >= r.height || xx >= r.width) continue;
                const T* const a = x + ((image * r.height + yy) * r.width + xx) * r.k;
                const T* const b = w + (of_row * r.taps * r.taps + t) * r.k;
                for (index_t k = lane; k < r.k; k += 32)
                    sum += value(r, a[k], k) * static_cast<double>(static_cast<float>(b[k]));
            }
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
            return sum + static_cast<double>(static_cast<float>(static_cast<const T*>(r.bias)[of_bias]));
        };
        double sum = sum_of(row, n);
        if (r.pairs) {
            const double gate = sum_of(row + 16, r.n + n);
            sum *= 0.5 * gate * (1 + erf(gate / sqrt(2.0)));
        }
        if (lane != 0) continue;
        const double y = static_cast<float>(static_cast<const T*>(r.y)[place]), e = y - sum;
        if (isnan(y)) {
            atomicAdd(&sums->nans, 1ull);
            continue;
        }
        atomicAdd(&sums->difference, e * e);
        atomicAdd(&sums->squared, sum * sum);
        const double rounding = fabs(sum) * (r.type == DType::f16 ? 0x1p-11 : 0x1p-8);
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(fmax(fabs(e) - rounding, 0.0)));
        if (atomicMax(&sums->worst, bits) < bits) sums->m = m, sums->n = n;
    }
}

}  // namespace

Misfit misfit(cudaStream_t stream, const Reference& r, index_t samples) {
    using inlay::on_gpu::check;
    static const inlay::DeviceMemory memory(sizeof(Sums));
    auto* sums = static_cast<Sums*>(memory.data());
    samples = std::min(samples, r.m * r.n);
    check(cudaMemsetAsync(sums, 0, sizeof(Sums), stream), "cudaMemsetAsync");
    if (r.type == DType::f16) compare<__half><<<1056, 256, 0, stream>>>(r, samples, sums);
    else compare<__nv_bfloat16><<<1056, 256, 0, stream>>>(r, samples, sums);
    check(cudaGetLastError(), "compare");
    Sums s;
    check(cudaMemcpyAsync(&s, sums, sizeof s, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    double worst;
    std::memcpy(&worst, &s.worst, sizeof worst);
    const double rms = std::sqrt(s.squared / static_cast<double>(samples));
    return {std::sqrt(s.difference / s.squared), worst / rms, static_cast<long long>(s.nans), s.m, s.n};
}

}  // namespace inlay_bench
