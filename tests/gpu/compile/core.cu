// SPDX-License-Identifier: Apache-2.0
/// core/ in device code: a kernel that reads halves and writes floats.
#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/half.hpp>

using namespace inlay;

template <class To, Storage From>
__global__ void convert(To* out, const From* in, Extents<2> extents, Extents<2> strides) {
    const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count(extents)) return;
    const Coordinate<2> c = unravel(i, extents);
    out[i] = from_storage<To>(in[c[0] * strides[0] + c[1] * strides[1]]);
}

template __global__ void convert(float*, const fp16*, Extents<2>, Extents<2>);
template __global__ void convert(float*, const bf16*, Extents<2>, Extents<2>);

