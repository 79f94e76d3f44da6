// SPDX-License-Identifier: Apache-2.0
// expect: calling a (constexpr )?__host__ function(\(.*\))? from a __host__ __device__ function
// expect-nvcc-only
// An operation that is constexpr and lacks __device__: nvcc by itself warns, and the kernel computes nothing.
#include <inlay/inlay.hpp>

using namespace inlay;

template <class E>
struct Square : pointwise<E> {
    template <class T>
    static constexpr T apply(T x) {
        return x * x;
    }
};

using Slots0 = Env<-1, 0, Tensor<const float, 1>>;

__global__ void kernel(float* y, Bound<Square<Buf<0>>, Slots0> bound) {
    y[threadIdx.x] = value_at<float>(bound, Extents<1>{{threadIdx.x}});
}
