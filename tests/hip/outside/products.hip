// SPDX-License-Identifier: Apache-2.0
/// Linear in each dtype, and a convolution.
#include "run_frame.hpp"

using namespace inlay;

namespace {

struct linear_residual : Linear<Buf<0>, Add<Add<Out, Buf<1>>, Buf<2>>> {};
struct conv_silu : Conv2D<Filter<3>, Buf<0>, Silu<Add<Out, Buf<1>>>> {};

template <class T>
bool product(T* y, T* w, T* x, T* bias, T* residual, int m, int n, int k) {
    return outside::runs<linear_residual>(tensor(y, m, n), tensor(w, n, k), tensor(x, m, k), tensor(bias, n),
                                          tensor(residual, m, n));
}

}  // namespace

extern "C" {

bool linear(fp16* y, fp16* w, fp16* x, fp16* bias, fp16* residual, int m, int n, int k) {
    return product(y, w, x, bias, residual, m, n, k);
}
bool linear_bf16(bf16* y, bf16* w, bf16* x, bf16* bias, bf16* residual, int m, int n, int k) {
    return product(y, w, x, bias, residual, m, n, k);
}
bool linear_f32(float* y, float* w, float* x, float* bias, float* residual, int m, int n, int k) {
    return product(y, w, x, bias, residual, m, n, k);
}
bool conv(fp16* y, fp16* w, fp16* x, fp16* bias, int n, int h, int width, int c, int out) {
    return outside::runs<conv_silu>(tensor(y, n, h, width, out), tensor(w, out, 3, 3, c), tensor(x, n, h, width, c),
                                    tensor(bias, out));
}

}
