// SPDX-License-Identifier: Apache-2.0
/// The toolkit's own types of 16 and 8 bits, beside `using namespace inlay`.
#include <cuda/std/type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <inlay/exec/graph.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

namespace at {
struct Half {
    unsigned short x;
};
}  // namespace at
template <> struct inlay::StoredAs<at::Half> { using type = inlay::fp16; };

template <class T>
struct proj : Linear<Silu<Buf<0>>, Add<Out, Buf<1>>> {};

template <class T>
void project(T* y, const T* w, const T* x, const T* b, T* copy, cudaStream_t stream) {
    Cuda gpu(0, stream);
    const auto packed = gpu.pack(tensor(w, 320, 1280), copy);
    auto kernel = prepare<proj<T>>(tensor(y, 64, 320), packed, tensor(x, 64, 1280), tensor(b, 320));
    kernel.run(gpu);
    Graph(gpu, kernel).launch();
}
template void project(half*, const half*, const half*, const half*, half*, cudaStream_t);
template void project(nv_bfloat16*, const nv_bfloat16*, const nv_bfloat16*, const nv_bfloat16*, nv_bfloat16*,
                      cudaStream_t);
template void project(at::Half*, const at::Half*, const at::Half*, const at::Half*, at::Half*, cudaStream_t);
static_assert(cuda::std::is_same_v<decltype(tensor(static_cast<const __nv_fp8_e4m3*>(nullptr), 1)), Tensor<const fp8, 1>>);
static_assert(cuda::std::is_same_v<decltype(tensor(static_cast<const __half*>(nullptr), 1)), Tensor<const fp16, 1>>);
