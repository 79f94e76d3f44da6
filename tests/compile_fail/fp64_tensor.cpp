// SPDX-License-Identifier: Apache-2.0
// expect: inlay: fp64 is for the oracle; executors take fp32, fp16 and bf16
#include <inlay/inlay.hpp>

using namespace inlay;

struct Executor {};

void wrong(Executor& executor, Tensor<const double, 2> x2, Tensor<float, 2> y2) {
    prepare<Elementwise<Silu<Buf<0>>>>(y2, x2).run(executor);
}
