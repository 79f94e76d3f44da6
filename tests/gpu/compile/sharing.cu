// SPDX-License-Identifier: Apache-2.0
// ptx: 6 ex2\.approx
/// Six nested Add<Silu<P>, P> in one kernel hold six exponentials, not 2^6 - 1. Views, scalar slots and pieces compile
/// for the device, and a kernel type named in plain host code comes back from nvcc's front end whole.
#include <inlay/exec/tensor.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

template <class P, int N>
struct nested {
    using below = typename nested<P, N - 1>::type;
    using type = Add<Silu<below>, below>;
};
template <class P>
struct nested<P, 0> {
    using type = P;
};
using Shared = nested<Buf<0>, 6>::type;
using Row = Env<-1, 0, Tensor<const float, 1>>;

__global__ void shared(float* y, Bound<Shared, Row> bound) {
    const index_t i = threadIdx.x;
    y[i] = value_at<float>(bound, Extents<1>{{i}});
}
