// SPDX-License-Identifier: Apache-2.0
// expect: inlay: two parts of a partition are the same sink, so one would overwrite the other
#include <inlay/inlay.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/frame/linear.hpp>

using namespace inlay;

void wrong(Tensor<const float, 2> w2, Tensor<const float, 2> x2, Tensor<float, 2> y2) {
    prepare<Linear<Buf<0>, Out, Partition<-1, Store<0>, Store<0>>>>(y2, w2, x2);
}
