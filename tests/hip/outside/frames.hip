// SPDX-License-Identifier: Apache-2.0
/// One small case of each frame without a matrix engine whose blocks do not wait for each other.
#include "run_frame.hpp"

using namespace inlay;

namespace {

struct silu_of_sum : Elementwise<Silu<Add<Buf<0>, Permute<Buf<1>, 1, 0>>>> {};
struct soft : Softmax<> {};
struct layer : LayerNorm<> {};
struct of_columns : Reduce<reduction::Sum, Axes<0>> {};
struct of_rows : Reduce<reduction::Max, Axes<-1>> {};
struct group : GroupNorm<4, Buf<0>, Silu<Out>> {};

}  // namespace

extern "C" {

bool map(fp16* y, fp16* x, fp16* z, int m, int n) {
    return outside::runs<silu_of_sum>(tensor(y, m, n), tensor(x, m, n), tensor(z, n, m));
}
bool map_f32(float* y, float* x, float* z, int m, int n) {
    return outside::runs<silu_of_sum>(tensor(y, m, n), tensor(x, m, n), tensor(z, n, m));
}
bool softmax(fp16* y, fp16* x, int m, int n) { return outside::runs<soft>(tensor(y, m, n), tensor(x, m, n)); }
bool layer_norm(bf16* y, bf16* x, bf16* gamma, bf16* beta, int m, int n) {
    return outside::runs<layer>(tensor(y, m, n), tensor(gamma, n), tensor(beta, n), tensor(x, m, n));
}
bool reduce_columns(fp16* y, fp16* x, int m, int n) {
    return outside::runs<of_columns>(tensor(y, 1, n), tensor(x, m, n));
}
bool reduce_rows(fp16* y, fp16* x, int m, int n) { return outside::runs<of_rows>(tensor(y, m, 1), tensor(x, m, n)); }
bool group_norm(fp16* y, fp16* x, fp16* gamma, fp16* beta, int n, int h, int w, int c) {
    return outside::runs<group>(tensor(y, n, h, w, c), tensor(gamma, c), tensor(beta, c), tensor(x, n, h, w, c));
}

}
