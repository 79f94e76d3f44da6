// SPDX-License-Identifier: Apache-2.0
/// Every kind of view, with scalar slots and storage types mixed, in device code; and kernel types named in plain host
/// code, which nvcc's front end must give back to the host compiler whole.
#include <inlay/exec/tensor.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

using Slots4 =
    Env<-1, 3, Tensor<const float, 2>, Tensor<const fp16, 2>, Tensor<const bf16, 1>, Tensor<const std::int32_t, 1>>;

template <class E>
__global__ void kernel(float* y, Bound<E, Slots4> bound) {
    y[threadIdx.x] = value_at<float>(bound, Extents<2>{{blockIdx.x, threadIdx.x}});
}
template <class E>
void launch(float* y, const Slots4& slots) {
    kernel<E><<<1, 1>>>(y, bind<E>(slots));
}

void all(float* y, const Slots4& slots) {
    kernel<Slice<Buf<0>, -1, param<0>, 3u>><<<1, 1>>>(y, bind<Slice<Buf<0>, -1, param<0>, 3u>>(slots));
    launch<Pad<Concat<-1, Silu<Buf<0>>, Mul<Buf<1>, Param<2>>>, param<0>, 1, param<1>>>(y, slots);
    launch<decltype(slice<-1, param<0>, 2>(buf<0>) + buf<2>)>(y, slots);
    launch<Add<Permute<Upsample<Buf<0>, 2, -1>, 1, 0>, Transpose<Buf<1>, 0, 1>>>(y, slots);
    launch<Gelu<Gather<Reshape<Buf<0>, param<0>, -1>, Buf<3>>>>(y, slots);
    launch<Where<Less<Coord<-1>, Const<4.0>>, Broadcast<Buf<2>, Buf<0>>, Cast<Buf<1>, bf16>>>(y, slots);
    launch<Reshape<Im2col<Reshape<Buf<0>, 1, -1, 8, 4>, 3, 3, 1, 1>, -1, 36>>(y, slots);
}
