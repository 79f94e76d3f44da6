// SPDX-License-Identifier: Apache-2.0
/// core/ in device code of the other vendor: a kernel that reads halves and writes floats. Tensors over its types.
#include <inlay/core/dtype.hpp>
#include <inlay/core/extents.hpp>
#include <inlay/core/half.hpp>
#include <inlay/exec/tensor.hpp>

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <type_traits>

using namespace inlay;

static_assert(std::is_same_v<decltype(tensor(static_cast<const __half*>(nullptr), 1)), Tensor<const fp16, 1>>);
static_assert(std::is_same_v<decltype(tensor(static_cast<hip_bfloat16*>(nullptr), 1)), Tensor<bf16, 1>>);

template <class To, Storage From>
__global__ void convert(To* out, const From* in, Extents<2> extents, Extents<2> strides) {
    const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count(extents)) return;
    const Coordinate<2> c = unravel(i, extents);
    out[i] = from_storage<To>(in[c[0] * strides[0] + c[1] * strides[1]]);
}

template __global__ void convert(float*, const fp16*, Extents<2>, Extents<2>);
template __global__ void convert(float*, const bf16*, Extents<2>, Extents<2>);
