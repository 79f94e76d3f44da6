// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the expression reads a tensor slot that was not bound
#include <inlay/inlay.hpp>
#include <inlay/exec/tensor.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> x2) {
    const auto bound = bind<Add<Buf<0>, Buf<1>>>(Env<-1, 0, Tensor<const float, 2>>{make_pack(x2), {}, {}});
    (void)value_at<float>(bound, Extents<2>{});
}
